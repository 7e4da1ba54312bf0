//! Finds the PTX in the image that a program loads.

use crate::Texts;
use crate::made;
use fatbin::wrapper::{self, Wrapper};
use fatbin::{Kind, container};
use std::ffi::{CStr, c_char, c_void};

/// Returns the PTX of an image for a device of this compute capability. The error is a sentence fragment that
/// says why the image cannot be checked.
///
/// # Safety
/// `image` is what the driver accepts: a wrapper, a container, a cubin or a C string of PTX, which does not change
/// during the call.
pub unsafe fn texts(image: *const c_void, device: u32) -> Result<Texts, String> {
    if image.is_null() {
        return Err("there is no image".into());
    }
    // SAFETY: even the shortest PTX, `.version`, is longer than four bytes.
    let magic = u32::from_le_bytes(unsafe { image.cast::<[u8; 4]>().read_unaligned() });
    match magic {
        // SAFETY: the caller's promise.
        wrapper::MAGIC => unsafe { fatbin(image.cast(), device) },
        container::MAGIC => {
            let wrapper = Wrapper { version: 1, data: image as u64, extra: 0 }.to_bytes();
            // SAFETY: the caller's promise covers the container to which the wrapper points; the wrapper is a
            // local value.
            unsafe { fatbin(wrapper.as_ptr(), device) }
        }
        // `\x7fELF`
        // SAFETY: the caller's promise.
        0x464c_457f => unsafe { made::of(image) }.ok_or_else(|| "it is machine code without PTX".into()),
        _ => {
            // SAFETY: every other image is a C string.
            let text = unsafe { CStr::from_ptr(image.cast::<c_char>()) }.to_string_lossy().into_owned();
            match text.contains(".version") {
                true => Ok(Texts { texts: vec![text], ..Texts::default() }),
                false => Err("it is neither PTX nor a fatbin".into()),
            }
        }
    }
}

/// Returns a copy of a fatbin's container, in words, if an image is a fatbin whose container has at most so many bytes.
///
/// # Safety
/// The conditions of [`texts`].
pub unsafe fn container(image: *const c_void, most: usize) -> Option<Vec<u64>> {
    // SAFETY: the caller's promise.
    let magic = |at: *const c_void| u32::from_le_bytes(unsafe { at.cast::<[u8; 4]>().read_unaligned() });
    let mut at = image;
    if at.is_null() {
        return None;
    }
    if magic(at) == wrapper::MAGIC {
        // SAFETY: a wrapper has the address of its container behind its magic number and its version.
        at = unsafe { at.cast::<u64>().add(1).read_unaligned() } as *const c_void;
    }
    if at.is_null() || magic(at) != container::MAGIC {
        return None;
    }
    // SAFETY: a container begins with its magic number, its version, the bytes of its header, and the bytes behind that.
    let (header, rest) = unsafe {
        let header = at.cast::<u16>().add(3).read_unaligned();
        (usize::from(header), at.cast::<u64>().add(1).read_unaligned() as usize)
    };
    let bytes = header.checked_add(rest).filter(|bytes| *bytes <= most)?;
    let mut words = vec![0u64; bytes.div_ceil(8)];
    // SAFETY: the container has so many bytes, and the words have room for them.
    unsafe { std::ptr::copy_nonoverlapping(at.cast::<u8>(), words.as_mut_ptr().cast::<u8>(), bytes) };
    Some(words)
}

/// Returns the PTX of the container behind a fatbin wrapper.
///
/// # Safety
/// The conditions of [`fatbin::memory::from_memory`].
unsafe fn fatbin(wrapper: *const u8, device: u32) -> Result<Texts, String> {
    // SAFETY: the caller's promise; no part of the result outlives the call.
    let registered = unsafe { fatbin::memory::from_memory(wrapper) }.map_err(|e| e.to_string())?;
    let mut out = Texts::default();
    let containers: Vec<_> = match registered.prelinked.is_empty() {
        true => vec![&registered.main],
        // The main container holds the result of linking these.
        false => registered.prelinked.iter().collect(),
    };
    for container in &containers {
        let runtime = || {
            let runtime = fatbin::device_runtime(&container.entries);
            out.device_runtime |= runtime.is_some();
            runtime
        };
        let Some(entry) = fatbin::best_ptx(&container.entries, device).or_else(runtime) else {
            if let Some(made) = compiled(container, device).filter(|_| containers.len() == 1) {
                return Ok(made);
            }
            let mut images: Vec<String> = container
                .entries
                .iter()
                .map(|e| format!("{} {}", e.arch, if e.kind == Kind::Ptx { "PTX" } else { "cubin" }))
                .collect();
            images.sort_unstable();
            images.dedup();
            return Err(format!("it has no PTX for sm_{device}, only {}", images.join(", ")));
        };
        out.relocatable |= entry.is_relocatable();
        out.texts.push(entry.ptx().map_err(|e| e.to_string())?);
    }
    Ok(out)
}

/// Returns the PTX from which a device's machine code was compiled, if it was compiled under this library.
fn compiled(container: &container::Container<'_>, device: u32) -> Option<Texts> {
    let fits = |entry: &&container::Entry<'_>| {
        entry.kind == Kind::Cubin && entry.arch.sm / 10 == device / 10 && entry.arch.sm <= device
    };
    let entry = container.entries.iter().filter(fits).max_by_key(|entry| entry.arch.sm)?;
    made::may_know(bytes(entry)).then(|| made::of_bytes(&entry.image().ok()?)).flatten()
}

/// Returns the uncompressed size of an image. Producers leave the size 0 for an image that is not compressed.
fn bytes(entry: &container::Entry<'_>) -> u64 {
    match entry.image_bytes {
        0 => entry.payload.len() as u64,
        said => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fatbin::write::ContainerBuilder;
    use fatbin::{Arch, Compression};

    #[test]
    fn all_kinds_of_images_are_told_apart() {
        let mut builder = ContainerBuilder::new();
        builder.ptx(Arch::new(75), (8, 0), ".version 8.0", Compression::Stored);
        builder.ptx(Arch::new(120), (8, 0), ".version 8.7", Compression::Stored);
        let bytes = builder.finish();
        // SAFETY: all of these images live through the calls and are terminated as their format asks.
        let read = |image: *const u8, device| unsafe { texts(image.cast(), device) };
        assert_eq!(read(bytes.as_ptr(), 90).unwrap().texts, [".version 8.0"]);
        assert_eq!(read(bytes.as_ptr(), 120).unwrap().texts, [".version 8.7"]);
        let none = read(bytes.as_ptr(), 70).unwrap_err();
        assert!(none.contains("sm_120 PTX, sm_75 PTX"), "{none}");
        let wrapper = Wrapper { version: 1, data: bytes.as_ptr() as u64, extra: 0 }.to_bytes();
        assert_eq!(read(wrapper.as_ptr(), 90).unwrap().texts, [".version 8.0"]);
        assert_eq!(read(c".version 7.0".as_ptr().cast(), 90).unwrap().texts, [".version 7.0"]);
        // The device runtime has PTX for another device only.
        let mut builder = ContainerBuilder::new();
        builder.ptx(Arch::new(121), (9, 0), "// __CNPRT_VERSION_NUMBER__", Compression::Stored);
        let bytes = builder.finish();
        let runtime = read(bytes.as_ptr(), 90).unwrap();
        assert!(runtime.device_runtime && runtime.texts.len() == 1);
        for other in [c"\x7fELF....".as_ptr().cast(), c"BC what is this".as_ptr().cast(), std::ptr::null()] {
            assert!(read(other, 90).is_err());
        }
    }

    #[test]
    fn what_is_stored_as_it_is_has_its_size() {
        let mut builder = ContainerBuilder::new();
        builder.ptx(Arch::new(75), (8, 0), ".version 8.0\n", Compression::Stored);
        let stored = builder.finish();
        let mut stored = container::Container::parse(&stored).unwrap();
        // nvcc writes the entry so.
        stored.entries[0].image_bytes = 0;
        assert!(bytes(&stored.entries[0]) >= 13);
        stored.entries[0].image_bytes = 400;
        assert_eq!(bytes(&stored.entries[0]), 400);
    }
}
