//! Which entry a device would run.

use crate::container::{Entry, Kind};

/// The PTX that a device of compute capability `device` (such as 90) would compile: of those it
/// can run, the one for the highest architecture, and among equals the more specific, then the
/// later in the container.
pub fn best_ptx<'e, 'a>(
    entries: impl IntoIterator<Item = &'e Entry<'a>>,
    device: u32,
) -> Option<&'e Entry<'a>>
where
    'a: 'e,
{
    entries.into_iter().filter(|e| e.kind == Kind::Ptx && e.arch.ptx_runs_on(device)).max_by_key(|e| e.arch)
}
