//! A function body as a plain list of instructions with resolved names.
//!
//! PTX scopes nest and shadow; an inline-asm block has its own labels, registers and `.param` variables.
//! [`flatten`] resolves all names once, so that an engine sees only dense ids: [`RegId`], [`VarId`],
//! [`LabelId`]. Registers of `%r<100>` that no instruction names get no id.

use crate::ast::{Function, Instruction, Loc, ScalarType, Space, Span, Variable};
use crate::decode::DecodeError;
use crate::op::Op;
use crate::sreg::SpecialReg;

mod flattener;

pub use flattener::flatten;

/// The id of a register of the function, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(pub u32);

/// The id of a variable that the function declares, its parameters and results included, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// The id of a label, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// An index into [`Flat::locs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocId(pub u32);

/// A flattened function. It borrows from the tree of its source.
#[derive(Clone, Debug)]
pub struct Flat<'a> {
    pub function: &'a Function,
    /// The instructions in text order. Control falls from one to the next.
    pub instructions: Vec<FlatInstruction<'a>>,
    /// The registers, indexed by [`RegId`].
    pub registers: Vec<FlatRegister>,
    /// The variables, indexed by [`VarId`].
    pub variables: Vec<FlatVariable<'a>>,
    /// The labels, indexed by [`LabelId`].
    pub labels: Vec<FlatLabel<'a>>,
    /// The `.branchtargets` lists.
    pub branch_targets: Vec<Vec<LabelId>>,
    /// The `.calltargets` lists: names of functions of the module.
    pub call_targets: Vec<Vec<&'a str>>,
    /// The `.callprototype`s.
    pub prototypes: Vec<Prototype<'a>>,
    /// The registers or variables of the parameters, in order.
    pub params: Vec<Binding>,
    /// The registers or variables of the results, in order.
    pub returns: Vec<Binding>,
    /// The `.loc` directives in text order, indexed by [`LocId`].
    pub locs: Vec<&'a Loc>,
    /// Errors such as undeclared names and labels declared twice. Empty for valid PTX.
    pub errors: Vec<FlatError>,
}

/// One instruction with its decoded meaning and resolved operands.
#[derive(Clone, Debug)]
pub struct FlatInstruction<'a> {
    pub source: &'a Instruction,
    pub op: Result<Op, DecodeError>,
    pub guard: Option<FlatGuard>,
    /// The operands in PTX order, destinations first.
    pub args: Vec<Arg<'a>>,
    /// The `.loc` in effect; `None` before the first.
    pub loc: Option<LocId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatGuard {
    /// `@!%p`: lanes execute the instruction if the predicate is false.
    pub negated: bool,
    pub register: RegId,
}

/// A resolved operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg<'a> {
    Reg(RegId),
    /// `!%p1`.
    NotReg(RegId),
    /// `%v.x` of a vector register; the element is 0 to 3.
    Element(RegId, u8),
    Special(SpecialReg),
    /// The address of a local or shared variable (in its own space), plus bytes.
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
    /// `_`.
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
    /// An undeclared name (listed in [`Flat::errors`]), or an operand form that only unsupported instructions
    /// have.
    Unresolved,
}

/// The base of an address.
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
    /// The name as written, `%r12`; shadowing scopes may repeat it.
    pub name: String,
    pub ty: ScalarType,
    /// The number of elements: 2 for `.v2`, 4 for `.v4`, and 1 otherwise.
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
    /// A `.param` variable of the body, which holds an argument or result of a call.
    CallParam,
    /// A `.local` variable: per-thread memory.
    Local,
    /// A `.shared` variable: per-block memory.
    Shared,
    /// A `.global` or `.const` variable declared inside the function: one instance for all threads.
    Static,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlatLabel<'a> {
    pub name: &'a str,
    /// The index of the following instruction; the number of instructions for a label at the end.
    pub target: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A `.reg` parameter.
    Reg(RegId),
    /// A `.param` parameter.
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
    /// Returns the size in bytes of a variable (element times vector length times dimensions); 0 for `[]`,
    /// and `None` if it overflows.
    pub fn variable_size(&self, id: VarId) -> Option<u64> {
        self.variables.get(id.0 as usize)?.decl.size()
    }
}
