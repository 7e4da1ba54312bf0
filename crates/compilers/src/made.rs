//! Remembers of which PTX machine code was made.
//!
//! Compilers at run time hand the driver machine code. Whoever sees one at work ([`crate::nvrtc`], [`crate::nvjitlink`], [`crate::ptxas`])
//! remembers here what it made of what: in the process, and in the user's folder of what can be made again, for processes
//! to come, since frameworks keep what they have compiled, too.

use crate::Texts;
use crate::keep::{cache, hash};
use std::collections::HashMap;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The texts of machine code, by its hash.
static KNOWN: Mutex<Option<HashMap<u128, Texts>>> = Mutex::new(None);

/// A longer ELF file is no module.
const MOST_BYTES: u64 = 1 << 31;
const HEADER_BYTES: usize = 64;
/// `SHT_NOBITS`: a section that has no bytes in the file.
const NO_BITS: u64 = 8;

/// `cubin` was made of these texts. What is no ELF file is not remembered.
pub fn remember(cubin: &[u8], texts: Vec<String>) {
    let Some(bytes) = extent(|at, n| cubin.get(at as usize..at as usize + n).map(number)) else { return };
    let Some(cubin) = cubin.get(..bytes as usize) else { return };
    let key = hash(&[cubin]);
    let made = Texts { relocatable: texts.len() > 1, texts, device_runtime: false };
    if let Some(path) = place(bytes, key) {
        // A failure to store the texts is ignored; a later process cannot check this machine code then.
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        let all = made.texts.join("\0");
        if std::fs::write(&beside, all).and_then(|()| std::fs::rename(&beside, &path)).is_err() {
            let _ = std::fs::remove_file(&beside);
        }
    }
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(key, made);
}

/// The same for this process alone.
pub fn remember_here(cubin: &[u8], texts: Vec<String>) {
    let Some(bytes) = extent(|at, n| cubin.get(at as usize..at as usize + n).map(number)) else { return };
    let Some(cubin) = cubin.get(..bytes as usize) else { return };
    let made = Texts { relocatable: texts.len() > 1, texts, device_runtime: false };
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(hash(&[cubin]), made);
}

/// Returns the texts that the ELF file at this address was made of, if they are known.
///
/// # Safety
/// `cubin` points to a whole ELF file, which does not change during the call.
pub(crate) unsafe fn of(cubin: *const c_void) -> Option<Texts> {
    let first: *const u8 = cubin.cast();
    // SAFETY: the file's own header and tables give the extent of the file.
    let read =
        |at: u64, n: usize| Some(number(unsafe { std::slice::from_raw_parts(first.add(at as usize), n) }));
    let bytes = extent(read)? as usize;
    // SAFETY: the ELF file is this long.
    of_bytes(unsafe { std::slice::from_raw_parts(first, bytes) })
}

/// The same of bytes that may have others behind them.
pub fn of_bytes(cubin: &[u8]) -> Option<Texts> {
    let bytes = extent(|at, n| cubin.get(at as usize..at as usize + n).map(number))?;
    let key = hash(&[cubin.get(..bytes as usize)?]);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(made) = known.get(&key) {
        return Some(made.clone());
    }
    let all = std::fs::read_to_string(place(bytes, key)?).ok()?;
    let texts: Vec<String> = all.split('\0').map(str::to_owned).collect();
    let made = Texts { relocatable: texts.len() > 1, texts, device_runtime: false };
    known.insert(key, made.clone());
    Some(made)
}

/// Returns whether an image of so many bytes may be known: others need not be unpacked.
pub fn may_know(bytes: u64) -> bool {
    let near = |known: u64| known <= bytes && bytes < known + 64;
    let Some(folder) = place(0, 0).and_then(|path| path.parent().map(PathBuf::from)) else { return true };
    let Ok(files) = std::fs::read_dir(folder) else { return true };
    files.flatten().any(|file| {
        let name = file.file_name();
        let size =
            name.to_string_lossy().split('-').next().and_then(|size| u64::from_str_radix(size, 16).ok());
        size.is_some_and(near)
    })
}

fn place(bytes: u64, key: u128) -> Option<PathBuf> {
    let folder = cache()?.join("made");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join(format!("{bytes:x}-{key:032x}.ptx")))
}

/// Reads a little-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

/// Returns the size of a 64-bit ELF file according to its tables. `read` reads a number of the given width.
fn extent(read: impl Fn(u64, usize) -> Option<u64>) -> Option<u64> {
    if read(0, 4)? != 0x464c_457f || read(4, 1)? != 2 {
        return None;
    }
    let (programs, sections) = (read(0x20, 8)?, read(0x28, 8)?);
    let [program_bytes, program_count, section_bytes, section_count] =
        [0x36, 0x38, 0x3a, 0x3c].map(|at| read(at, 2).unwrap_or(0));
    let table = |at: u64, each: u64, count: u64| if at == 0 { Some(0) } else { at.checked_add(each * count) };
    let mut end = (HEADER_BYTES as u64).max(table(programs, program_bytes, program_count)?);
    end = end.max(table(sections, section_bytes, section_count)?);
    if end > MOST_BYTES || section_bytes < HEADER_BYTES as u64 {
        return None;
    }
    for n in 0..section_count {
        let at = sections + n * section_bytes;
        if read(at + 4, 4)? != NO_BITS {
            end = end.max(read(at + 0x18, 8)?.checked_add(read(at + 0x20, 8)?)?);
        }
    }
    (end <= MOST_BYTES).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with a header, eight bytes of a section, and a section table with that section and one
    /// that has no bytes.
    fn elf() -> Vec<u8> {
        let mut out = vec![0; 72];
        out[..5].copy_from_slice(b"\x7fELF\x02");
        out[0x28] = 72;
        out[0x3a] = 64;
        out[0x3c] = 2;
        let mut section = |kind: u8, at: u8, bytes: u8| {
            let mut one = vec![0; 64];
            (one[4], one[0x18], one[0x20]) = (kind, at, bytes);
            out.extend(one);
        };
        section(1, 64, 8);
        section(NO_BITS as u8, 64, 255);
        out
    }

    #[test]
    fn what_a_file_was_made_of_is_known_by_its_bytes() {
        let (file, mut other) = (elf(), elf());
        let read = |file: &[u8]| extent(|at, n| file.get(at as usize..at as usize + n).map(number));
        assert_eq!(read(&file), Some(200));
        assert_eq!(read(&file[..100]), None);
        other[64] = 1;
        KNOWN
            .lock()
            .unwrap()
            .get_or_insert_default()
            .insert(hash(&[&file]), Texts { texts: vec![".version 8.0".into()], ..Texts::default() });
        let longer = [&file[..], b"behind"].concat();
        assert_eq!(of_bytes(&longer).unwrap().texts, [".version 8.0"]);
        // SAFETY: the bytes are a whole ELF file.
        assert_eq!(unsafe { of(file.as_ptr().cast()) }.unwrap().texts, [".version 8.0"]);
        assert_eq!(of_bytes(&other), None);
        assert_eq!(of_bytes(b"no file"), None);
    }
}
