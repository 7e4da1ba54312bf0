//! The facts of a launch that a proof depends on, as the driver tells them.

use crate::capture::{self, Call};
use crate::driver;
use protocol::proofs::{Arguments, AskedLaunch};
use std::ffi::c_int;

/// Limits the bytes of a launch's arguments.
const MOST_BYTES: usize = 4096;
/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_IS_MANAGED`, and the type of a device's memory.
const MEMORY_TYPE: c_int = 2;
const IS_MANAGED: c_int = 8;
const OF_DEVICE: u32 = 2;

/// The memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An allocation of the device's alone: its begin and its bytes.
    Device(u64, u64),
    /// Memory that the host may access, or whose bounds the driver does not tell.
    Shared,
    /// No memory that the driver knows.
    Unknown,
}

impl Place {
    /// Asks the driver. `allocation` is the allocation that holds the address.
    pub(crate) fn of(address: u64, allocation: Option<(u64, u64)>) -> Place {
        let is_of_device = driver::attribute(MEMORY_TYPE, address) == Some(OF_DEVICE)
            && driver::attribute(IS_MANAGED, address).is_none_or(|managed| managed & 0xff == 0);
        match allocation {
            Some((base, bytes)) if is_of_device => Place::Device(base, bytes),
            Some(_) => Place::Shared,
            None if driver::is_known(address) => Place::Shared,
            None => Place::Unknown,
        }
    }
}

/// Returns the facts of a launch; `None` if an argument leads to memory that the host may access, too. `sizes` are those
/// of the kernel's own parameters.
///
/// # Safety
/// The call's arguments are those of a launch of this kernel.
pub(crate) unsafe fn of(
    kernel: &str,
    sizes: &[usize],
    call: &Call,
    mut place: impl FnMut(u64) -> Place,
) -> Option<AskedLaunch> {
    // SAFETY: the caller's promise.
    let arguments = unsafe { arguments(sizes, call) }?;
    let words: Vec<u64> = match &arguments {
        Arguments::Each(all) => all.iter().flat_map(|bytes| words(bytes)).collect(),
        Arguments::Packed(bytes) => words(bytes).collect(),
    };
    let mut memory: Vec<(u64, u64)> = Vec::new();
    for word in words.into_iter().filter(|&word| word != 0) {
        match place(word) {
            Place::Device(base, bytes) => memory.push((base, bytes)),
            Place::Shared => return None,
            Place::Unknown => {}
        }
    }
    memory.sort_unstable();
    memory.dedup();
    let &Call { grid, block, cooperative, shared, .. } = call;
    Some(AskedLaunch { kernel: kernel.to_owned(), grid, block, cooperative, shared, arguments, memory })
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word))
}

/// Returns a launch's own arguments.
///
/// # Safety
/// That of [`of`].
unsafe fn arguments(sizes: &[usize], call: &Call) -> Option<Arguments> {
    if !call.parameters.is_null() {
        let each = sizes.iter().enumerate().map(|(n, &bytes)| {
            // SAFETY: the caller passes a pointer to each argument, of its parameter's size.
            unsafe { std::slice::from_raw_parts((*call.parameters.add(n)).cast::<u8>(), bytes) }.to_vec()
        });
        return Some(Arguments::Each(each.collect()));
    }
    if call.extra.is_null() {
        return sizes.is_empty().then(Arguments::default);
    }
    // SAFETY: the caller's promise.
    let given = unsafe { capture::buffer(call.extra) }?;
    (given.len() <= MOST_BYTES).then(|| Arguments::Packed(given.to_vec()))
}
