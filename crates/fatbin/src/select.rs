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

/// Returns the PTX of the device runtime, which the toolkit links into programs built with `-rdc=true`: as machine code for
/// every device, and as PTX for the newest only. The PTX uses no more than any device has.
pub fn device_runtime<'e, 'a>(entries: &'e [Entry<'a>]) -> Option<&'e Entry<'a>> {
    let ptx = entries.iter().find(|entry| entry.kind == Kind::Ptx)?;
    ptx.ptx().is_ok_and(|text| is_device_runtime(&text)).then_some(ptx)
}

/// Returns whether a text is the PTX of the device runtime.
pub fn is_device_runtime(text: &str) -> bool {
    text.contains("__CNPRT_VERSION_NUMBER__")
}
