//! The state of a symbolic thread: values of registers, and the path so far.

use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
use crate::solver::symbols::Attr;
use ptx::cfg::BlockId;
use ptx::flat::RegId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The value of a register.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Int(Poly),
    Pred(Cond),
    /// An unknown value with the set of threads that share it.
    Any(Attr),
}

/// The registers at a place of the kernel, and the conditions of the path that leads there.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) regs: BTreeMap<RegId, Val>,
    pub(crate) path: Vec<Cond>,
}

/// The states in which edges of the control flow graph are left.
pub(crate) type Edges = FxHashMap<(BlockId, BlockId), State>;
