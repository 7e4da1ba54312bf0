//! Flattens a syntax tree into a list of instructions.

use super::*;
use crate::ast::{AddressBase, Block, Instruction, Name, Operand, Statement};
use crate::decode::decode;
use std::collections::HashMap;

/// The largest number of targets of all `brx.idx` of a function together.
const MAX_INDIRECT_EDGES: usize = 1 << 20;

/// Flattens a function. A declaration yields an empty list.
pub fn flatten(function: &Function) -> Flat<'_> {
    let mut flattener = Flattener {
        flat: Flat {
            function,
            instructions: Vec::new(),
            registers: Vec::new(),
            variables: Vec::new(),
            labels: Vec::new(),
            branch_targets: Vec::new(),
            call_targets: Vec::new(),
            prototypes: Vec::new(),
            params: Vec::new(),
            returns: Vec::new(),
            locs: Vec::new(),
            errors: Vec::new(),
        },
        scopes: vec![Scope::default()],
        loc: None,
        table_lengths: Vec::new(),
        edges: 0,
    };
    flattener.function(function);
    flattener.flat
}

/// Replaces a vector of one element with that element.
fn unwrap_single(arg: &mut Arg) {
    if let Arg::Vector(items) = arg
        && items.len() == 1
        && let Some(item) = items.pop()
    {
        *arg = item;
    }
}

/// The entity that a name denotes in a scope.
#[derive(Clone, Copy)]
enum Entity {
    Reg(RegId),
    Variable(VarId),
    Label(LabelId),
    BranchTargets(u32),
    CallTargets(u32),
    Prototype(u32),
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Entity>,
    /// Declarations of the form `%r<10>`, by prefix.
    ranges: HashMap<&'a str, &'a Variable>,
}

impl<'a> Scope<'a> {
    /// Returns the declaration `%r<10>` that declares a name. The prefix may itself end in digits.
    fn range(&self, name: &str) -> Option<&'a Variable> {
        if self.ranges.is_empty() {
            return None;
        }
        // A count has 32 bits, hence at most ten digits.
        let digits = name.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
        (1..=digits).find_map(|length| {
            let (prefix, number) = name.split_at(name.len() - length);
            if number.starts_with('0') && length > 1 {
                return None;
            }
            let number: u32 = number.parse().ok()?;
            let decl = *self.ranges.get(prefix)?;
            decl.count.is_some_and(|count| number < count).then_some(decl)
        })
    }
}

struct Flattener<'a> {
    flat: Flat<'a>,
    /// The open scopes, outermost first.
    scopes: Vec<Scope<'a>>,
    loc: Option<LocId>,
    /// The number of targets of each `.branchtargets` list.
    table_lengths: Vec<usize>,
    /// The number of edges of all `brx.idx` so far.
    edges: usize,
}

impl<'a> Flattener<'a> {
    fn function(&mut self, function: &'a Function) {
        for (i, variable) in function.params.iter().enumerate() {
            let binding = self.bind(variable, VarRole::Param(i as u32));
            self.flat.params.push(binding);
        }
        for (i, variable) in function.returns.iter().enumerate() {
            let binding = self.bind(variable, VarRole::Return(i as u32));
            self.flat.returns.push(binding);
        }
        if let Some(body) = &function.body {
            self.block(body);
        }
    }

    fn bind(&mut self, variable: &'a Variable, role: VarRole) -> Binding {
        if variable.space == Space::Reg {
            Binding::Reg(self.register(variable, &variable.name.text))
        } else {
            Binding::Memory(self.variable(variable, role))
        }
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        // The function's own scope is never popped.
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn register(&mut self, decl: &'a Variable, name: &'a str) -> RegId {
        let id = RegId(self.flat.registers.len() as u32);
        self.flat.registers.push(FlatRegister { name: name.to_string(), ty: decl.ty, vector: decl.vector });
        self.scope().names.insert(name, Entity::Reg(id));
        id
    }

    fn variable(&mut self, decl: &'a Variable, role: VarRole) -> VarId {
        let id = VarId(self.flat.variables.len() as u32);
        self.flat.variables.push(FlatVariable { decl, role });
        self.scope().names.insert(&decl.name.text, Entity::Variable(id));
        id
    }

    fn error(&mut self, span: Span, message: String) {
        self.flat.errors.push(FlatError { span, message });
    }

    fn block(&mut self, block: &'a Block) {
        self.scopes.push(Scope::default());
        self.declare_labels(block);
        for statement in &block.statements {
            self.statement(statement);
        }
        self.scopes.pop();
    }

    /// Declares the labels of a scope, which are visible in all of it, also before their position.
    fn declare_labels(&mut self, block: &'a Block) {
        for statement in &block.statements {
            let (label, entity) = match statement {
                Statement::Label(label) => {
                    let id = LabelId(self.flat.labels.len() as u32);
                    self.flat.labels.push(FlatLabel { name: &label.text, target: 0 });
                    (label, Entity::Label(id))
                }
                Statement::BranchTargets { label, targets } => {
                    self.table_lengths.push(targets.len());
                    self.flat.branch_targets.push(Vec::new());
                    (label, Entity::BranchTargets(self.flat.branch_targets.len() as u32 - 1))
                }
                Statement::CallTargets { label, targets } => {
                    self.flat.call_targets.push(targets.iter().map(|name| name.text.as_str()).collect());
                    (label, Entity::CallTargets(self.flat.call_targets.len() as u32 - 1))
                }
                Statement::CallPrototype { label, returns, params, noreturn } => {
                    self.flat.prototypes.push(Prototype { returns, params, noreturn: *noreturn });
                    (label, Entity::Prototype(self.flat.prototypes.len() as u32 - 1))
                }
                _ => continue,
            };
            if self.scope().names.insert(&label.text, entity).is_some() {
                self.error(label.span, format!("label `{}` is declared twice", label.text));
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Variable(decl) => self.declare(decl),
            Statement::Label(label) => {
                let target = self.flat.instructions.len() as u32;
                if let Some(Entity::Label(id)) = self.scope().names.get(label.text.as_str()).copied() {
                    self.flat.labels[id.0 as usize].target = target;
                }
            }
            Statement::Loc(loc) => {
                self.loc = Some(LocId(self.flat.locs.len() as u32));
                self.flat.locs.push(loc);
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Block(block) => self.block(block),
            Statement::BranchTargets { label, targets } => {
                let targets = targets.iter().filter_map(|name| self.label(name)).collect();
                if let Some(Entity::BranchTargets(n)) = self.scope().names.get(label.text.as_str()).copied() {
                    self.flat.branch_targets[n as usize] = targets;
                }
            }
            Statement::CallTargets { .. }
            | Statement::CallPrototype { .. }
            | Statement::Pragma(_)
            | Statement::Other { .. } => {}
        }
    }

    fn declare(&mut self, decl: &'a Variable) {
        match decl.space {
            Space::Reg if decl.count.is_some() => {
                self.scope().ranges.insert(&decl.name.text, decl);
            }
            Space::Reg => {
                self.register(decl, &decl.name.text);
            }
            Space::Param => {
                self.variable(decl, VarRole::CallParam);
            }
            Space::Local => {
                self.variable(decl, VarRole::Local);
            }
            Space::Shared => {
                self.variable(decl, VarRole::Shared);
            }
            Space::Global | Space::Const | Space::Tex | Space::Sreg => {
                self.variable(decl, VarRole::Static);
            }
        }
    }

    fn label(&mut self, name: &'a Name) -> Option<LabelId> {
        match self.lookup(&name.text) {
            Some(Entity::Label(id)) => Some(id),
            _ => {
                self.error(name.span, format!("`{}` is no label in this scope", name.text));
                None
            }
        }
    }

    /// Looks a name up, innermost scope first. A register of a range gets its id when it is first named.
    fn lookup(&mut self, name: &'a str) -> Option<Entity> {
        for depth in (0..self.scopes.len()).rev() {
            if let Some(entity) = self.scopes[depth].names.get(name) {
                return Some(*entity);
            }
            if let Some(decl) = self.scopes[depth].range(name) {
                let id = RegId(self.flat.registers.len() as u32);
                let register = FlatRegister { name: name.to_string(), ty: decl.ty, vector: decl.vector };
                self.flat.registers.push(register);
                self.scopes[depth].names.insert(name, Entity::Reg(id));
                return Some(Entity::Reg(id));
            }
        }
        None
    }

    fn instruction(&mut self, source: &'a Instruction) {
        let guard = source.guard.as_ref().and_then(|guard| match self.lookup(&guard.register.text) {
            Some(Entity::Reg(register)) => Some(FlatGuard { negated: guard.negated, register }),
            _ => {
                let message = format!("the guard `{}` is no register in this scope", guard.register.text);
                self.error(guard.register.span, message);
                None
            }
        });
        let mut args = self.operands(&source.operands);
        let op = decode(source);
        if matches!(op, Ok(Op::Video(_) | Op::VideoMad(_) | Op::VideoSimd(_))) {
            for (arg, operand) in args.iter_mut().zip(&source.operands) {
                if let Operand::Selected(name, _) | Operand::Negated(name, _) = operand {
                    *arg = self.named(name, 0);
                }
            }
        }
        if let Ok(Op::Ld(mem) | Op::St(mem) | Op::Ldu(mem)) = &op
            && mem.vector == 1
        {
            // Triton writes `ld.global.b32 {%r1}, [%rd1]`.
            args.iter_mut().for_each(unwrap_single);
        }
        if matches!(op, Ok(Op::BrxIdx)) {
            self.limit_branches(source, &mut args);
        }
        self.flat.instructions.push(FlatInstruction { source, op, guard, args, loc: self.loc });
    }

    /// Bounds the edges of `brx.idx`: many of them over one long table may have more edges than the text has
    /// bytes.
    fn limit_branches(&mut self, source: &Instruction, args: &mut [Arg<'a>]) {
        for arg in args {
            if let Arg::BranchTargets(n) = arg {
                self.edges += self.table_lengths.get(*n as usize).copied().unwrap_or(0);
                if self.edges > MAX_INDIRECT_EDGES {
                    *arg = Arg::Unresolved;
                    self.error(source.span, format!("more than {MAX_INDIRECT_EDGES} indirect branches"));
                }
            }
        }
    }

    fn operands(&mut self, operands: &'a [Operand]) -> Vec<Arg<'a>> {
        operands.iter().map(|operand| self.operand(operand)).collect()
    }

    fn operand(&mut self, operand: &'a Operand) -> Arg<'a> {
        match operand {
            Operand::Name(name) => self.named(name, 0),
            Operand::NameOffset(name, offset) => self.named(name, *offset),
            Operand::NotName(name) => match self.lookup(&name.text) {
                Some(Entity::Reg(id)) => Arg::NotReg(id),
                _ => self.unresolved(name, "register"),
            },
            Operand::Element(name, element) => match self.lookup(&name.text) {
                Some(Entity::Reg(id)) => Arg::Element(id, *element),
                _ => self.unresolved(name, "register"),
            },
            // An `Op` that takes selectors contains the selection.
            Operand::Selected(..) | Operand::Negated(..) => Arg::Unresolved,
            Operand::Sink => Arg::Sink,
            Operand::Int(value, _) => Arg::Int(*value),
            Operand::F32(bits, _) => Arg::F32(*bits),
            Operand::F64(bits, _) => Arg::F64(*bits),
            Operand::Address { base, offset, rest, .. } => {
                let base = match base {
                    AddressBase::Absolute => Base::Absolute,
                    AddressBase::Name(name) => match self.named(name, 0) {
                        Arg::Reg(id) => Base::Reg(id),
                        Arg::Variable(id, _) => Base::Variable(id),
                        Arg::Symbol(name, _) => Base::Symbol(name),
                        Arg::Unresolved => Base::Unresolved,
                        _ => {
                            self.unresolved(name, "register or variable");
                            Base::Unresolved
                        }
                    },
                };
                Arg::Address { base, offset: *offset, rest: self.operands(rest) }
            }
            Operand::Vector(items, _) => Arg::Vector(self.operands(items)),
            Operand::List(items, _) => Arg::List(self.operands(items)),
            Operand::Pair(a, b) => Arg::Pair(Box::new(self.operand(a)), Box::new(self.operand(b))),
        }
    }

    fn unresolved(&mut self, name: &Name, what: &str) -> Arg<'a> {
        self.error(name.span, format!("`{}` is no {what} in this scope", name.text));
        Arg::Unresolved
    }

    fn named(&mut self, name: &'a Name, offset: i64) -> Arg<'a> {
        let arg = match self.lookup(&name.text) {
            Some(Entity::Reg(id)) => Arg::Reg(id),
            Some(Entity::Variable(id)) => return Arg::Variable(id, offset),
            Some(Entity::Label(id)) => Arg::Label(id),
            Some(Entity::BranchTargets(n)) => Arg::BranchTargets(n),
            Some(Entity::CallTargets(n)) => Arg::CallTargets(n),
            Some(Entity::Prototype(n)) => Arg::Prototype(n),
            None => match SpecialReg::from_name(&name.text) {
                Some(special) => Arg::Special(special),
                None if name.text.starts_with('%') => return self.unresolved(name, "register"),
                None => return Arg::Symbol(&name.text, offset),
            },
        };
        if offset != 0 {
            return self.unresolved(name, "variable to take an offset from");
        }
        arg
    }
}
