//! Is the program at work in this thread alone? What changes in memory then was changed by a device.
//!
//! The driver's own threads touch nothing of the program's but what host functions do there, which are asked for elsewhere. They are known by the names
//! that the driver gives them. Asked in a handler: the system alone is called, and nothing is allocated.

use std::ffi::{CStr, c_long};

/// Bytes of entries of a folder that are read at once.
const ENTRIES: usize = 4096;

/// `struct linux_dirent64`: where its length and its name stand.
const LENGTH: usize = 16;
const NAME: usize = 19;

struct File(c_long);

impl File {
    fn open(path: &CStr) -> Option<File> {
        // SAFETY: a C string.
        let file = unsafe {
            libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC)
        };
        (file >= 0).then_some(File(file))
    }

    fn call(&self, which: c_long, into: &mut [u8]) -> Option<usize> {
        // SAFETY: writes no more than the buffer has.
        let read = unsafe { libc::syscall(which, self.0, into.as_mut_ptr(), into.len()) };
        usize::try_from(read).ok()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: opened here, and nobody else's.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

/// Is a thread of this name the driver's, or the library's own?
fn is_known(name: &[u8]) -> bool {
    let numbered = |rest: &[u8]| rest.len() >= 8 && rest.iter().all(u8::is_ascii_hexdigit);
    name == b"warprace" || name == b"cuda-EvtHandlr" || name.strip_prefix(b"cuda").is_some_and(numbered)
}

/// Has the process no other threads than this one and those that are known? What cannot be read says no.
pub(super) fn is_alone() -> bool {
    // SAFETY: has no preconditions.
    let own = unsafe { libc::syscall(libc::SYS_gettid) } as u64;
    let Some(folder) = File::open(c"/proc/self/task") else { return false };
    let mut entries = [0; ENTRIES];
    loop {
        let Some(bytes) = folder.call(libc::SYS_getdents64, &mut entries) else { return false };
        if bytes == 0 {
            return true;
        }
        let mut rest = &entries[..bytes.min(ENTRIES)];
        while rest.len() > NAME {
            let length = usize::from(u16::from_le_bytes([rest[LENGTH], rest[LENGTH + 1]]));
            if length <= NAME || length > rest.len() {
                return false;
            }
            let name = rest[NAME..length].split(|byte| *byte == 0).next().unwrap_or_default();
            rest = &rest[length..];
            let digits = name.iter().all(u8::is_ascii_digit);
            if digits && !name.is_empty() && number(name) != own && !is_named_so(name) {
                return false;
            }
        }
    }
}

fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |all, digit| all * 10 + u64::from(digit - b'0'))
}

/// Has the thread of this number a name that is known?
fn is_named_so(thread: &[u8]) -> bool {
    let mut path = [0; 48];
    let mut end = 0;
    for part in [b"/proc/self/task/", thread, b"/comm"] {
        let Some(into) = path.get_mut(end..end + part.len()) else { return false };
        into.copy_from_slice(part);
        end += part.len();
    }
    let Ok(path) = CStr::from_bytes_until_nul(&path) else { return false };
    let mut name = [0; 32];
    let Some(bytes) = File::open(path).and_then(|file| file.call(libc::SYS_read, &mut name)) else {
        return false;
    };
    is_known(name[..bytes.min(name.len())].strip_suffix(b"\n").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_driver_are_known_by_their_names() {
        assert!(is_known(b"cuda-EvtHandlr") && is_known(b"cuda00001400006") && is_known(b"warprace"));
        assert!(
            !is_known(b"cuda") && !is_known(b"cuda-worker") && !is_known(b"cudafeed") && !is_known(b"app")
        );
        // Tests have a thread of their own each.
        assert!(!is_alone());
    }
}
