//! Containers of a running program, from the wrapper it registered.

use crate::container::{Container, HEADER_BYTES, header, u64_at};
use crate::error::Error;
use crate::wrapper::{self, Wrapper};
use std::ops::Range;

/// More prelinked containers than any program has: a bound on a list that ends with 0.
const MAX_PRELINKED: usize = 1 << 16;

/// The fatbin that one call of `__cudaRegisterFatBinary` registers.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The container itself. With `-rdc=true` it holds cubins at most.
    pub main: Container<'static>,
    /// The containers that were linked into it, one per translation unit, in order.
    pub prelinked: Vec<Container<'static>>,
}

/// Reads the containers behind a registered wrapper.
///
/// # Safety
/// The conditions of [`Mappings::registered`].
pub unsafe fn from_memory(wrapper: *const u8) -> Result<Registered, Error> {
    // SAFETY: the caller's promise.
    unsafe { Mappings::of_process().registered(wrapper) }
}

/// The readable address ranges of this process when it was asked, neighbours merged.
pub struct Mappings(Vec<Range<u64>>);

impl Mappings {
    /// Reads the kernel's list. Without `/proc` the ranges are everything: then wrappers are trusted, as the CUDA runtime does.
    pub fn of_process() -> Mappings {
        Mappings(match std::fs::read_to_string("/proc/thread-self/maps") {
            Ok(text) => parse_mappings(&text),
            Err(_) => Vec::from([Range { start: 1, end: u64::MAX }]),
        })
    }

    /// Reads the containers behind a registered wrapper.
    ///
    /// Every read is checked against these ranges, so that a damaged wrapper is an error rather than a fault.
    ///
    /// # Safety
    /// `wrapper` is the address of anything at all, but whatever is readable behind it and behind
    /// the addresses in it must neither change nor be unmapped from the list's reading until the result is no
    /// longer in use: true for the data of a loaded program or library until it is unloaded.
    pub unsafe fn registered(&self, wrapper: *const u8) -> Result<Registered, Error> {
        // SAFETY: the caller vouches for the memory's lifetime, and `bytes` checks that it is readable.
        let bytes = |at, length, what| unsafe { bytes(&self.0, at, length, what) };
        let container = |at: u64| -> Result<Container<'static>, Error> {
            let total = header(bytes(at, HEADER_BYTES as u64, "container header")?)?;
            Container::parse(bytes(at, total, "container")?)
        };
        let wrapper = Wrapper::parse(bytes(wrapper as u64, wrapper::BYTES as u64, "wrapper")?)?;
        let main = container(wrapper.data)?;
        let mut prelinked = Vec::new();
        if wrapper.version == 2 && wrapper.extra != 0 {
            for i in 0..MAX_PRELINKED as u64 {
                let slot = wrapper.extra.wrapping_add(8 * i);
                match u64_at(bytes(slot, 8, "list of prelinked containers")?, 0) {
                    0 => break,
                    at => prelinked.push(container(at)?),
                }
            }
        }
        Ok(Registered { main, prelinked })
    }
}

/// # Safety
/// The memory, where readable, must not change or go away.
unsafe fn bytes(
    mappings: &[Range<u64>],
    at: u64,
    length: u64,
    what: &'static str,
) -> Result<&'static [u8], Error> {
    let unreadable = Error::Unreadable { what, address: at };
    let end = at.checked_add(length).ok_or(unreadable.clone())?;
    if !mappings.iter().any(|m| m.start <= at && end <= m.end) {
        return Err(unreadable);
    }
    // SAFETY: the range is readable by the mappings just looked up, is not null (address 0 is
    // never mapped readable), and lives on by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(at as *const u8, length as usize) })
}

fn parse_mappings(text: &str) -> Vec<Range<u64>> {
    let mut out: Vec<Range<u64>> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
        let Some((start, end)) = range.split_once('-') else { continue };
        let (Ok(start), Ok(end)) = (u64::from_str_radix(start, 16), u64::from_str_radix(end, 16)) else {
            continue;
        };
        if !rights.starts_with('r') {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => out.push(start..end),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Arch;
    use crate::compress::Compression;
    use crate::write::ContainerBuilder;

    fn leak(ptx: &str) -> &'static [u8] {
        let mut b = ContainerBuilder::new();
        b.ptx(Arch::new(90), (9, 0), ptx, Compression::Zstd);
        b.finish().leak()
    }

    #[test]
    fn reads_main_and_prelinked_containers() {
        let (main, a, b) = (leak(".version 9.0"), leak("a"), leak("b"));
        let list: &'static [u64] = vec![a.as_ptr() as u64, b.as_ptr() as u64, 0].leak();
        let wrapper =
            Wrapper { version: 2, data: main.as_ptr() as u64, extra: list.as_ptr() as u64 }.to_bytes();
        // SAFETY: everything behind the wrapper is leaked and constant.
        let got = unsafe { from_memory(wrapper.as_ptr()) }.unwrap();
        assert_eq!(got.main.entries[0].ptx().unwrap(), ".version 9.0");
        let texts: Vec<_> = got.prelinked.iter().map(|c| c.entries[0].ptx().unwrap()).collect();
        assert_eq!(texts, ["a", "b"]);
    }

    #[test]
    fn version_1_ignores_extra() {
        let main = leak("x");
        let wrapper = Wrapper { version: 1, data: main.as_ptr() as u64, extra: 1 }.to_bytes();
        // SAFETY: as above; address 1 is not readable and must not be read.
        assert!(unsafe { from_memory(wrapper.as_ptr()) }.unwrap().prelinked.is_empty());
    }

    #[test]
    fn wild_addresses_are_errors() {
        for data in [0, 1, 0xffff_ffff_ffff_fff0, 0xdead_beef_0000] {
            let wrapper = Wrapper { version: 1, data, extra: 0 }.to_bytes();
            // SAFETY: nothing readable is behind these addresses.
            let got = unsafe { from_memory(wrapper.as_ptr()) };
            assert_eq!(got.unwrap_err(), Error::Unreadable { what: "container header", address: data });
        }
        // SAFETY: address 8 is never mapped.
        assert!(unsafe { from_memory(8 as *const u8) }.is_err());
    }

    #[test]
    fn mappings_merge_neighbours_and_skip_the_unreadable() {
        let text = "1000-2000 r--p 0 0:0 0 /a\n2000-3000 rw-p 0 0:0 0\n3000-4000 ---p 0 0:0 0\n5000-6000 r-xp 0 0:0 0 /b c\n";
        assert_eq!(parse_mappings(text), [0x1000..0x3000, 0x5000..0x6000]);
    }
}
