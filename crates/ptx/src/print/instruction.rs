//! Instructions and operands.

use super::Printer;
use crate::ast::{AddressBase, Instruction, Operand};

/// Returns an instruction on one line, without its guard and without the `;`.
pub fn print_instruction(instruction: &Instruction) -> String {
    let mut printer = Printer { out: String::new() };
    printer.unguarded(instruction);
    printer.out
}

/// Returns an operand as it appears in an instruction.
pub fn print_operand(operand: &Operand) -> String {
    let mut printer = Printer { out: String::new() };
    printer.operand(operand);
    printer.out
}

impl Printer {
    /// Prints an instruction without the final `;`.
    pub(super) fn instruction(&mut self, instruction: &Instruction) {
        if let Some(guard) = &instruction.guard {
            self.push(if guard.negated { "@!" } else { "@" });
            self.push(&guard.register.text);
            self.push(" ");
        }
        self.unguarded(instruction);
    }

    fn unguarded(&mut self, instruction: &Instruction) {
        self.push(&instruction.opcode.text);
        for modifier in &instruction.modifiers {
            self.push(".");
            self.push(&modifier.text);
        }
        if !instruction.operands.is_empty() {
            self.push(" ");
        }
        self.separated(&instruction.operands, Self::operand);
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Name(name) => self.push(&name.text),
            Operand::NotName(name) => {
                self.push("!");
                self.push(&name.text);
            }
            Operand::Sink => self.push("_"),
            Operand::Int(value, _) => self.number(value),
            Operand::F32(bits, _) => self.number(format_args!("0f{bits:08X}")),
            Operand::F64(bits, _) => self.number(format_args!("0d{bits:016X}")),
            Operand::Address { base, offset, rest, .. } => {
                self.push("[");
                match base {
                    AddressBase::Name(name) => {
                        self.push(&name.text);
                        if *offset != 0 {
                            self.offset(*offset);
                        }
                    }
                    AddressBase::Absolute => self.number(offset),
                }
                for operand in rest {
                    self.push(", ");
                    self.operand(operand);
                }
                self.push("]");
            }
            Operand::Vector(items, _) => {
                self.push("{");
                self.separated(items, Self::operand);
                self.push("}");
            }
            Operand::Pair(a, b) => {
                self.operand(a);
                self.push("|");
                self.operand(b);
            }
            Operand::List(items, _) => {
                self.push("(");
                self.separated(items, Self::operand);
                self.push(")");
            }
            Operand::NameOffset(name, offset) => {
                self.push(&name.text);
                self.offset(*offset);
            }
            Operand::Selected(name, selector) => {
                self.push(&name.text);
                self.push(".");
                self.push(selector);
            }
            Operand::Negated(name, selector) => {
                self.push("-");
                self.push(&name.text);
                if let Some(selector) = selector {
                    self.push(".");
                    self.push(selector);
                }
            }
            Operand::Element(name, element) => {
                self.push(&name.text);
                self.push([".x", ".y", ".z", ".w"][usize::from(element & 3)]);
            }
        }
    }
}
