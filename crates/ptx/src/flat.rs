//! A function body as a plain list of instructions, every name resolved.
//!
//! PTX scopes nest and shadow; labels, registers and `.param` variables of an
//! inline-asm block are its own. [`flatten`] resolves all of that once, so that
//! an engine sees only dense ids: [`RegId`], [`VarId`], [`LabelId`].
//! `%r<100>` costs nothing for registers that no instruction names.

use crate::ast::{Function, Instruction, Loc, ScalarType, Space, Span, Variable};
use crate::decode::DecodeError;
use crate::op::Op;
use crate::sreg::SpecialReg;

mod flattener;

pub use flattener::flatten;

/// A register of the function, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(pub u32);

/// A variable the function declares, its parameters and results included, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A label, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// An index into [`Flat::locs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocId(pub u32);

/// A function, flattened. Borrows the tree it was made from.
#[derive(Clone, Debug)]
pub struct Flat<'a> {
    pub function: &'a Function,
    /// In text order. Control falls from one to the next.
    pub instructions: Vec<FlatInstruction<'a>>,
    /// By [`RegId`].
    pub registers: Vec<FlatRegister>,
    /// By [`VarId`].
    pub variables: Vec<FlatVariable<'a>>,
    /// By [`LabelId`].
    pub labels: Vec<FlatLabel<'a>>,
    /// `.branchtargets` lists.
    pub branch_targets: Vec<Vec<LabelId>>,
    /// `.calltargets` lists: names of functions of the module.
    pub call_targets: Vec<Vec<&'a str>>,
    /// `.callprototype`s.
    pub prototypes: Vec<Prototype<'a>>,
    /// What the parameters are bound to, in order.
    pub params: Vec<Binding>,
    /// What the results are bound to, in order.
    pub returns: Vec<Binding>,
    /// By [`LocId`], in text order.
    pub locs: Vec<&'a Loc>,
    /// Names that nothing declares, labels declared twice. Empty for valid PTX.
    pub errors: Vec<FlatError>,
}

/// One instruction with its meaning and its operands resolved.
#[derive(Clone, Debug)]
pub struct FlatInstruction<'a> {
    pub source: &'a Instruction,
    pub op: Result<Op, DecodeError>,
    pub guard: Option<FlatGuard>,
    /// In PTX order, destinations first.
    pub args: Vec<Arg<'a>>,
    /// The `.loc` in force; `None` before the first.
    pub loc: Option<LocId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatGuard {
    /// `@!%p`: executes where the predicate is false.
    pub negated: bool,
    pub register: RegId,
}

/// A resolved operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg<'a> {
    Reg(RegId),
    /// `!%p1`
    NotReg(RegId),
    /// `%v.x` of a vector register; the element is 0 to 3.
    Element(RegId, u8),
    Special(SpecialReg),
    /// The address of a variable (in its own space), plus bytes.
    Variable(VarId, i64),
    /// The address of a variable or function of the module, plus bytes.
    Symbol(&'a str, i64),
    Label(LabelId),
    /// An index into [`Flat::branch_targets`].
    BranchTargets(u32),
    /// An index into [`Flat::call_targets`].
    CallTargets(u32),
    /// An index into [`Flat::prototypes`].
    Prototype(u32),
    Int(i128),
    F32(u32),
    F64(u64),
    /// `_`
    Sink,
    Address {
        base: Base<'a>,
        offset: i64,
        /// `{x, y}` of `[tensor, {x, y}]`.
        rest: Vec<Arg<'a>>,
    },
    Vector(Vec<Arg<'a>>),
    Pair(Box<Arg<'a>>, Box<Arg<'a>>),
    List(Vec<Arg<'a>>),
    /// A name that nothing declares ([`Flat::errors`] says which), or a form that only
    /// unknown instructions have.
    Unresolved,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base<'a> {
    Reg(RegId),
    Variable(VarId),
    /// A variable of the module.
    Symbol(&'a str),
    Absolute,
    Unresolved,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatRegister {
    /// As written, `%r12`; not unique where scopes shadow.
    pub name: String,
    pub ty: ScalarType,
    /// `.v2` and `.v4` registers have 2 and 4 elements, all others 1.
    pub vector: u8,
}

#[derive(Clone, Debug)]
pub struct FlatVariable<'a> {
    pub decl: &'a Variable,
    pub role: VarRole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarRole {
    /// The n-th parameter of this function.
    Param(u32),
    /// The n-th result of this function.
    Return(u32),
    /// A `.param` variable of the body: an argument or result of a call.
    CallParam,
    /// Per-thread memory.
    Local,
    /// Per-block memory.
    Shared,
    /// `.global` or `.const` declared inside the function: one for all threads.
    Static,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlatLabel<'a> {
    pub name: &'a str,
    /// The instruction that follows; the number of instructions for a label at the end.
    pub target: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// `.reg` parameters.
    Reg(RegId),
    /// `.param` parameters.
    Memory(VarId),
}

#[derive(Clone, Copy, Debug)]
pub struct Prototype<'a> {
    pub returns: &'a [Variable],
    pub params: &'a [Variable],
    pub noreturn: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatError {
    pub span: Span,
    pub message: String,
}

impl Flat<'_> {
    /// Size in bytes of a variable: element, vector and dimensions; 0 for `[]`.
    /// `None` if it overflows.
    pub fn variable_size(&self, id: VarId) -> Option<u64> {
        self.variables.get(id.0 as usize)?.decl.size()
    }
}
