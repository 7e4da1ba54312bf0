//! Comparison of trees without their spans.

use crate::ast::{
    AddressBase, Block, Function, Init, Instruction, Item, Module, Name, Operand, Span, Statement, Variable,
};

const NOWHERE: Span = Span { start: 0, end: 0 };

impl Module {
    /// Sets every span to 0, so that `==` compares only the meaning of modules.
    pub fn erase_spans(&mut self) {
        for item in &mut self.items {
            match item {
                Item::Variable(v) => variable(v),
                Item::Function(f) => function(f),
                Item::Alias(a, b) => {
                    name(a);
                    name(b);
                }
                Item::Other { span, .. } => *span = NOWHERE,
                Item::File(_) | Item::Section(_) | Item::Pragma(_) => {}
            }
        }
    }
}

impl Statement {
    /// Sets every span to 0, so that `==` compares only the meaning of statements.
    pub fn erase_spans(&mut self) {
        statement(self);
    }
}

impl Variable {
    /// Sets every span to 0, so that `==` compares only the meaning of declarations.
    pub fn erase_spans(&mut self) {
        variable(self);
    }
}

fn name(name: &mut Name) {
    name.span = NOWHERE;
}

fn variable(variable: &mut Variable) {
    variable.span = NOWHERE;
    name(&mut variable.name);
    if let Some(value) = &mut variable.init {
        init(value);
    }
}

fn init(value: &mut Init) {
    match value {
        Init::List(items) => items.iter_mut().for_each(init),
        Init::Symbol { name: n, .. } | Init::MaskedSymbol { name: n, .. } => name(n),
        Init::Int(_) | Init::F32(_) | Init::F64(_) | Init::Other(_) => {}
    }
}

fn function(function: &mut Function) {
    function.span = NOWHERE;
    name(&mut function.name);
    function.returns.iter_mut().for_each(variable);
    function.params.iter_mut().for_each(variable);
    if let Some(body) = &mut function.body {
        block(body);
    }
}

fn block(block: &mut Block) {
    block.span = NOWHERE;
    block.statements.iter_mut().for_each(statement);
}

fn statement(statement: &mut Statement) {
    match statement {
        Statement::Variable(v) => variable(v),
        Statement::Label(label) => name(label),
        Statement::Instruction(i) => instruction(i),
        Statement::Block(b) => block(b),
        Statement::BranchTargets { label, targets } | Statement::CallTargets { label, targets } => {
            name(label);
            targets.iter_mut().for_each(name);
        }
        Statement::CallPrototype { label, returns, params, .. } => {
            name(label);
            returns.iter_mut().for_each(variable);
            params.iter_mut().for_each(variable);
        }
        Statement::Other { span, .. } => *span = NOWHERE,
        Statement::Loc(_) | Statement::Pragma(_) => {}
    }
}

fn instruction(instruction: &mut Instruction) {
    instruction.span = NOWHERE;
    name(&mut instruction.opcode);
    instruction.modifiers.iter_mut().for_each(name);
    if let Some(guard) = &mut instruction.guard {
        name(&mut guard.register);
    }
    instruction.operands.iter_mut().for_each(operand);
}

fn operand(value: &mut Operand) {
    match value {
        Operand::Name(n)
        | Operand::NotName(n)
        | Operand::NameOffset(n, _)
        | Operand::Element(n, _)
        | Operand::Selected(n, _)
        | Operand::Negated(n, _) => name(n),
        Operand::Sink => {}
        Operand::Int(_, span) | Operand::F32(_, span) | Operand::F64(_, span) => *span = NOWHERE,
        Operand::Address { base, rest, span, .. } => {
            *span = NOWHERE;
            if let AddressBase::Name(n) = base {
                name(n);
            }
            rest.iter_mut().for_each(operand);
        }
        Operand::Vector(items, span) | Operand::List(items, span) => {
            *span = NOWHERE;
            items.iter_mut().for_each(operand);
        }
        Operand::Pair(a, b) => {
            operand(a);
            operand(b);
        }
    }
}
