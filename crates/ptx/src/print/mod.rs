//! Prints a tree as PTX text.
//!
//! Printing is lossless up to layout, comments and the spelling of literals: parsing the output gives the
//! same tree, except for spans.

mod declaration;
mod instruction;

use crate::ast::{
    Block, File, Function, FunctionDirective, FunctionKind, InlinedAt, Item, Linkage, Loc, Module, Section,
    SectionLine, SectionValue, Statement,
};

pub use instruction::{print_instruction, print_operand};

/// Returns a module as PTX text.
pub fn print(module: &Module) -> String {
    let mut printer = Printer { out: String::new() };
    printer.module(module);
    printer.out
}

struct Printer {
    out: String,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        use std::fmt::Write;
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{number}");
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n('\t', depth));
    }

    /// Prints items separated by commas: `a, b, c`.
    fn separated<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            each(self, item);
        }
    }

    fn module(&mut self, module: &Module) {
        if module.version != (0, 0) {
            self.push(".version ");
            self.number(module.version.0);
            self.push(".");
            self.number(module.version.1);
            self.push("\n");
        }
        if !module.target.is_empty() {
            self.push(".target ");
            self.separated(&module.target, |p, target| p.push(target));
            self.push("\n");
        }
        self.push(".address_size ");
        self.number(module.address_size);
        self.push("\n\n");
        for item in &module.items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Variable(variable) => {
                self.variable(variable);
                self.push(";\n");
            }
            Item::Function(function) => self.function(function),
            Item::File(file) => self.file(file),
            Item::Section(section) => self.section(section),
            Item::Pragma(pragmas) => {
                self.pragma(pragmas);
                self.push("\n");
            }
            Item::Alias(alias, aliasee) => {
                self.push(".alias ");
                self.push(&alias.text);
                self.push(", ");
                self.push(&aliasee.text);
                self.push(";\n");
            }
            Item::Other { text, .. } => {
                self.push(text);
                // A label of a debug section has no `;`.
                self.push(if text.ends_with(':') { "\n" } else { ";\n" });
            }
        }
    }

    fn pragma(&mut self, pragmas: &[String]) {
        self.push(".pragma ");
        self.separated(pragmas, |p, pragma| p.string(pragma));
        self.push(";");
    }

    fn string(&mut self, text: &str) {
        self.push("\"");
        self.push(text);
        self.push("\"");
    }

    fn file(&mut self, file: &File) {
        self.push(".file ");
        self.number(file.index);
        self.push(" ");
        self.string(&file.path);
        if let Some((timestamp, size)) = file.timestamp_and_size {
            self.push(", ");
            self.number(timestamp);
            self.push(", ");
            self.number(size);
        }
        self.push("\n");
    }

    fn section(&mut self, section: &Section) {
        self.push(".section ");
        self.push(&section.name);
        self.push(" {\n");
        for line in &section.lines {
            match line {
                SectionLine::Label(label) => {
                    self.push(label);
                    self.push(":\n");
                }
                SectionLine::Data { width, values } => {
                    self.push(".b");
                    self.number(u32::from(*width) * 8);
                    self.push(" ");
                    let mut first = true;
                    for value in values {
                        if !std::mem::take(&mut first) {
                            self.push(",");
                        }
                        match value {
                            SectionValue::Int(value) => self.number(value),
                            SectionValue::Symbol(text) => self.push(text),
                        }
                    }
                    self.push("\n");
                }
            }
        }
        self.push("}\n");
    }

    fn linkage(&mut self, linkage: Linkage) {
        self.push(match linkage {
            Linkage::None => "",
            Linkage::Extern => ".extern ",
            Linkage::Visible => ".visible ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        });
    }

    fn function(&mut self, function: &Function) {
        self.linkage(function.linkage);
        self.push(match function.kind {
            FunctionKind::Entry => ".entry ",
            FunctionKind::Func => ".func ",
        });
        // ptxas requires `.attribute` before the name and all other directives after it.
        let is_attribute = |d: &&FunctionDirective| matches!(d, FunctionDirective::Other(text) if text.starts_with(".attribute"));
        for directive in function.directives.iter().filter(is_attribute) {
            self.directive(directive);
            self.push(" ");
        }
        if !function.returns.is_empty() {
            self.push("(");
            self.separated(&function.returns, Self::variable);
            self.push(") ");
        }
        self.push(&function.name.text);
        if !function.params.is_empty() || function.kind == FunctionKind::Entry {
            self.push("(");
            for (i, param) in function.params.iter().enumerate() {
                self.push(if i > 0 { ",\n\t" } else { "\n\t" });
                self.variable(param);
            }
            self.push(if function.params.is_empty() { ")" } else { "\n)" });
        }
        self.push("\n");
        for directive in function.directives.iter().filter(|d| !is_attribute(d)) {
            self.directive(directive);
            self.push("\n");
        }
        match &function.body {
            Some(body) => {
                self.block(body, 0);
                self.push("\n");
            }
            None => self.push(";\n"),
        }
    }

    fn directive(&mut self, directive: &FunctionDirective) {
        let (word, numbers): (&str, &[u32]) = match directive {
            FunctionDirective::MaxNReg(n) => (".maxnreg", &[*n]),
            FunctionDirective::MaxNTid(dimensions) => (".maxntid", dimensions),
            FunctionDirective::ReqNTid(dimensions) => (".reqntid", dimensions),
            FunctionDirective::MinNCtaPerSm(n) => (".minnctapersm", &[*n]),
            FunctionDirective::MaxNCtaPerSm(n) => (".maxnctapersm", &[*n]),
            FunctionDirective::NoReturn => (".noreturn", &[]),
            FunctionDirective::ExplicitCluster => (".explicitcluster", &[]),
            FunctionDirective::ReqNCtaPerCluster(dimensions) => (".reqnctapercluster", dimensions),
            FunctionDirective::MaxClusterRank(n) => (".maxclusterrank", &[*n]),
            FunctionDirective::BlocksAreClusters => (".blocksareclusters", &[]),
            FunctionDirective::Pragma(pragmas) => return self.pragma(pragmas),
            FunctionDirective::Other(text) => return self.push(text),
        };
        self.push(word);
        if !numbers.is_empty() {
            self.push(" ");
        }
        self.separated(numbers, |p, n| p.number(n));
    }

    /// Prints `{ … }` without a final line break; `depth` is the braces' indentation.
    fn block(&mut self, block: &Block, depth: usize) {
        self.push("{\n");
        for statement in &block.statements {
            self.statement(statement, depth + 1);
            self.push("\n");
        }
        self.indent(depth);
        self.push("}");
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        if !matches!(statement, Statement::Label(_)) {
            self.indent(depth);
        }
        match statement {
            Statement::Variable(variable) => {
                self.variable(variable);
                self.push(";");
            }
            Statement::Label(label) => {
                self.push(&label.text);
                self.push(":");
            }
            Statement::Loc(loc) => self.loc(loc),
            Statement::Instruction(instruction) => {
                self.instruction(instruction);
                self.push(";");
            }
            Statement::Block(block) => self.block(block, depth),
            Statement::Pragma(pragmas) => self.pragma(pragmas),
            Statement::BranchTargets { label, targets } => {
                self.push(&label.text);
                self.push(": .branchtargets ");
                self.separated(targets, |p, target| p.push(&target.text));
                self.push(";");
            }
            Statement::CallTargets { label, targets } => {
                self.push(&label.text);
                self.push(": .calltargets ");
                self.separated(targets, |p, target| p.push(&target.text));
                self.push(";");
            }
            Statement::CallPrototype { label, returns, params, noreturn } => {
                self.push(&label.text);
                self.push(": .callprototype ");
                if !returns.is_empty() {
                    self.push("(");
                    self.separated(returns, Self::variable);
                    self.push(") ");
                }
                self.push("_ (");
                self.separated(params, Self::variable);
                self.push(if *noreturn { ") .noreturn;" } else { ");" });
            }
            Statement::Other { text, .. } => {
                self.push(text);
                self.push(";");
            }
        }
    }

    fn loc(&mut self, loc: &Loc) {
        self.push(".loc ");
        self.number(loc.file);
        self.push(" ");
        self.number(loc.line);
        self.push(" ");
        self.number(loc.column);
        if let Some(InlinedAt { function_name: (label, offset), file, line, column }) = &loc.inlined {
            self.push(", function_name ");
            self.push(label);
            if *offset != 0 {
                self.push("+");
                self.number(offset);
            }
            self.push(", inlined_at ");
            self.number(file);
            self.push(" ");
            self.number(line);
            self.push(" ");
            self.number(column);
        }
    }
}
