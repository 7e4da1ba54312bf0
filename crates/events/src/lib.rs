//! The vocabulary of warprace.
//!
//! Engines (the virtual GPU, an instrumented program, a trace file) emit what
//! happened in these words; detectors consume them and answer with findings. An
//! engine never learns which detector listens, and a detector never learns which
//! engine speaks.
//!
//! * [`ids`]: typed identifiers of tasks, blocks, warps, threads and sites.
//! * [`access`]: memory accesses, one per warp instruction.
//! * [`sync`]: barriers, fences, asynchronous completion; [`tensor`]: tensor memory.
//! * [`task`]: kernels, copies, host segments and what orders them; [`observed`]: launches with all that they were given.
//! * [`host`]: what the host's side does, as one enum.
//! * [`observer`]: the traits through which events flow; [`both`] makes one listener of two, [`erased`] one type of all.
//! * [`site`]: where in PTX and in the source an instruction is.
//! * [`written`]: the bytes that a warp instruction stored, compared where lanes overlap.
//! * [`finding`]: what a detector answers; [`pipeline`]: the state of mbarriers beside it.
//!
//! # What is not said
//!
//! What a read has seen is not in its event. The virtual GPU runs in one order, in which a read sees the latest write
//! that was told: `detect::ptx` takes that from its shadow, where the latest write stands anyway. To say it, the engine
//! would need a writer for each byte, a second shadow as large as the detector's, at every store. An engine without a
//! total order cannot be heard by `ptx` for that reason, and says findings of its own (`collide`, `guard`) instead.

pub mod access;
pub mod both;
mod compared;
pub mod erased;
pub mod finding;
pub mod host;
pub mod ids;
pub mod observed;
pub mod observer;
pub mod pipeline;
pub mod site;
pub mod sync;
pub mod task;
mod tell;
pub mod tensor;
pub mod written;

pub use access::{Access, AccessKind, AtomicOp, Proxy, RangeAccess, Scope, Sem, Space, Strength};
pub use both::Both;
pub use erased::Erased;
pub use finding::{Class, Evidence, Finding, Level, Location, Side, SyncNote, TensorGap};
pub use host::{HostEvent, Proof};
pub use ids::{AsyncOpId, BlockId, Dim3, LaneMask, SiteId, StreamId, TaskId, ThreadId, WarpId, is_one_lane};
pub use observed::{ObservedLaunch, ObservedMemory};
pub use observer::{Account, Listener, Monitor, NoMonitor, Observer};
pub use site::{Frame, Role, Site, SiteTable};
pub use sync::{BarrierId, BarrierMembers, Misuse, ProductRegister, RegisterAccess, Sync};
pub use task::{
    AllocKind, Allocation, LaunchFacts, LaunchInfo, Launcher, Overlap, SharedVariable, Surroundings,
    TaskInfo, TaskKind,
};
pub use tell::Tell;
pub use tensor::{Accumulator, Tensor, TensorAction, TensorCells};
pub use written::{Written, WrittenBytes};
