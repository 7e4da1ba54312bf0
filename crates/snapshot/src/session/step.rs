//! What a call does. Handles are the driver's: they denote the object that was created last under them.

use crate::Object;
use events::Dim3;
use serde::{Deserialize, Serialize};

/// What a call does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// A stream was created.
    Stream {
        stream: u64,
        blocking: bool,
    },
    StreamDestroyed {
        stream: u64,
    },
    /// The stream's next work waits for the event's last record.
    StreamWaits {
        stream: u64,
        event: u64,
    },
    EventRecorded {
        event: u64,
        stream: u64,
    },
    EventDestroyed {
        event: u64,
    },
    /// The host has waited, or has asked and was answered that all is done.
    Waited(Waited),
    /// Memory was allocated: in a stream's order, or at once. New memory is zero.
    Allocated {
        base: u64,
        bytes: u64,
        kind: MemoryKind,
        /// The variable that the memory is of.
        name: Option<String>,
        stream: Option<u64>,
    },
    Freed {
        base: u64,
        stream: Option<u64>,
    },
    /// The current device may access the memory of another one, or no longer.
    Peer {
        peer: u32,
        access: bool,
    },
    /// A module was loaded. Its variables have the values that its texts give them.
    Module(Module),
    Launched {
        kernel: Kernel,
        stream: u64,
        programmatic: bool,
    },
    /// A copy. The call's bytes are those that a host's side had.
    Copied {
        to: Side,
        from: Side,
        shape: Shape,
        stream: u64,
        synchronous: bool,
    },
    Filled {
        fill: Fill,
        stream: u64,
        synchronous: bool,
    },
    /// Memory that host and device share has the call's bytes at an address, by the host's own instructions.
    Contents {
        at: u64,
        within: Option<Within>,
    },
    /// A function of the host is called in stream order.
    HostFunction {
        function: u64,
        stream: u64,
    },
    /// The host's own instructions have accessed memory that is shared with kernels, in a function of the host or
    /// outside of all.
    HostAccess {
        address: u64,
        bytes: u64,
        write: bool,
        within: Option<Within>,
    },
    /// An executable graph was made, or was changed to be this one.
    Graph {
        graph: u64,
        nodes: Graph,
    },
    /// An executable graph is launched. The call's bytes are those that the host's sides of its copies had, one
    /// behind the other.
    GraphLaunched {
        graph: u64,
        stream: u64,
    },
    GraphDestroyed {
        graph: u64,
    },
    /// A handle for conditional nodes was made, with a value that each launch sets again if it `resets`.
    Condition {
        handle: u64,
        value: u32,
        resets: bool,
    },
    /// A texture or surface, whose memory is in an allocation.
    Image(Object),
}

/// A memset: rows of bytes that repeat an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    pub at: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    pub width: u64,
    pub height: u64,
    pub value: u32,
    /// The bytes of an element: 1, 2 or 4.
    pub element: u32,
}

/// What the host has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waited {
    Stream(u64),
    Event(u64),
    /// All work of the current device.
    Device,
    /// All work of all devices.
    All,
}

/// The origin of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryKind {
    Device,
    /// Memory of a pool.
    Pool,
    Managed,
    /// Memory of the host's that the driver has allocated.
    Pinned,
    /// The program's own pages.
    Registered,
    /// The contents of an array, whose layout the driver does not tell.
    Array,
    /// Memory of graphs, which stays where it is.
    Graph,
}

/// A linked module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The number by which launches name it.
    pub module: u32,
    /// Its name, for messages.
    pub name: String,
    /// The numbers of its texts.
    pub texts: Vec<u32>,
    /// Its variables, in the order in which linking asks for their places.
    pub variables: Vec<Variable>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub address: u64,
    pub bytes: u64,
    pub managed: bool,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    pub module: u32,
    /// The mangled name.
    pub name: String,
    pub grid: Dim3,
    pub block: Dim3,
    /// `None` if the launch does not say.
    pub cluster: Option<Dim3>,
    pub shared: u32,
    pub cooperative: bool,
    pub arguments: Arguments,
}

/// A kernel's arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arguments {
    Each(Vec<Vec<u8>>),
    /// In the layout of the kernel's parameter space.
    Packed(Vec<u8>),
}

/// Bytes in rows and slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    pub width: u64,
    pub height: u64,
    pub depth: u64,
}

impl Shape {
    pub fn line(bytes: u64) -> Shape {
        Shape { width: bytes, height: 1, depth: 1 }
    }

    /// Returns the number of bytes; `None` if that overflows.
    pub fn bytes(self) -> Option<u64> {
        self.width.checked_mul(self.height)?.checked_mul(self.depth)
    }
}

/// One side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Memory of the session, with the bytes from one row and one slice to the next.
    Memory { at: u64, row: u64, slice: u64 },
    /// Pageable memory of the host. The bytes are packed.
    Host,
}

/// A call of a function of the host by the driver: the number of the function's submission or node, and how often
/// it was called for that before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Within {
    pub function: u64,
    pub call: u32,
}

/// The nodes of an executable graph. Each follows those that it depends on.
pub type Graph = Vec<Node>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub kind: NodeKind,
    /// The indices of the nodes that it depends on.
    pub after: Vec<u32>,
    /// The programmatic ones of these edges.
    #[serde(default)]
    pub early: Vec<Early>,
    pub enabled: bool,
}

/// A programmatic edge, which leaves a kernel when all its blocks have begun, or else when all have triggered or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Early {
    pub from: u32,
    pub begun: bool,
}

/// A node whose bodies run as the value of a handle asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditional {
    pub handle: u64,
    pub condition: Condition,
    pub bodies: Vec<Graph>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// The first body if the value is not 0; otherwise the second, if there is one.
    If,
    /// The only body, as long as the value is not 0.
    While,
    /// The body with the value's number.
    Switch,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NodeKind {
    Empty,
    Kernel(Kernel),
    Copy {
        to: Side,
        from: Side,
        shape: Shape,
    },
    Fill(Fill),
    HostFunction(u64),
    EventRecord {
        event: u64,
    },
    EventWait {
        event: u64,
    },
    Child(Graph),
    /// Memory of the graph's begins, at the address where the session has allocated it.
    Allocate {
        at: u64,
        bytes: u64,
    },
    Free {
        at: u64,
    },
    Conditional(Conditional),
}
