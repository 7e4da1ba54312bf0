//! The table of ways to reach memory, or to start what does.
//!
//! **Size:** an entry for each way.

use super::Cell;
use events::task::{AllocKind, TaskKind};
use events::{HostEvent, Proxy};
use kernels::effects::{Place, TouchKind};
use ptx::op::MemSpace;
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    GenericLoadStore,
    SharedLoadStore,
    ClusterShared,
    Atomics,
    LocalAndParam,
    Constant,
    ReadOnlyCache,
    Texture,
    Surface,
    Matrix,
    AsyncCopy,
    BulkCopy,
    StoreAsync,
    TensorCopy,
    Multimem,
    DeviceHeap,
    Printf,
    Mbarrier,
    Copy,
    BatchCopy,
    ArrayCopy,
    StreamOrderedMemory,
    HostOnManaged,
    HostOnPinned,
    HostOnRegistered,
    SystemCall,
    HostFunction,
    FullEdge,
    ProgrammaticEdge,
    ProgrammaticLaunch,
    ProgrammaticEvent,
    Peer,
    Interprocess,
    ChildProcess,
    ExternalMemory,
    DeviceLaunch,
}

const ALL: [Way; 36] = [
    Way::GenericLoadStore,
    Way::SharedLoadStore,
    Way::ClusterShared,
    Way::Atomics,
    Way::LocalAndParam,
    Way::Constant,
    Way::ReadOnlyCache,
    Way::Texture,
    Way::Surface,
    Way::Matrix,
    Way::AsyncCopy,
    Way::BulkCopy,
    Way::StoreAsync,
    Way::TensorCopy,
    Way::Multimem,
    Way::DeviceHeap,
    Way::Printf,
    Way::Mbarrier,
    Way::Copy,
    Way::BatchCopy,
    Way::ArrayCopy,
    Way::StreamOrderedMemory,
    Way::HostOnManaged,
    Way::HostOnPinned,
    Way::HostOnRegistered,
    Way::SystemCall,
    Way::HostFunction,
    Way::FullEdge,
    Way::ProgrammaticEdge,
    Way::ProgrammaticLaunch,
    Way::ProgrammaticEvent,
    Way::Peer,
    Way::Interprocess,
    Way::ChildProcess,
    Way::ExternalMemory,
    Way::DeviceLaunch,
];

fn limit(what: &str) -> Cell {
    Cell::Limit(what.into())
}

fn refused(how: &str) -> Cell {
    Cell::Refused(how.into())
}

/// In words; virtual GPU, lens `ptx`, `guard`, `collide`, `prove`; and a test.
fn decided(way: Way) -> (&'static str, [Cell; 5], &'static str) {
    match way {
        Way::GenericLoadStore => (
            "loads and stores of global memory",
            [Cell::Served, Cell::Served, Cell::Served, Cell::Served, Cell::Served],
            "tests/ui/inter-block/stencil-in-place.race.cu",
        ),
        Way::SharedLoadStore => (
            "loads and stores of shared memory",
            [Cell::Served, Cell::Served, Cell::Served, Cell::Served, Cell::Served],
            "tests/ui/missing-barrier/broadcast.race.cu",
        ),
        Way::ClusterShared => (
            "shared memory of another block of the cluster",
            [
                Cell::Served,
                Cell::Served,
                limit("blocks of a cluster are told apart in part"),
                Cell::Nothing,
                Cell::Served,
            ],
            "tests/ui/cluster-dsmem/remote-write.race.cu",
        ),
        Way::Atomics => (
            "atomics and reductions",
            [Cell::Served, Cell::Served, Cell::Served, Cell::Nothing, Cell::Served],
            "tests/ui/atomic-scope/counter.race.cu",
        ),
        Way::LocalAndParam => (
            "local memory, registers that spill, parameters",
            [Cell::Served, Cell::Nothing, Cell::Nothing, Cell::Nothing, Cell::Nothing],
            "tests/ui/inter-block/recursion.clean.cu",
        ),
        Way::Constant => (
            "constant memory",
            [
                Cell::Served,
                limit(
                    "a store and a fetch of the same word in one kernel, without a fence of the proxy, are not told apart",
                ),
                limit("the same"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "tests/ui/memcpy-async/constant-symbol.race.cu",
        ),
        Way::ReadOnlyCache => (
            "`ld.global.nc`, `__ldg`",
            [Cell::Served, Cell::Served, Cell::Served, Cell::Served, Cell::Served],
            "tests/ui/inter-block/read-only-cache.race.cu",
        ),
        Way::Texture => (
            "texture fetches",
            [
                Cell::Served,
                Cell::Served,
                refused("accesses through textures and surfaces are counted as not checked"),
                refused("accesses through textures and surfaces are counted as not checked"),
                limit("unknown, by name, where the kernel writes, too"),
            ],
            "tests/ui/inter-block/surface-and-texture.race.cu",
        ),
        Way::Surface => (
            "surface loads, stores and reductions",
            [
                Cell::Served,
                Cell::Served,
                refused("accesses through textures and surfaces are counted as not checked"),
                refused("accesses through textures and surfaces are counted as not checked"),
                refused("unknown, by name"),
            ],
            "tests/ui/inter-block/surface-in-place.race.cu",
        ),
        Way::Matrix => (
            "`wmma`, `ldmatrix`, `stmatrix`",
            [
                Cell::Served,
                Cell::Served,
                Cell::Served,
                refused("accesses of matrices are counted as not checked"),
                Cell::Served,
            ],
            "tests/ui/missing-barrier/wmma-tile.race.cu",
        ),
        Way::AsyncCopy => (
            "`cp.async`",
            [
                Cell::Served,
                Cell::Served,
                limit("a thread remembers eight copies"),
                limit("those that copy all that they write"),
                Cell::Served,
            ],
            "tests/ui/async-copy/not-waited.race.cu",
        ),
        Way::BulkCopy => (
            "bulk copies and reductions",
            [
                Cell::Served,
                Cell::Served,
                limit("eight places of each row of 16 bytes are looked at"),
                limit("their source"),
                Cell::Served,
            ],
            "tests/ui/proxy/bulk-store.race.cu",
        ),
        Way::StoreAsync => (
            "`st.async`, `red.async`",
            [
                Cell::Served,
                Cell::Served,
                refused("asynchronous accesses are counted as not checked"),
                refused("asynchronous accesses are counted as not checked"),
                refused("unknown, by name"),
            ],
            "tests/ui/cluster-dsmem/store-async.race.cu",
        ),
        Way::TensorCopy => (
            "tensor copies, `wgmma`, `tcgen05`",
            [
                refused("by name, where it is executed"),
                refused("by name"),
                refused("its kernel is named"),
                refused("its kernel is named"),
                refused("unknown, by name"),
            ],
            "crates/ptx/tests/decode.rs",
        ),
        Way::Multimem => (
            "`multimem`",
            [
                refused("by name, where it is executed"),
                refused("by name"),
                refused("counted as not checked"),
                refused("counted as not checked"),
                refused("unknown, by name"),
            ],
            "crates/ptx/tests/decode.rs",
        ),
        Way::DeviceHeap => (
            "`malloc` and `free` in kernels",
            [
                Cell::Served,
                Cell::Served,
                limit("new memory of the heap forgets what was there"),
                Cell::Nothing,
                refused("unknown, by name"),
            ],
            "crates/simt/tests/basics.rs",
        ),
        Way::Printf => (
            "`printf`, `assert` in kernels",
            [Cell::Served, Cell::Nothing, Cell::Nothing, Cell::Nothing, Cell::Nothing],
            "crates/inject/tests/programs/printing.cu",
        ),
        Way::Mbarrier => (
            "mbarrier objects",
            [
                Cell::Served,
                Cell::Served,
                limit("a wait counts for all bulk copies of its block"),
                Cell::Nothing,
                Cell::Served,
            ],
            "tests/ui/async-copy/mbarrier-arrive.race.cu",
        ),
        Way::Copy => (
            "`cudaMemcpy…`, `cudaMemset…` of one, two and three dimensions",
            [Cell::Served, Cell::Served, limit("up to 65,536 rows"), Cell::Nothing, Cell::Nothing],
            "tests/ui/memcpy-async/columns.race.cu",
        ),
        Way::BatchCopy => (
            "`cudaMemcpyBatchAsync`, `cudaMemcpy3DBatchAsync`",
            [
                refused("inconclusive by name"),
                refused("inconclusive by name"),
                Cell::Nothing,
                Cell::Nothing,
                Cell::Nothing,
            ],
            "crates/inject/tests/programs/unsupported.cu",
        ),
        Way::ArrayCopy => (
            "copies from and to arrays",
            [Cell::Served, Cell::Served, Cell::Nothing, Cell::Nothing, Cell::Nothing],
            "tests/ui/memcpy-async/surface.race.cu",
        ),
        Way::StreamOrderedMemory => (
            "`cudaMallocAsync`, `cudaFreeAsync`",
            [
                Cell::Served,
                Cell::Served,
                limit("what was there before is forgotten"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "tests/ui/memcpy-async/freed-while-in-use.race.cu",
        ),
        Way::HostOnManaged => (
            "the host’s instructions in managed memory",
            [Cell::Served, Cell::Served, limit("where pages can be protected"), Cell::Nothing, Cell::Nothing],
            "tests/ui/host-device/managed-read-too-early.race.cu",
        ),
        Way::HostOnPinned => (
            "the host’s instructions in pinned memory",
            [Cell::Served, Cell::Served, limit("where pages can be protected"), Cell::Nothing, Cell::Nothing],
            "tests/ui/host-device/mapped-memory.race.cu",
        ),
        Way::HostOnRegistered => (
            "the host’s instructions in memory of `cudaHostRegister`",
            [
                Cell::Served,
                limit("they are not watched; the limits say so"),
                limit("they are not watched"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "crates/inject/tests/programs/copies.cu",
        ),
        Way::SystemCall => (
            "system calls on managed and pinned memory",
            [Cell::Served, Cell::Served, limit("as the host’s instructions"), Cell::Nothing, Cell::Nothing],
            "crates/inject/tests/programs.rs",
        ),
        Way::HostFunction => (
            "host functions and callbacks",
            [
                Cell::Served,
                Cell::Served,
                limit("they are ordered as if the host had waited"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "tests/ui/host-device/host-function.race.cu",
        ),
        Way::FullEdge => (
            "edges and nodes of graphs: kernels, copies, memsets, host functions, events, children, conditions, memory",
            [
                Cell::Served,
                Cell::Served,
                limit("a graph of a real GPU counts as told to the host"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "tests/ui/inter-kernel/captured-graph.race.cu",
        ),
        Way::ProgrammaticEdge => (
            "programmatic edges of graphs",
            [
                Cell::Served,
                Cell::Served,
                limit("full dependencies where the first kernel is not the last of its chain"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "tests/ui/inter-kernel/programmatic-graph-edge.race.cu",
        ),
        Way::ProgrammaticLaunch => (
            "programmatic stream serialisation",
            [Cell::Served, Cell::Served, Cell::Served, Cell::Nothing, Cell::Nothing],
            "tests/ui/inter-kernel/programmatic-launch.race.cu",
        ),
        Way::ProgrammaticEvent => (
            "events of launches (programmatic, launch completion)",
            [
                refused("inconclusive by name"),
                refused("inconclusive by name"),
                limit("they count as complete"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "crates/inject/tests/programs/unsupported.cu",
        ),
        Way::Peer => (
            "memory of another device",
            [Cell::Served, Cell::Served, limit("one device at a time"), Cell::Nothing, Cell::Nothing],
            "tests/ui/multi-gpu/peer-write.race.cu",
        ),
        Way::Interprocess => (
            "`cudaIpc…`",
            [
                Cell::Served,
                limit("never clean: accesses of other processes are not checked"),
                limit("the same"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "crates/inject/tests/programs/ipc.cu",
        ),
        Way::ChildProcess => (
            "child processes",
            [Cell::Served, Cell::Served, Cell::Served, Cell::Served, Cell::Nothing],
            "crates/inject/tests/programs.rs",
        ),
        Way::ExternalMemory => (
            "external memory and semaphores, graphics interoperability",
            [
                refused("inconclusive by name"),
                refused("inconclusive by name"),
                limit("they count as told to the host"),
                Cell::Nothing,
                Cell::Nothing,
            ],
            "crates/inject/tests/programs/unsupported.cu",
        ),
        Way::DeviceLaunch => (
            "launches from kernels",
            [
                refused("by name"),
                refused("by name"),
                limit("they are not told of"),
                Cell::Nothing,
                refused("unknown, by name"),
            ],
            "crates/inject/tests/programs/unsupported.cu",
        ),
    }
}

/// The ways of instructions. A new place or kind of access does not compile until it has one.
fn of_touch(place: Place, kind: TouchKind) -> Way {
    match (place, kind) {
        (Place::Texture, _) => Way::Texture,
        (Place::Surface, _) => Way::Surface,
        (Place::Multimem, _) => Way::Multimem,
        (Place::Memory(space), TouchKind::Read | TouchKind::Write) => match space {
            MemSpace::Generic | MemSpace::Global => Way::GenericLoadStore,
            MemSpace::SharedCta => Way::SharedLoadStore,
            MemSpace::SharedCluster => Way::ClusterShared,
            MemSpace::Local | MemSpace::Param | MemSpace::ParamFunc => Way::LocalAndParam,
            MemSpace::Const => Way::Constant,
        },
        (Place::Memory(_), TouchKind::Atomic(_)) => Way::Atomics,
        (Place::Memory(_), TouchKind::AsyncRead | TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_)) => {
            Way::AsyncCopy
        }
    }
}

/// The ways of tasks that listeners hear of.
fn of_task(kind: &TaskKind) -> Way {
    match kind {
        TaskKind::Launch(_) => Way::ProgrammaticLaunch,
        TaskKind::Copy | TaskKind::Memset => Way::Copy,
        TaskKind::HostFunction => Way::HostFunction,
        TaskKind::HostSegment { .. } => Way::HostOnManaged,
    }
}

/// The ways of kinds of memory.
fn of_memory(kind: AllocKind) -> Way {
    match kind {
        AllocKind::Device | AllocKind::Variable => Way::GenericLoadStore,
        AllocKind::Managed => Way::HostOnManaged,
        AllocKind::HostMapped => Way::HostOnPinned,
        AllocKind::DeviceHeap => Way::DeviceHeap,
    }
}

fn of_proxy(proxy: Proxy) -> Way {
    match proxy {
        Proxy::Generic => Way::GenericLoadStore,
        Proxy::Async => Way::BulkCopy,
        Proxy::Tensormap => Way::TensorCopy,
        Proxy::Texture => Way::Texture,
        Proxy::Surface => Way::Surface,
    }
}

/// What the host does that listeners hear of; `None` where it is no access.
fn of_event(event: &HostEvent<'_>) -> Option<Way> {
    match event {
        HostEvent::TaskStart(task) => Some(of_task(&task.kind)),
        HostEvent::Range(_) => Some(Way::Copy),
        HostEvent::Alloc(allocation) => Some(of_memory(allocation.kind)),
        HostEvent::Free { .. } => Some(Way::StreamOrderedMemory),
        HostEvent::TaskEnd(_)
        | HostEvent::TaskAfter(..)
        | HostEvent::Launched(..)
        | HostEvent::Apart(..)
        | HostEvent::Site(..)
        | HostEvent::End => None,
    }
}

pub(super) fn table() -> String {
    let mut out = "## Ways to reach memory\n\n| way | virtual GPU | lens `ptx` | `guard` | `collide` | `prove` | a test |\n|---|---|---|---|---|---|---|\n".to_owned();
    for way in ALL {
        let (words, cells, test) = decided(way);
        assert!(super::workspace().join(test).is_file(), "{way:?}: there is no {test}");
        let cells: Vec<String> = cells.iter().map(Cell::to_string).collect();
        let _ = writeln!(out, "| {words} | {} | `{test}` |", cells.join(" | "));
    }
    out
}

#[test]
fn what_is_heard_of_has_a_way() {
    assert_eq!(of_touch(Place::Texture, TouchKind::Read), Way::Texture);
    assert_eq!(of_proxy(Proxy::Async), Way::BulkCopy);
    assert_eq!(of_event(&HostEvent::Free { base: 0, bytes: 1 }), Some(Way::StreamOrderedMemory));
    for (i, way) in ALL.iter().enumerate() {
        assert_eq!(*way as usize, i, "each way once, in order");
    }
}
