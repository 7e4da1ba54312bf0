//! The functions of CUDA's interfaces: what a detector hears of each, or that it is refused by name.
//!
//! The library of the runtime defines its functions against the table: one that the table lacks, or that it calls refused, does
//! not compile (see `inject::api`). `docs/coverage.md` prints the table beside the list of what CUDA's header declares.

mod graph;
mod runtime;

pub use graph::{Edge, NodeType};
pub use runtime::RUNTIME;

/// What a detector hears of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A kernel's task, with every access that the kernel makes.
    Launch,
    /// A copy's task, with the ranges that it reads and writes.
    Copy,
    /// A memset's task, with the range that it writes.
    Fill,
    /// A host function's task, with what the function does in memory that is watched.
    HostFunction,
    /// Memory that comes, goes, or is opened to another device.
    Memory,
    /// An order between tasks, or between a task and the host.
    Order,
    /// A graph's node or edge, or the graph's launch: its nodes' tasks when it is launched.
    Graph,
    /// The call touches no device memory and orders nothing.
    Nothing,
}

impl Heard {
    /// The words for it in the document.
    pub const fn words(self) -> &'static str {
        match self {
            Heard::Launch => "a kernel",
            Heard::Copy => "a copy",
            Heard::Fill => "a memset",
            Heard::HostFunction => "a host function",
            Heard::Memory => "memory that comes or goes",
            Heard::Order => "order",
            Heard::Graph => "a graph’s nodes, when it is launched",
            Heard::Nothing => "touches no device memory, orders nothing",
        }
    }
}

/// How a function is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    Heard(Heard),
    /// Served, but for what is named.
    Limited(Heard, &'static str),
    /// An error of the interface; the run is inconclusive and names the call.
    Refused,
    /// An error of the interface; the run names the call. Its effect could not have changed what kernels do, so that the verdict
    /// stays.
    Unanswered,
}

impl Served {
    /// Returns whether the function does what CUDA's does, at least in part.
    pub const fn is_served(self) -> bool {
        matches!(self, Served::Heard(_) | Served::Limited(..))
    }
}

/// A function of an interface, by its C name.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    pub served: Served,
}

const fn heard(name: &'static str, what: Heard) -> Function {
    Function { name, served: Served::Heard(what) }
}

const fn limited(name: &'static str, what: Heard, limit: &'static str) -> Function {
    Function { name, served: Served::Limited(what, limit) }
}

const fn refused(name: &'static str) -> Function {
    Function { name, served: Served::Refused }
}

const fn unanswered(name: &'static str) -> Function {
    Function { name, served: Served::Unanswered }
}

/// Returns a function's row. The name may be that of its variant for per-thread default streams.
pub const fn find(table: &[Function], name: &str) -> Option<Served> {
    let name = name.as_bytes();
    let length = without_variant(name);
    let mut row = 0;
    while row < table.len() {
        if is_prefix(table[row].name.as_bytes(), name, length) {
            return Some(table[row].served);
        }
        row += 1;
    }
    None
}

/// Returns the length of a name without `_ptsz` or `_ptds`.
const fn without_variant(name: &[u8]) -> usize {
    match name {
        [rest @ .., b'_', b'p', b't', b's', b'z'] | [rest @ .., b'_', b'p', b't', b'd', b's'] => rest.len(),
        all => all.len(),
    }
}

/// Returns whether `whole` is the first `length` bytes of `name`.
const fn is_prefix(whole: &[u8], name: &[u8], length: usize) -> bool {
    if whole.len() != length {
        return false;
    }
    let mut i = 0;
    while i < length {
        if whole[i] != name[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        assert!(RUNTIME.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(RUNTIME.iter().all(|function| find(RUNTIME, function.name) == Some(function.served)));
        assert_eq!(find(RUNTIME, "cudaMemcpyAsync_ptsz"), Some(Served::Heard(Heard::Copy)));
        assert_eq!(find(RUNTIME, "cudaMemcpy_ptds"), Some(Served::Heard(Heard::Copy)));
        assert_eq!(find(RUNTIME, "cudaMemcp"), None);
    }
}
