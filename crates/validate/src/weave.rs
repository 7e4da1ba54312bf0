//! Which statements of an instrumented body are the program's, and which are added.
//!
//! The decision needs no search: added statements name the tool, or are in a block that begins with such a name.
//! Everything else has to be the original's next statement.

use crate::context::Extended;
use crate::place::At;
use crate::{Reason, tool};
use ptx::ast::{Block, Instruction, Operand, Space, Statement, Variable};
use ptx::print_instruction;
use std::ops::Range;

/// An instruction of the original: the copy of the body (0 or 1) and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Original {
    pub(crate) copy: u8,
    pub(crate) index: u32,
}

/// A function's instructions, in the order in which [`ptx::flatten`] lists them.
#[derive(Debug, Default)]
pub(crate) struct Woven {
    /// For each instruction its original; `None` for added ones.
    pub(crate) origins: Vec<Option<Original>>,
    /// Added code without the program's labels inside: outermost added blocks, and added instructions outside of
    /// blocks. A block may contain one instruction of the program.
    pub(crate) units: Vec<Range<usize>>,
    /// The range of each copy of the body.
    pub(crate) copies: Vec<Range<usize>>,
}

impl Woven {
    /// Returns the number of added instructions.
    pub(crate) fn added(&self) -> usize {
        self.origins.iter().filter(|origin| origin.is_none()).count()
    }
}

/// Separates an instrumented body. The `extended` functions have the additional parameter.
pub(crate) fn weave(own: &Block, made: &Block, extended: &Extended<'_>) -> Result<Woven, At> {
    let mut weaver = Weaver { woven: Woven::default(), copy: 0, index: 0, extended };
    let is_second =
        |statement: &Statement| matches!(statement, Statement::Label(name) if name.text == tool::PLAIN);
    let Some(at) = made.statements.iter().position(is_second) else {
        weaver.statements(&made.statements, own.statements.iter())?;
        let end = weaver.at();
        weaver.woven.copies.push(0..end);
        return Ok(weaver.woven);
    };
    let label = made.span.start;
    let (first, [_, second @ ..]) = made.statements.split_at(at) else { unreachable!("the label is there") };
    let (Some((Statement::Instruction(ret), first)), [Statement::Block(second)]) =
        (first.split_last(), second)
    else {
        return Err((label, Reason::Undeclared(tool::PLAIN.into())));
    };
    if ret.opcode.text != "ret" || ret.guard.is_some() || !ret.operands.is_empty() {
        return Err((ret.span.start, Reason::Undeclared(print_instruction(ret))));
    }
    weaver.statements(first, own.statements.iter())?;
    let end = weaver.at();
    weaver.woven.copies.push(0..end);
    weaver.woven.origins.push(None);
    (weaver.copy, weaver.index) = (1, 0);
    let begin = weaver.at();
    // The first copy declares variables in memory for both.
    let in_memory =
        |s: &&Statement| matches!(s, Statement::Variable(Variable { space, .. }) if *space != Space::Reg);
    weaver.statements(&second.statements, own.statements.iter().filter(|s| !in_memory(s)))?;
    let end = weaver.at();
    weaver.woven.copies.push(begin..end);
    Ok(weaver.woven)
}

struct Weaver<'e> {
    woven: Woven,
    copy: u8,
    /// The index of the next original instruction.
    index: u32,
    extended: &'e Extended<'e>,
}

/// Whether a block with added code has its instruction of the program already.
#[derive(Default)]
struct Inside {
    taken: bool,
}

impl Weaver<'_> {
    fn at(&self) -> usize {
        self.woven.origins.len()
    }

    fn original(&mut self) {
        self.woven.origins.push(Some(Original { copy: self.copy, index: self.index }));
        self.index += 1;
    }

    /// Compares the statements of a block of the program.
    fn statements<'s>(
        &mut self,
        made: &[Statement],
        mut own: impl Iterator<Item = &'s Statement>,
    ) -> Result<(), At> {
        let mut last = 0;
        for statement in made {
            last = place(statement).unwrap_or(last);
            match statement {
                Statement::Block(block) if tool::is_added(block) => {
                    let from = self.at();
                    self.added(block, &mut own, &mut Inside::default())?;
                    self.woven.units.push(from..self.at());
                }
                Statement::Block(block) => match own.next() {
                    Some(Statement::Block(own)) => {
                        self.statements(&block.statements, own.statements.iter())?
                    }
                    other => return Err((block.span.start, changed(other, "{"))),
                },
                statement if tool::named(statement).is_some() => self.bare(statement, &mut own)?,
                statement => {
                    let expected = own.next();
                    if !expected.is_some_and(|own| self.is_same(own, statement)) {
                        return Err((last, changed(expected, &spelled(statement))));
                    }
                    if let Statement::Instruction(instruction) = statement {
                        if self.expects_told(instruction) {
                            return Err((last, Reason::Call(print_instruction(instruction))));
                        }
                        self.original();
                    }
                }
            }
        }
        match own.next() {
            Some(left) => Err((last, changed(Some(left), "the end of the block"))),
            None => Ok(()),
        }
    }

    /// Returns whether an instruction calls a function with the additional parameter, or may.
    fn expects_told(&self, instruction: &Instruction) -> bool {
        let mut names = instruction.operands.iter().filter_map(|operand| match operand {
            Operand::Name(name) => Some(name.text.as_str()),
            _ => None,
        });
        let callee = names.next().filter(|_| instruction.opcode.text == "call" && self.extended.any);
        callee.is_some_and(|name| name.starts_with('%') || self.extended.names.contains(name))
    }

    /// Reads a statement outside of added blocks that names the tool.
    fn bare<'s>(
        &mut self,
        statement: &Statement,
        own: &mut impl Iterator<Item = &'s Statement>,
    ) -> Result<(), At> {
        match statement {
            Statement::Variable(variable) => {
                let lasting = match variable.space {
                    Space::Reg => tool::is_lasting(&variable.name.text),
                    Space::Local => true,
                    Space::Param => variable.name.text.starts_with(tool::TOLD),
                    _ => false,
                };
                match lasting && variable.init.is_none() {
                    true => Ok(()),
                    false => Err((variable.span.start, Reason::Undeclared(variable.name.text.to_string()))),
                }
            }
            Statement::Instruction(instruction) => {
                if let Some(called) = without_told(instruction).filter(|_| self.expects_told(instruction)) {
                    let expected = own.next();
                    let is_one = called.into_iter().any(|form| {
                        expected.is_some_and(|own| self.is_same(own, &Statement::Instruction(form)))
                    });
                    if !is_one {
                        return Err((
                            instruction.span.start,
                            changed(expected, &print_instruction(instruction)),
                        ));
                    }
                    self.original();
                    return Ok(());
                }
                self.woven.units.push(self.at()..self.at() + 1);
                self.woven.origins.push(None);
                Ok(())
            }
            other => Err((place(other).unwrap_or(0), Reason::Undeclared(spelled(other)))),
        }
    }

    /// Reads an added block.
    fn added<'s>(
        &mut self,
        block: &Block,
        own: &mut impl Iterator<Item = &'s Statement>,
        inside: &mut Inside,
    ) -> Result<(), At> {
        for statement in &block.statements {
            match statement {
                Statement::Variable(variable) => {
                    let scratch = matches!(variable.space, Space::Reg | Space::Param)
                        && variable.init.is_none()
                        && tool::is_own(&variable.name.text)
                        && !tool::is_lasting(&variable.name.text);
                    if !scratch {
                        return Err((
                            variable.span.start,
                            Reason::Undeclared(variable.name.text.to_string()),
                        ));
                    }
                }
                Statement::Label(label) if tool::is_own(&label.text) => {}
                Statement::Block(block) => self.added(block, own, inside)?,
                Statement::Instruction(instruction) if is_programs(instruction) => {
                    let expected = own.next();
                    let same = expected.is_some_and(|own| self.is_same(own, statement));
                    if !same || std::mem::replace(&mut inside.taken, true) {
                        return Err((
                            instruction.span.start,
                            changed(expected, &print_instruction(instruction)),
                        ));
                    }
                    self.original();
                }
                Statement::Instruction(_) => self.woven.origins.push(None),
                other => {
                    return Err((
                        place(other).unwrap_or(block.span.start),
                        Reason::Undeclared(spelled(other)),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns whether an instrumented statement is the original's, or a prototype with the additional parameter.
    fn is_same(&self, own: &Statement, made: &Statement) -> bool {
        let bare = |statement: &Statement| {
            let mut statement = statement.clone();
            statement.erase_spans();
            statement
        };
        let (own, mut made) = (bare(own), bare(made));
        if self.extended.any
            && let Statement::CallPrototype { params, .. } = &mut made
        {
            let told = params.pop();
            let is_told = |told: Variable| told.name.text == "_" && told.ty == ptx::ast::ScalarType::B64;
            return told.is_some_and(is_told) && own == made;
        }
        own == made
    }
}

/// Returns whether an instruction in an added block has to be the program's: a load or a store without a name of
/// the tool.
fn is_programs(instruction: &Instruction) -> bool {
    matches!(instruction.opcode.text.as_str(), "ld" | "ldu" | "st")
        && tool::in_instruction(instruction).is_none()
}

/// Returns what a call was before it got the additional argument: without the argument, and without an empty list.
fn without_told(instruction: &Instruction) -> Option<[Instruction; 2]> {
    if instruction.opcode.text != "call" {
        return None;
    }
    let mut with = instruction.clone();
    let lists = with.operands.iter().enumerate().filter(|(_, operand)| matches!(operand, Operand::List(..)));
    let at = lists.map(|(at, _)| at).next_back()?;
    let Operand::List(items, _) = &mut with.operands[at] else { return None };
    match items.pop() {
        Some(Operand::Name(name)) if name.text.starts_with(tool::TOLD) => {}
        _ => return None,
    }
    let mut without = with.clone();
    if matches!(&with.operands[at], Operand::List(items, _) if items.is_empty()) {
        without.operands.remove(at);
    }
    tool::in_instruction(&with).is_none().then_some([with, without])
}

/// Returns where a statement begins, if it says.
fn place(statement: &Statement) -> Option<u32> {
    match statement {
        Statement::Variable(variable) => Some(variable.span.start),
        Statement::Label(label)
        | Statement::BranchTargets { label, .. }
        | Statement::CallTargets { label, .. }
        | Statement::CallPrototype { label, .. } => Some(label.span.start),
        Statement::Instruction(instruction) => Some(instruction.span.start),
        Statement::Block(block) => Some(block.span.start),
        Statement::Other { span, .. } => Some(span.start),
        Statement::Loc(_) | Statement::Pragma(_) => None,
    }
}

fn spelled(statement: &Statement) -> String {
    match statement {
        Statement::Variable(variable) => variable.name.text.to_string(),
        Statement::Label(label) => format!("{}:", label.text),
        Statement::Loc(loc) => format!(".loc {} {} {}", loc.file, loc.line, loc.column),
        Statement::Instruction(instruction) => {
            let guard = instruction.guard.as_ref();
            let guard = guard.map(|g| format!("@{}{} ", if g.negated { "!" } else { "" }, g.register.text));
            guard.unwrap_or_default() + &print_instruction(instruction)
        }
        Statement::Block(_) => "{".to_owned(),
        Statement::Pragma(_) => ".pragma".to_owned(),
        Statement::BranchTargets { label, .. } => format!("{}: .branchtargets", label.text),
        Statement::CallTargets { label, .. } => format!("{}: .calltargets", label.text),
        Statement::CallPrototype { label, .. } => format!("{}: .callprototype", label.text),
        Statement::Other { text, .. } => text.clone(),
    }
}

fn changed(expected: Option<&Statement>, found: &str) -> Reason {
    Reason::Changed {
        expected: expected.map_or("the end of the block".to_owned(), spelled),
        found: found.to_owned(),
    }
}
