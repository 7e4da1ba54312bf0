//! The table of ways to reach memory, or to start what does.
//!
//! **Size:** an entry for each way.

use super::Cell;
use super::instructions::By;
use events::task::{AllocKind, TaskKind};
use events::{HostEvent, Proxy};
use kernels::effects::{Place, TouchKind};
use ptx::op::MemSpace;
use std::fmt::Write;

macro_rules! ways {
    ($($name:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Way { $($name),* }

        const ALL: &[Way] = &[$(Way::$name),*];
    };
}

ways! {
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
    Warpgroup,
    TensorMemory,
    Multimem,
    DeviceHeap,
    Printf,
    Mbarrier,
    Copy,
    BatchCopy,
    ArrayCopy,
    StreamOrderedMemory,
    GraphMemory,
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

/// A test that shows a cell.
#[derive(Clone, Copy)]
enum Test {
    /// A racy fixture of `tests/ui`, by its name without the ending, and its note for the column.
    Fixture(&'static str),
    /// A function of a file of tests.
    Function(&'static str, &'static str),
    /// A file that has this text: a kernel's name, for instance.
    Text(&'static str, &'static str),
}

impl Test {
    /// The file. Panics unless it has what shows the cell.
    fn file(self, by: By, cell: &Cell) -> String {
        let (file, part) = match self {
            Test::Fixture(name) => {
                let note = match (by, cell) {
                    (By::VirtualGpu | By::Lens, _) => "//@ lens-ptx: race",
                    (By::Guard, Cell::Limit(_)) => "//@ engine-guard: ",
                    (By::Guard, _) => "//@ engine-guard: race",
                    (By::Collide, _) => "//@ engine-collide: race",
                    (By::Prove, _) => panic!("fixtures are not asked of `prove`"),
                };
                (format!("tests/ui/{name}.race.cu"), note.to_owned())
            }
            Test::Function(file, name) => (file.to_owned(), format!("fn {name}(")),
            Test::Text(file, text) => (file.to_owned(), text.to_owned()),
        };
        assert!(super::read(&file).contains(&part), "{file} is to have `{part}`");
        file
    }
}

/// What becomes of a way.
struct Decided {
    words: &'static str,
    /// The form of instructions whose row has the cells that are not given here.
    form: Option<&'static str>,
    cells: Vec<(By, Cell, Test)>,
}

/// A way whose race a fixture has, which the virtual GPU and lens `ptx` find.
fn seen(words: &'static str, fixture: &'static str) -> Decided {
    let test = Test::Fixture(fixture);
    let cells = vec![(By::VirtualGpu, Cell::Served, test), (By::Lens, Cell::Served, test)];
    Decided { words, form: None, cells }
}

/// A way that is refused by name.
fn refused(words: &'static str, how: &str, test: Test) -> Decided {
    let cell = |by| (by, Cell::Refused(how.into()), test);
    Decided { words, form: None, cells: vec![cell(By::VirtualGpu), cell(By::Lens)] }
}

impl Decided {
    fn form(mut self, form: &'static str) -> Decided {
        self.form = Some(form);
        self
    }

    fn served(mut self, by: By, test: Test) -> Decided {
        self.cells.push((by, Cell::Served, test));
        self
    }

    fn limit(mut self, by: By, what: &str, test: Test) -> Decided {
        self.cells.retain(|(other, ..)| *other != by);
        self.cells.push((by, Cell::Limit(what.into()), test));
        self
    }
}

use By::{Collide, Guard, Lens, Prove, VirtualGpu};
use Test::{Fixture, Function, Text};

/// What engine `guard` knows of the host, for lack of a GPU, from its unit tests.
const HOSTS: Test = Function("crates/gpu/src/state/hosts.rs", "accesses_are_of_launches_that_were_in_flight");
const ORDER: Test =
    Function("crates/gpu/src/order/tests.rs", "what_the_host_waits_for_is_before_all_that_comes");
/// Every refused function of the runtime, asked.
const ASKED: Test = Function(
    "crates/inject/tests/programs/functions.rs",
    "each_refused_function_answers_with_the_named_error",
);
/// Every refused form, executed.
const EXECUTED: Test =
    Function("crates/warprace/tests/coverage/refused.rs", "each_refused_form_is_named_where_it_is_executed");

fn decided(way: Way) -> Decided {
    match way {
        Way::GenericLoadStore => {
            let f = "inter-block/stencil-in-place";
            let it = seen("loads and stores of global memory", f).form("st");
            it.served(Guard, Fixture(f)).served(Collide, Fixture(f)).served(Prove, Text("tests/prove/patterns.cu", "_race("))
        }
        Way::SharedLoadStore => {
            let f = "missing-barrier/broadcast";
            let it = seen("loads and stores of shared memory", f).form("st.shared");
            it.served(Guard, Fixture(f)).served(Collide, Fixture(f))
        }
        Way::ClusterShared => {
            let f = "cluster-dsmem/remote-write";
            let it = seen("shared memory of another block of the cluster", f).form("st.shared::cluster");
            it.limit(Guard, "only the order of whole blocks of a cluster is known", Fixture(f))
                .served(Prove, Text("tests/prove/clusters.cu", "_race("))
        }
        Way::Atomics => {
            let f = "atomic-scope/counter";
            seen("atomics and reductions", f).form("atom").served(Guard, Fixture(f)).served(Prove, Text("tests/prove/ordered.cu", "atomic"))
        }
        Way::LocalAndParam => {
            let mut it = seen("local memory, registers that spill, parameters", "inter-block/stencil-in-place");
            it.cells = vec![(VirtualGpu, Cell::Served, Function("crates/simt/tests/basics.rs", "local_arrays_and_constants"))];
            it.form("ld.local")
        }
        Way::Constant => {
            let it = seen("constant memory", "memcpy-async/constant-symbol").form("ld.const");
            it.limit(Lens, "a store and a fetch of one kernel are told apart by class `proxy`", Fixture("memcpy-async/constant-symbol"))
        }
        Way::ReadOnlyCache => {
            let f = "inter-block/read-only-cache";
            seen("`ld.global.nc`, `__ldg`", f).form("ld.global.nc").served(Guard, Fixture(f))
        }
        Way::Texture => seen("texture fetches", "inter-block/surface-and-texture").form("tex").limit(
            Prove,
            "a kernel that writes, too, is unknown unless the host code says of which memory its textures are",
            Text("tests/prove/pointed.cu", "tex2D"),
        ),
        Way::Surface => seen("surface loads, stores and reductions", "inter-block/surface-in-place").form("suld"),
        Way::Matrix => {
            let f = "missing-barrier/wmma-tile";
            let it = seen("`wmma`, `ldmatrix`, `stmatrix`", f).form("wmma.load");
            it.served(Guard, Fixture(f)).served(Prove, Text("tests/prove/pipelined.cu", "wmma"))
        }
        Way::AsyncCopy => {
            let f = "async-copy/not-waited";
            let it = seen("`cp.async`", f).form("cp.async.ca").limit(Guard, "a thread remembers eight copies", Fixture(f));
            it.served(Prove, Text("tests/prove/pipelined.cu", "cp.async"))
        }
        Way::BulkCopy => {
            let f = "proxy/bulk-store";
            let it = seen("bulk copies and reductions", f).form("cp.async.bulk");
            it.limit(Guard, "eight places of each row of 16 bytes are looked at", Fixture(f))
                .limit(Collide, "their source", Fixture("async-copy/bulk-load"))
        }
        Way::StoreAsync => {
            let f = "cluster-dsmem/store-async";
            seen("`st.async`, `red.async`", f).form("st.async").served(Guard, Fixture(f))
        }
        Way::TensorCopy => {
            let form = "cp.async.bulk.tensor";
            seen("tensor copies, by a tensor map", "proxy/tensor-map-in-flight").form(form)
        }
        Way::Warpgroup => {
            seen("matrix products of warpgroups (`wgmma`)", "wgmma/stage-reused").form("wgmma.mma_async")
        }
        Way::TensorMemory => {
            seen("tensor memory (`tcgen05`)", "tensor-memory/store-not-waited").form("tcgen05.st")
        }
        Way::Multimem => {
            refused("`multimem`", "by name, where it is executed", EXECUTED).form("multimem.ld_reduce")
        }
        Way::DeviceHeap => seen("`malloc` and `free` in kernels", "missing-barrier/device-free").limit(
            Guard,
            "the end of a block of the heap is not looked at",
            Fixture("missing-barrier/device-free"),
        ),
        Way::Printf => Decided {
            words: "`printf`, `assert` in kernels",
            form: None,
            cells: vec![(VirtualGpu, Cell::Served, Function("crates/simt/tests/basics.rs", "printf_prints_in_thread_order"))],
        },
        Way::Mbarrier => seen("mbarrier objects", "async-copy/mbarrier-arrive")
            .form("mbarrier.arrive")
            .limit(Guard, "a wait counts for all bulk copies of its block", Fixture("async-copy/mbarrier-arrive"))
            .limit(Prove, "in the patterns that `docs/prove.md` names", Text("tests/prove/rounds.cu", "_race(")),
        Way::Copy => {
            let f = "memcpy-async/columns";
            let words = "`cudaMemcpy…`, `cudaMemset…` of one, two and three dimensions";
            seen(words, f).limit(Guard, "up to 65,536 rows", Fixture(f))
        }
        Way::BatchCopy => {
            refused("`cudaMemcpyBatchAsync`, `cudaMemcpy3DBatchAsync`", "inconclusive by name", ASKED)
        }
        Way::ArrayCopy => seen("copies from and to arrays", "memcpy-async/surface"),
        Way::StreamOrderedMemory => {
            let f = "memcpy-async/freed-while-in-use";
            seen("`cudaMallocAsync`, `cudaFreeAsync`", f).served(Guard, Fixture(f))
        }
        Way::GraphMemory => seen("memory of a graph's nodes", "memcpy-async/freed-in-a-graph"),
        Way::HostOnManaged => {
            let it = seen("the host's instructions in managed memory", "host-device/managed-read-too-early");
            it.limit(Guard, "where pages can be protected", HOSTS)
        }
        Way::HostOnPinned => {
            let it = seen("the host's instructions in pinned memory", "host-device/mapped-memory");
            it.limit(Guard, "where pages can be protected", HOSTS)
        }
        Way::HostOnRegistered => {
            let test = Function("crates/warprace/tests/verdicts.rs", "registered_memory_is_not_called_clean");
            let mut it = seen("the host's instructions in memory of `cudaHostRegister`", "");
            it.cells = vec![(VirtualGpu, Cell::Served, test)];
            it.limit(Lens, "they are not watched, and the verdict is of what was checked", test)
        }
        Way::SystemCall => {
            let it = seen("system calls on managed and pinned memory", "host-device/system-calls-on-pinned-memory");
            it.limit(Guard, "as the host's instructions", HOSTS)
        }
        Way::HostFunction => {
            let it = seen("host functions and callbacks", "host-device/host-function");
            it.limit(Guard, "they are ordered as if the host had waited", ORDER)
        }
        Way::FullEdge => {
            let f = "inter-kernel/captured-graph";
            seen("graphs (their nodes and edges: see above)", f).served(Guard, Fixture(f))
        }
        Way::ProgrammaticEdge => {
            seen("programmatic edges of graphs", "inter-kernel/programmatic-graph-edge")
        }
        Way::ProgrammaticLaunch => {
            let f = "inter-kernel/programmatic-launch";
            seen("programmatic stream serialisation", f).served(Guard, Fixture(f))
        }
        Way::ProgrammaticEvent => refused(
            "events of launches (programmatic, launch completion)",
            "inconclusive by name",
            Text("crates/inject/tests/programs/refused.cu", "cudaLaunchAttributeProgrammaticEvent"),
        ),
        Way::Peer => seen("memory of another device", "multi-gpu/peer-write"),
        Way::Interprocess => {
            let test = Function("crates/inject/tests/programs.rs", "processes_share_memory_and_events");
            let mut it = seen("`cudaIpc…`", "");
            it.cells = vec![(VirtualGpu, Cell::Served, test)];
            it.limit(Lens, "never clean: accesses of other processes are not checked", test)
        }
        Way::ChildProcess => {
            let file = "crates/warprace/tests/processes.rs";
            let test = Function(file, "races_of_descendants_that_outlive_the_program_are_found");
            let mut it = seen("child processes", "");
            it.cells = vec![(VirtualGpu, Cell::Served, test)];
            it.limit(Lens, "programs that cannot be watched are named", Function(file, "programs_that_are_started_without_the_library_are_named"))
        }
        Way::ExternalMemory => refused(
            "external memory and semaphores, graphics interoperability",
            "inconclusive by name",
            ASKED,
        ),
        Way::DeviceLaunch => {
            let mut way = seen("launches from kernels (CDP2)", "inter-kernel/child-other-threads");
            let file = "crates/instrument/tests/guard/launches.rs";
            let test = Function(file, "a_kernel_that_launches_kernels_is_left_out_by_name");
            way.cells.push((Guard, Cell::Refused("by name".into()), test));
            way
        }
    }
}

/// The ways of instructions. A new place or kind of access does not compile until it has one.
fn of_touch(place: Place, kind: TouchKind) -> Way {
    match (place, kind) {
        (Place::Texture, _) => Way::Texture,
        (Place::Surface, _) => Way::Surface,
        (Place::Multimem, _) => Way::Multimem,
        (Place::Tensor, _) => Way::TensorCopy,
        (Place::Descriptor, _) => Way::Warpgroup,
        (Place::TensorMemory, _) => Way::TensorMemory,
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

/// The cells of a way, and the tests that show those which are given with it.
fn row(way: Way) -> (&'static str, [Cell; 5], String) {
    let decided = decided(way);
    let form = decided.form.map(super::instructions::cells);
    let mut tests: Vec<String> = Vec::new();
    let cells = By::ALL.map(|by| {
        let given = decided.cells.iter().find(|(other, ..)| *other == by);
        let of_form = form.as_ref().map(|cells| cells[by as usize].clone());
        let Some((_, cell, test)) = given else { return of_form.unwrap_or(Cell::Nothing) };
        let refused = |cell: &Cell| matches!(cell, Cell::Refused(_));
        let agrees = of_form.is_none_or(|of_form| by == By::Prove || refused(&of_form) == refused(cell));
        assert!(agrees, "{way:?}: the row of its form says otherwise");
        let file = format!("`{}`", test.file(by, cell));
        if !tests.contains(&file) {
            tests.push(file);
        }
        cell.clone()
    });
    (decided.words, cells, tests.join(", "))
}

pub(super) fn table() -> String {
    let mut out = "\
## Ways to reach memory

A cell is that of the way's instruction form, or a test of the row shows it. In this table **–**
also stands where no test shows anything of the engine.

| way | virtual GPU | lens `ptx` | `guard` | `collide` | `prove` | tests |
|---|---|---|---|---|---|---|
"
    .to_owned();
    for way in ALL {
        let (words, cells, tests) = row(*way);
        let _ = writeln!(out, "| {words} | {} | {tests} |", cells.map(|cell| cell.to_string()).join(" | "));
    }
    out
}

#[test]
fn what_is_heard_of_has_a_way() {
    assert_eq!(of_touch(Place::Texture, TouchKind::Read), Way::Texture);
    assert_eq!(of_proxy(Proxy::Async), Way::BulkCopy);
    assert_eq!(of_event(&HostEvent::Free { base: 0, bytes: 1 }), Some(Way::StreamOrderedMemory));
}
