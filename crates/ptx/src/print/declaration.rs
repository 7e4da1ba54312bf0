//! Variables, parameters and initialisers.

use super::Printer;
use crate::ast::{Init, Name, VarAttribute, Variable};

impl Printer {
    /// Prints a variable without the final `;`.
    pub(super) fn variable(&mut self, variable: &Variable) {
        self.linkage(variable.linkage);
        self.push(".");
        self.push(variable.space.name());
        if let Some(bank) = variable.bank {
            self.push("[");
            self.number(bank);
            self.push("]");
        }
        let is_ptr = |attribute: &&VarAttribute| matches!(attribute, VarAttribute::Ptr { .. });
        let others: Vec<_> = variable.attributes.iter().filter(|a| !is_ptr(a)).collect();
        if !others.is_empty() {
            self.push(" .attribute(");
            self.separated(&others, |p, attribute| p.attribute(attribute));
            self.push(")");
        }
        if let Some(align) = variable.align {
            self.push(" .align ");
            self.number(align);
        }
        if variable.vector > 1 {
            self.push(" .v");
            self.number(variable.vector);
        }
        self.push(" .");
        self.push(variable.ty.name());
        for attribute in variable.attributes.iter().filter(is_ptr) {
            self.attribute(attribute);
        }
        self.push(" ");
        self.push(&variable.name.text);
        if let Some(count) = variable.count {
            self.push("<");
            self.number(count);
            self.push(">");
        }
        for dim in &variable.dims {
            self.push("[");
            if let Some(dim) = dim {
                self.number(dim);
            }
            self.push("]");
        }
        if let Some(init) = &variable.init {
            self.push(" = ");
            self.init(init);
        }
    }

    fn attribute(&mut self, attribute: &VarAttribute) {
        match attribute {
            VarAttribute::Ptr { space, align } => {
                self.push(" .ptr");
                if let Some(space) = space {
                    self.push(" .");
                    self.push(space.name());
                }
                if let Some(align) = align {
                    self.push(" .align ");
                    self.number(align);
                }
            }
            VarAttribute::Managed => self.push(".managed"),
            VarAttribute::Unified(a, b) => {
                self.push(".unified(");
                self.number(a);
                self.push(", ");
                self.number(b);
                self.push(")");
            }
            VarAttribute::Other(text) => self.push(text),
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::List(items) => {
                self.push("{");
                self.separated(items, Self::init);
                self.push("}");
            }
            Init::Int(value) => self.number(value),
            Init::F32(bits) => self.number(format_args!("0f{bits:08X}")),
            Init::F64(bits) => self.number(format_args!("0d{bits:016X}")),
            Init::Symbol { name, generic, offset } => self.symbol(name, *generic, *offset),
            Init::MaskedSymbol { mask, name, generic, offset } => {
                self.number(format_args!("0x{mask:X}("));
                self.symbol(name, *generic, *offset);
                self.push(")");
            }
            Init::Other(text) => self.push(text),
        }
    }

    fn symbol(&mut self, name: &Name, generic: bool, offset: i64) {
        if generic {
            self.push("generic(");
        }
        self.push(&name.text);
        if generic {
            self.push(")");
        }
        if offset != 0 {
            self.offset(offset);
        }
    }

    /// Prints an offset as `+4` or `+-4`.
    pub(super) fn offset(&mut self, offset: i64) {
        self.push("+");
        self.number(offset);
    }
}
