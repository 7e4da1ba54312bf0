//! Decides whether this thread is the only one that runs the program's code. If it is, a change in memory
//! comes from a device.
//!
//! The driver's own threads access the program's memory through host functions only, which the caller rules
//! out separately. They are recognised by the names that the driver gives them. The check runs inside a
//! signal handler, so it makes system calls only and allocates nothing.

use std::ffi::{CStr, c_long};

/// Size of the buffer for directory entries.
const ENTRIES: usize = 4096;

/// Offsets of the length and the name in `struct linux_dirent64`.
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
        // SAFETY: writes at most `into.len()` bytes.
        let read = unsafe { libc::syscall(which, self.0, into.as_mut_ptr(), into.len()) };
        usize::try_from(read).ok()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: `open` opened the descriptor, and this value owns it.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

/// Returns whether a thread's name is one that the driver or this library uses.
fn is_known(name: &[u8]) -> bool {
    let numbered = |rest: &[u8]| rest.len() >= 8 && rest.iter().all(u8::is_ascii_hexdigit);
    name == b"warprace" || name == b"cuda-EvtHandlr" || name.strip_prefix(b"cuda").is_some_and(numbered)
}

/// Returns whether all other threads of the process belong to the driver or to this library. An unreadable
/// entry counts as another thread.
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

/// Returns whether the thread with this id has a known name.
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
        // The test harness runs each test in a thread of its own.
        assert!(!is_alone());
    }
}
