//! Reports the accesses of the host's own instructions to memory that kernels may access.
//!
//! A host access can race only with tasks that were submitted before it and that the host has not waited for.
//! While there are such tasks, the managed and pinned allocations that they may access are *watched*: the
//! program's view of them is inaccessible. A host instruction that touches them faults; the handler
//! ([`fault`]) decodes its address and size ([`host::decode`]), lets that one instruction through while the
//! engine pauses, and reports it as the host segment's access. An instruction that cannot be decoded is let
//! through unreported. System calls are made with the engine's view of the memory, and reported likewise
//! (`system_calls`).
//!
//! Watching never invents a race: an allocation that is not watched, or no longer, only loses some. The
//! exception is an unreported acquire: once one is possible, nothing more is reported until the host has
//! synchronised in a way that is observed.
//!
//! Memory registered by `cudaHostRegister` has no second view and is not watched, which the result states.

#[cfg(target_arch = "x86_64")]
pub(crate) mod fault;
#[cfg(target_arch = "x86_64")]
mod system_calls;

use crate::backend::copy::Side;
use crate::context::{Memory, MemoryKind, State, Work};
use events::{StreamId, TaskId};
use std::ops::Range;

const UNWATCHED: &str = "what the host's own instructions do with memory registered by `cudaHostRegister` while work is in \
                         flight was not checked (memory of `cudaMallocHost` is)";

/// Returns the host-accessible allocations that work may access, judged by its arguments.
fn touched(state: &State, work: &Work) -> Vec<u64> {
    let watchable = |m: &&Memory| m.kind.host_accessible();
    let at = |address: u64| state.find(address).filter(watchable).map(|m| m.base);
    let mut bases: Vec<u64> = match work {
        Work::Kernel(launch) => {
            let words =
                launch.params.chunks_exact(8).filter_map(|w| w.try_into().ok().map(u64::from_le_bytes));
            let mut bases: Vec<u64> = words.filter_map(at).collect();
            // Managed memory may be reached through pointers in managed memory, and managed variables by
            // name.
            let managed = |m: &&Memory| m.kind == MemoryKind::Managed;
            let reached = bases.iter().any(|b| state.allocation(*b).is_some_and(|m| managed(&m)));
            bases.extend(
                state.allocations().filter(|m| managed(m) && (reached || m.name.is_some())).map(|m| m.base),
            );
            bases
        }
        Work::Copy(copy) => [&copy.src, &copy.dst]
            .into_iter()
            .filter_map(|side| match side {
                Side::Memory { address, tracked: true, .. } => at(*address),
                _ => None,
            })
            .collect(),
        Work::Fill(fill) => at(fill.address).into_iter().collect(),
        Work::Operator(ranges) => ranges.iter().filter_map(|(range, _)| at(range.start)).collect(),
        Work::HostFunction(_) | Work::Allocate { .. } | Work::Free { .. } | Work::Gate(_) => Vec::new(),
    };
    bases.sort_unstable();
    bases.dedup();
    bases
}

/// Watches the memory that a task may access, just before the task is submitted.
pub(crate) fn submitted(state: &mut State, chain: StreamId, task: TaskId, work: &Work) {
    if !cfg!(target_arch = "x86_64") || !state.watches_host() {
        return;
    }
    let touched = touched(state, work);
    let memories = || touched.iter().filter_map(|base| state.allocation(*base));
    let registered = memories().any(|memory| memory.kind == MemoryKind::Registered);
    let allocations: Vec<Range<u64>> = memories()
        .filter(|memory| memory.kind != MemoryKind::Registered)
        .map(|memory| memory.base..memory.base + memory.bytes)
        .collect();
    if registered {
        state.results.unchecked(UNWATCHED.to_owned());
    }
    if allocations.is_empty() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    {
        // Following system calls comes first, since calls fail on inaccessible memory.
        if !system_calls::are_followed(state) {
            return;
        }
        host::steps::install::<fault::Watched>();
    }
    state.watch(chain, task, &allocations);
}
