//! Functions that kernels call.
//!
//! A thread's state (its barrier counts, its last acquire) is in registers of the kernel. A function of the
//! module receives it through an additional parameter, the address of a buffer in the thread's local memory:
//! the caller stores the registers that may change there before the call and loads them afterwards; the
//! function does likewise. All callers of a function pass the parameter only if no other module can call it:
//! if no function of the module is visible elsewhere, none is external, and all of its kernels are
//! instrumented.
//!
//! Otherwise functions are not instrumented and may do anything: a call counts as a release of all earlier
//! operations, and afterwards everything counts as acquired. Since a function may pass any number of
//! barriers, barriers count as releases in such kernels, too.

use super::emit;
use super::properties::Properties;
use super::{Options, register};
use crate::PREFIX;
use crate::edit::Edits;
use kernels::effects::{Control, Order, Place, effects};
use ptx::ast::{Block, Function, FunctionKind, Item, Linkage, Module, Operand, Space, Statement};
use ptx::flat::{Arg, Flat, FlatInstruction, flatten};
use ptx::op::{MemSpace, Op, Sem};
use std::collections::HashSet;
use std::fmt::Write;

/// The device runtime's functions, which do not synchronise the program's memory, except for [`is_heap`].
const SYSTEM: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"];

/// The names of the register with the buffer's address, of the parameter that passes it, and of the buffer
/// itself.
const AT: &str = "at";

fn parameter() -> String {
    format!("{PREFIX}told")
}

fn place() -> String {
    format!("{PREFIX}known")
}

/// Returns whether a call is of `malloc` or `free`, by which memory may pass from one thread to another.
pub(super) fn is_heap(inst: &FlatInstruction<'_>) -> bool {
    inst.args.iter().any(|arg| matches!(arg, Arg::Symbol("malloc" | "free", _)))
}

/// The functions of a module.
pub(super) struct Calls<'m> {
    /// Whether functions with a body receive the thread's state.
    told: bool,
    /// Functions with weak accesses only, if functions do not receive the state.
    quiet: HashSet<&'m str>,
    /// The properties common to all functions that exchange the state.
    pub(super) known: Properties,
}

/// Returns the functions of a module, declared or defined.
fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.kind == FunctionKind::Func => Some(function),
        _ => None,
    })
}

/// Returns whether all functions of these texts can receive the thread's state. If the image is `closed`, all of their
/// callers are in these texts.
pub(super) fn may_be_told(texts: &[(Module, &str)], closed: bool, wanted: &dyn Fn(&str) -> bool) -> bool {
    let modules = || texts.iter().map(|(module, _)| module);
    let defined = |function: &&Function| function.body.is_some();
    let bodies: HashSet<&str> =
        modules().flat_map(functions).filter(defined).map(|f| &*f.name.text).collect();
    let own = |function: &Function| match bodies.contains(&*function.name.text) {
        true => {
            (closed || function.linkage == Linkage::None)
                && function.params.iter().all(|p| p.space == Space::Param)
        }
        false => SYSTEM.contains(&&*function.name.text),
    };
    let suits = |item: &Item| match item {
        Item::Function(f) if f.kind == FunctionKind::Entry => wanted(&f.name.text),
        Item::Function(f) => own(f),
        Item::Alias(..) => false,
        _ => true,
    };
    // Functions with arithmetic only need no state.
    let silent = || modules().flat_map(functions).filter(defined).all(|f| Accesses::of(f).is_silent());
    modules().flat_map(|module| &module.items).all(suits) && !silent()
}

/// What a function does with memory.
struct Accesses {
    /// Whether it has weak accesses only, and calls nothing.
    plain: bool,
    /// Whether it accesses memory that other threads may access.
    any: bool,
}

impl Accesses {
    fn of(function: &Function) -> Accesses {
        let flat = flatten(function);
        let mut any = false;
        let plain = flat.instructions.iter().all(|inst| {
            let Ok(op) = &inst.op else { return false };
            let effects = effects(op, &inst.args);
            any |= effects.touches.iter().any(|touch| {
                !matches!(
                    touch.place,
                    Place::Memory(MemSpace::Local | MemSpace::Const | MemSpace::Param | MemSpace::ParamFunc)
                )
            });
            matches!(effects.order, None | Some(Order::Rendezvous | Order::Aligned))
                && effects.control != Control::Call
                && effects.touches.iter().all(|touch| touch.sem == Sem::Weak)
        });
        Accesses { plain, any }
    }

    fn is_silent(&self) -> bool {
        self.plain && !self.any
    }
}

impl<'m> Calls<'m> {
    /// Returns the functions of a module. All functions of its image that are `told` the state have the `known` properties.
    pub(super) fn of(module: &'m Module, told: bool, known: Option<Properties>) -> Calls<'m> {
        let defined = functions(module).filter(|f| f.body.is_some());
        let quiet = defined.filter(|f| Accesses::of(f).plain).map(|f| &*f.name.text).collect();
        Calls { told, quiet, known: known.unwrap_or_default() }
    }

    /// Returns whether the function receives the thread's state.
    pub(super) fn tells(&self, function: &Function) -> bool {
        self.told && function.kind == FunctionKind::Func && !SYSTEM.contains(&&*function.name.text)
    }

    /// Returns whether the instruction calls a function with unknown effects.
    pub(super) fn unknown(&self, inst: &FlatInstruction<'_>) -> bool {
        let named = |arg: &Arg<'_>| matches!(arg, Arg::Symbol(name, _) if SYSTEM.contains(name) || self.quiet.contains(name));
        is_call(inst) && !self.told && !inst.args.iter().any(named)
    }

    /// Returns whether the instruction calls a function that is not instrumented.
    pub(super) fn unseen(&self, inst: &FlatInstruction<'_>) -> bool {
        is_call(inst) && !self.told && !calls_system(inst)
    }

    /// Adds the parameter to a function or its declaration.
    pub(super) fn parameter(&self, text: &str, function: &Function, edits: &mut Edits<'_>) {
        let (at, what) = super::added(text, function, format!(".param .b64 {}", parameter()));
        edits.insert(at, what);
    }

    /// Returns the text for the beginning of a function that receives the state.
    pub(super) fn beginning(&self, options: &Options) -> String {
        let at = register(AT);
        let mut out = format!("\n{}", emit::declared(options));
        let _ = write!(out, "\t.reg .b64 {at};\n\tld.param.u64 {at}, [{}];\n", parameter());
        out += &moved(options, self.known, true, false);
        out
    }

    /// Returns the text for the beginning of a kernel, after its state is initialised.
    pub(super) fn place(&self, flat: &Flat<'_>, options: &Options) -> Option<String> {
        if !self.told || !flat.instructions.iter().any(|inst| is_call(inst) && !calls_system(inst)) {
            return None;
        }
        let (at, place) = (register(AT), place());
        let bytes = 8 * emit::kept(options, self.known).len();
        Some(format!(
            "\t.reg .b64 {at};\n\t.local .align 8 .b8 {place}[{bytes}];\n\tmov.u64 {at}, {place};\n{}",
            moved(options, self.known, true, true)
        ))
    }

    /// Inserts the text around calls and before returns.
    pub(super) fn around(
        &self,
        (flat, inst): (&Flat<'_>, &FlatInstruction<'_>),
        number: usize,
        options: &Options,
        edits: &mut Edits<'_>,
    ) {
        if !self.told {
            return;
        }
        let span = inst.source.span;
        let function = flat.function.kind == FunctionKind::Func;
        if function && matches!(inst.op, Ok(Op::Ret)) {
            edits.insert(span.start, moved(options, self.known, false, true));
        }
        if !is_call(inst) || calls_system(inst) {
            return;
        }
        let (at, argument) = (register(AT), format!("{PREFIX}told{number}"));
        let store = moved(options, self.known, false, true);
        edits.insert(
            span.start,
            format!("{store}\t.param .b64 {argument};\n\tst.param.b64 [{argument}], {at};\n"),
        );
        let operands = &inst.source.operands;
        let returns = usize::from(matches!(operands.first(), Some(Operand::List(..))));
        match (operands.get(returns), operands.get(returns + 1)) {
            (_, Some(Operand::List(items, list))) => {
                let comma = if items.is_empty() { "" } else { ", " };
                edits.insert(list.end - 1, format!("{comma}{argument}"));
            }
            (Some(Operand::Name(name)), _) => edits.insert(name.span.end, format!(", ({argument})")),
            _ => {}
        }
        edits.insert_behind(span.end, format!("\n{}", moved(options, self.known, false, false)));
    }

    /// Adds the parameter to all prototypes in a body.
    pub(super) fn prototypes(&self, text: &str, body: &Block, edits: &mut Edits<'_>) {
        if !self.told {
            return;
        }
        for statement in &body.statements {
            match statement {
                Statement::Block(block) => self.prototypes(text, block, edits),
                Statement::CallPrototype { label, params, .. } => {
                    if let Some(at) = parameters_end(text, label.span.end as usize) {
                        let comma = if params.is_empty() { "" } else { ", " };
                        edits.insert(at as u32, format!("{comma}.param .b64 _"));
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_call(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::Call))
}

/// Returns whether the instruction calls a function of the device runtime, none of which affects copies.
pub(super) fn is_silent_call(inst: &FlatInstruction<'_>) -> bool {
    is_call(inst) && calls_system(inst)
}

fn calls_system(inst: &FlatInstruction<'_>) -> bool {
    inst.args.iter().any(|arg| matches!(arg, Arg::Symbol(name, _) if SYSTEM.contains(name)))
}

/// Returns the end of the parameter list of a prototype whose label ends at `from`: `: .callprototype
/// (returns) _ (parameters)`.
fn parameters_end(text: &str, from: usize) -> Option<usize> {
    const WORD: &str = ".callprototype";
    let mut at = from + text.get(from..)?.find(WORD)? + WORD.len();
    let rest = text.get(at..)?;
    if rest.trim_start().starts_with('(') {
        at += rest.find(')')? + 1;
    }
    at += text.get(at..)?.find('(')?;
    Some(at + text.get(at..)?.find(')')?)
}

/// Returns text that moves the state to its buffer, or from there: all registers, or those that may change.
fn moved(options: &Options, known: Properties, all: bool, stores: bool) -> String {
    let (at, mut out) = (register(AT), String::new());
    out += "\t{\n\t.reg .b32 %wr_k;\n\t.reg .pred %wr_kp;\n";
    for (i, one) in emit::kept(options, known).iter().enumerate().filter(|(_, one)| all || one.changes) {
        let (offset, name, bits) = (8 * i, &one.name, one.bits);
        let _ = match (one.bits, stores) {
            (1, true) => {
                writeln!(out, "\tselp.u32 %wr_k, 1, 0, {name};\n\tst.local.b32 [{at}+{offset}], %wr_k;")
            }
            (1, false) => {
                writeln!(out, "\tld.local.b32 %wr_k, [{at}+{offset}];\n\tsetp.ne.u32 {name}, %wr_k, 0;")
            }
            (_, true) => writeln!(out, "\tst.local.b{bits} [{at}+{offset}], {name};"),
            (_, false) => writeln!(out, "\tld.local.b{bits} {name}, [{at}+{offset}];"),
        };
    }
    out + "\t}\n"
}

#[cfg(test)]
mod tests {
    use super::parameters_end;

    #[test]
    fn parameters_of_prototypes_are_found() {
        for (text, end) in [
            ("p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);", 65),
            ("p : .callprototype ()_ (.param .b64 _);", 37),
            ("p: .callprototype _ ();", 21),
        ] {
            assert_eq!(parameters_end(text, 1), Some(end), "{text}");
        }
        assert_eq!(parameters_end("p: .callprototype _;", 1), None);
    }
}
