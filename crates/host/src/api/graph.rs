//! Graphs: what a detector hears of each kind of node and edge.

use super::{Heard, Served};

macro_rules! nodes {
    ($($variant:ident = $number:literal $name:literal),* $(,)?) => {
        /// A kind of node, with the number that both of CUDA's interfaces have for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum NodeType {
            $($variant = $number),*
        }

        impl NodeType {
            pub const ALL: &[NodeType] = &[$(NodeType::$variant),*];

            /// The enumerator's name in CUDA's header.
            pub const fn name(self) -> &'static str {
                match self {
                    $(NodeType::$variant => $name),*
                }
            }
        }
    };
}

nodes! {
    Kernel = 0 "cudaGraphNodeTypeKernel",
    Memcpy = 1 "cudaGraphNodeTypeMemcpy",
    Memset = 2 "cudaGraphNodeTypeMemset",
    Host = 3 "cudaGraphNodeTypeHost",
    Graph = 4 "cudaGraphNodeTypeGraph",
    Empty = 5 "cudaGraphNodeTypeEmpty",
    WaitEvent = 6 "cudaGraphNodeTypeWaitEvent",
    EventRecord = 7 "cudaGraphNodeTypeEventRecord",
    ExtSemaphoreSignal = 8 "cudaGraphNodeTypeExtSemaphoreSignal",
    ExtSemaphoreWait = 9 "cudaGraphNodeTypeExtSemaphoreWait",
    MemAlloc = 10 "cudaGraphNodeTypeMemAlloc",
    MemFree = 11 "cudaGraphNodeTypeMemFree",
    BatchMemOp = 12 "CU_GRAPH_NODE_TYPE_BATCH_MEM_OP",
    Conditional = 13 "cudaGraphNodeTypeConditional",
}

impl NodeType {
    /// The kind with this number.
    pub fn of(number: i32) -> Option<NodeType> {
        Self::ALL.iter().copied().find(|kind| *kind as i32 == number)
    }

    /// What a detector hears of such a node when its graph is launched.
    pub const fn served(self) -> Served {
        match self {
            NodeType::Kernel => Served::Heard(Heard::Launch),
            NodeType::Memcpy => Served::Heard(Heard::Copy),
            NodeType::Memset => Served::Heard(Heard::Fill),
            NodeType::Host => Served::Heard(Heard::HostFunction),
            // The nodes of the graph within; of a conditional node's graphs those that are chosen, as often as they run.
            NodeType::Graph | NodeType::Conditional => Served::Heard(Heard::Graph),
            NodeType::Empty | NodeType::WaitEvent | NodeType::EventRecord => Served::Heard(Heard::Order),
            NodeType::MemAlloc | NodeType::MemFree => Served::Heard(Heard::Memory),
            NodeType::ExtSemaphoreSignal | NodeType::ExtSemaphoreWait | NodeType::BatchMemOp => {
                Served::Refused
            }
        }
    }
}

/// A kind of edge: a dependency's type and the port that it leaves its first node by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// All that the first node does is before all that the second does.
    Full,
    /// Between kernels: the second begins once all blocks of the first have triggered or ended.
    Triggered,
    /// Between kernels: the second begins once all blocks of the first have begun.
    Begun,
}

impl Edge {
    pub const ALL: &[Edge] = &[Edge::Full, Edge::Triggered, Edge::Begun];

    /// The type's and the port's number (`cudaGraphEdgeData`).
    pub const fn numbers(self) -> (u8, u8) {
        match self {
            Edge::Full => (0, 0),
            Edge::Triggered => (1, 1),
            Edge::Begun => (1, 2),
        }
    }

    /// The names of both in CUDA's header.
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Edge::Full => ("cudaGraphDependencyTypeDefault", "cudaGraphKernelNodePortDefault"),
            Edge::Triggered => ("cudaGraphDependencyTypeProgrammatic", "cudaGraphKernelNodePortProgrammatic"),
            Edge::Begun => ("cudaGraphDependencyTypeProgrammatic", "cudaGraphKernelNodePortLaunchCompletion"),
        }
    }

    /// The kind with these numbers. There are no others: CUDA answers `cudaErrorInvalidValue`.
    pub fn of(kind: u8, port: u8) -> Option<Edge> {
        Self::ALL.iter().copied().find(|edge| edge.numbers() == (kind, port))
    }

    /// What a detector hears of such an edge when its graph is launched.
    pub const fn words(self) -> &'static str {
        match self {
            Edge::Full => "order of all that both nodes do",
            Edge::Triggered => {
                "order of what the first kernel does before its trigger with what the second does behind its wait"
            }
            Edge::Begun => "order of what is before the first kernel; none with the kernel itself",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_kinds() {
        for kind in NodeType::ALL {
            assert_eq!(NodeType::of(*kind as i32), Some(*kind));
        }
        assert_eq!(NodeType::of(14), None);
        for edge in Edge::ALL {
            assert_eq!(Edge::of(edge.numbers().0, edge.numbers().1), Some(*edge));
        }
        assert_eq!(Edge::of(0, 1), None);
    }
}
