//! The tasks of accesses in records: launches of kernels, calls and instructions of the host.

use crate::collide::Check;
use crate::sink::First;
use events::finding::Actor;
use events::task::{HostCall, LaunchInfo, SyncUse, TaskKind};
use events::{AccessKind, AsyncOpId, Dim3, SiteId, StreamId, TaskId, TaskInfo};

/// A check with the call that makes the access, if the access is no instruction of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'c> {
    pub check: Check,
    pub call: Option<&'c HostCall>,
    /// Whether the access is only possible: the call stands for a kernel of which there is machine code only.
    pub maybe: bool,
}

impl Checked<'_> {
    /// Returns the instruction's site, or that of the call if it is known.
    pub(super) fn site(&self) -> Option<SiteId> {
        self.call.map_or(Some(self.check.site), |call| call.site)
    }
}

/// Returns the kind of an access. Records do not tell which operation an asynchronous one belongs to.
pub(super) const fn kind(asynchronous: bool, writes: bool) -> AccessKind {
    match (asynchronous, writes) {
        (false, false) => AccessKind::Read,
        (false, true) => AccessKind::Write,
        (true, false) => AccessKind::AsyncRead { op: AsyncOpId(0) },
        (true, true) => AccessKind::AsyncWrite { op: AsyncOpId(0) },
    }
}

/// Returns the indices of a record's block in its grid, and of its thread in the block.
pub(super) fn place(first: &First) -> (u64, u64) {
    let linear = |at: [u32; 3], of: [u32; 3]| {
        let [x, y, z] = at.map(u64::from);
        x + u64::from(of[0]) * (y + u64::from(of[1]) * z)
    };
    (linear(first.block, first.blocks), linear(first.thread, first.threads))
}

/// Returns a launch of the kernel with the facts that the record contains.
pub(super) fn launch(id: TaskId, function: &str, first: Option<First>) -> TaskInfo {
    let extent =
        |of: Option<[u32; 3]>| of.map_or(Dim3::ONE, |[x, y, z]| Dim3::new(x.max(1), y.max(1), z.max(1)));
    let launch = LaunchInfo {
        kernel: function.to_owned(),
        grid: extent(first.map(|f| f.blocks)),
        block: extent(first.map(|f| f.threads)),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 0,
        uses: SyncUse::default(),
    };
    TaskInfo {
        id,
        kind: TaskKind::Launch(launch),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    }
}

/// Returns whether the call stands for an instruction of the host.
pub(super) fn is_host(call: &HostCall) -> bool {
    call.api.is_empty()
}

/// Returns the actor of a call or of a host instruction.
pub(super) fn who(call: &HostCall) -> Actor {
    if is_host(call) { Actor::HostThread(1) } else { Actor::Engine }
}

/// Returns the task of a call that accesses memory, or of the host.
pub(super) fn call(id: TaskId, call: &HostCall) -> TaskInfo {
    TaskInfo {
        id,
        kind: if is_host(call) { TaskKind::HostSegment { thread: 1 } } else { TaskKind::Copy },
        stream: StreamId(0),
        after: Vec::new(),
        call: call.clone(),
        device: 0,
        overlap: None,
        launcher: None,
    }
}
