//! Races of tensor memory, in words.

use events::{Finding, SyncNote, TensorGap};

/// Returns what is missing between the two operations; without a note, a wait for the first one.
pub(crate) fn gap(finding: &Finding) -> TensorGap {
    let noted = finding.notes.iter().find_map(|note| match note {
        SyncNote::Tensor(gap) => Some(*gap),
        _ => None,
    });
    noted.unwrap_or(TensorGap::Commit)
}

/// Returns why nothing orders the two operations.
pub(crate) fn why(gap: TensorGap) -> &'static str {
    match gap {
        TensorGap::Load => {
            "a load from tensor memory is asynchronous: its warp has not waited for it by `tcgen05.wait::ld` before (2) is \
             issued. That its registers are used does not order it (PTX §9.7.17.6)"
        }
        TensorGap::Store => {
            "a store to tensor memory is asynchronous: its warp has not waited for it by `tcgen05.wait::st` before (2) is \
             issued (PTX §9.7.17.6)"
        }
        TensorGap::Commit => {
            "the operation (1) is asynchronous, no `tcgen05.commit` of its thread tracks it, and the two are no pipeline, \
             whose operations are executed in the order in which they are issued (PTX §9.7.17.6.2)"
        }
        TensorGap::Phase => {
            "a `tcgen05.commit` tracks the operation (1), but (2) is issued before its thread has waited for that phase of \
             the mbarrier (PTX §9.7.17.6.2)"
        }
        TensorGap::Before => {
            "the two operations form a pipeline, but different threads issue them, and no \
             `tcgen05.fence::before_thread_sync` behind (1) is followed by synchronisation with the thread of (2) (PTX \
             §9.7.17.6.4)"
        }
        TensorGap::After => {
            "the thread of (2) has observed the completion of (1) by a relaxed operation alone, and no \
             `tcgen05.fence::after_thread_sync` follows it (PTX §9.7.17.6.4)"
        }
        TensorGap::Threads => {
            "the warp of (1) has waited for it, but nothing orders that wait before (2) (PTX §9.7.17.6.4)"
        }
    }
}

/// Returns the words of the remedy; `at` is where it goes.
pub(crate) fn remedy(gap: TensorGap, at: &str) -> String {
    match gap {
        TensorGap::Load => {
            format!("put `tcgen05.wait::ld.sync.aligned` {at}, in the warp that loads")
        }
        TensorGap::Store => {
            format!("put `tcgen05.wait::st.sync.aligned` {at}, in the warp that stores")
        }
        TensorGap::Commit => format!(
            "track (1) by `tcgen05.commit` to an mbarrier, and wait {at} for its phase (`mbarrier.try_wait`)"
        ),
        TensorGap::Phase => {
            format!("wait {at} for the phase of the mbarrier at which `tcgen05.commit` arrives")
        }
        TensorGap::Before => {
            format!("put `tcgen05.fence::before_thread_sync` {at}, before the threads synchronise")
        }
        TensorGap::After => format!(
            "put `tcgen05.fence::after_thread_sync` {at}, behind the wait, or let the wait acquire (without `.relaxed`)"
        ),
        TensorGap::Threads => {
            format!("synchronise the two threads {at}, behind `tcgen05.wait` (a barrier, or an mbarrier)")
        }
    }
}

/// Returns the word that a program with the remedy has.
pub fn instruction(gap: TensorGap) -> &'static str {
    match gap {
        TensorGap::Load => "wait::ld",
        TensorGap::Store => "wait::st",
        TensorGap::Commit => "commit",
        TensorGap::Phase | TensorGap::Threads => "wait",
        TensorGap::Before => "before_thread_sync",
        TensorGap::After => "after_thread_sync",
    }
}
