//! Values of runs with weak memory, in the form of the result file.

use crate::backend::KernelWork;
use events::Space;
use protocol::{WeakAccess, WeakKind, WeakOutcome};
use simt::{Kind, Outcome, ThreadId};

/// Describes a value for the result file; `replay` repeats it.
pub(super) fn describe(outcome: &Outcome, work: &KernelWork, replay: &str) -> WeakOutcome {
    let access = |site, thread: ThreadId, value| WeakAccess {
        site,
        block: work.grid.coordinates(thread.block.into()),
        thread: work.block.coordinates(thread.thread.into()),
        value,
    };
    let Outcome { kind, site, thread, space, address, bytes, path, value, ref missed } = *outcome;
    WeakOutcome {
        kind: match kind {
            Kind::Stale => WeakKind::StaleRead,
            Kind::Overtaken => WeakKind::OvertakenWrite,
            Kind::Early => WeakKind::EarlyRead,
        },
        kernel: work.name().to_owned(),
        access: access(site, thread, value),
        missed: access(missed.site, missed.thread, missed.value),
        shared: space != Space::Global,
        address,
        bytes,
        proxies: path != missed.path,
        allocation: None,
        replay: replay.to_owned(),
        executions: 1,
    }
}
