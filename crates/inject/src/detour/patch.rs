//! Overwrites the beginning of a function with a jump.

/// The length of `jmp [rip+0]` with its 8-byte target.
const JUMP_BYTES: usize = 14;
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatchError {
    #[error("the function is shorter than a jump")]
    TooShort,
    #[error("the system does not let its code be changed")]
    Protected,
    #[cfg_attr(target_arch = "x86_64", expect(dead_code))]
    #[error("functions can be replaced on x86-64 only")]
    Architecture,
}

/// Makes pages of code writable while it lives, so that many patches need one change of protection.
pub(crate) struct Unprotected {
    first: usize,
    bytes: usize,
}

impl Unprotected {
    /// Makes the pages of a range writable.
    ///
    /// # Safety
    /// `start..end` is mapped code that is readable and executable, and whose protection no other code
    /// changes.
    pub(crate) unsafe fn new(start: usize, end: usize) -> Result<Self, PatchError> {
        let page = 4096;
        let first = start & !(page - 1);
        let bytes = end.next_multiple_of(page) - first;
        // SAFETY: the caller's promise; the code stays executable, and other threads may run in it.
        let result = unsafe {
            libc::mprotect(first as *mut _, bytes, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)
        };
        if result == 0 { Ok(Unprotected { first, bytes }) } else { Err(PatchError::Protected) }
    }
}

impl Drop for Unprotected {
    fn drop(&mut self) {
        // SAFETY: restores the usual protection of code.
        unsafe {
            libc::mprotect(self.first as *mut _, self.bytes, libc::PROT_READ | libc::PROT_EXEC);
        }
    }
}

/// Returns whether code consists of the fillers that assemblers put between functions.
pub(super) fn is_padding(mut code: &[u8]) -> bool {
    while let Some((&first, rest)) = code.split_first() {
        code = match first {
            0x66 | 0x2e | 0x90 | 0xcc => rest,
            // This is `nop` with an operand: opcode, form, and as many bytes as the form implies.
            0x0f if rest.first() == Some(&0x1f) => {
                let operand = match rest.get(1) {
                    Some(0x00) => 2,
                    Some(0x40) => 3,
                    Some(0x44) => 4,
                    Some(0x80) => 6,
                    Some(0x84) => 7,
                    _ => return false,
                };
                rest.get(operand..).unwrap_or_default()
            }
            _ => return false,
        };
    }
    true
}

/// The alignment of functions; bytes between two functions are padding.
#[cfg(target_arch = "x86_64")]
const FUNCTION_ALIGN: usize = 16;

/// Redirects the function at `entry`, `bytes` long, to `target`. A leading `endbr64` stays, so that indirect
/// calls remain valid under control-flow enforcement.
///
/// # Safety
/// `entry` is a function's first byte in memory made writable by [`Unprotected`]; no thread is executing its
/// first bytes; `target` has the same signature and lives as long as the process.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn redirect(entry: *mut u8, bytes: usize, target: usize) -> Result<(), PatchError> {
    // SAFETY: `bytes` is the function's length, checked before each access.
    let begin = unsafe {
        let marked = bytes >= 4 && std::slice::from_raw_parts(entry, 4) == ENDBR64;
        if marked { 4 } else { 0 }
    };
    // A short function may use the padding behind it.
    let room = (entry as usize + bytes).next_multiple_of(FUNCTION_ALIGN) - entry as usize;
    // SAFETY: code is mapped to at least the alignment of functions.
    let behind = unsafe { std::slice::from_raw_parts(entry.add(bytes), room - bytes) };
    let room = if bytes < begin + JUMP_BYTES && is_padding(behind) { room } else { bytes };
    // SAFETY: the rest of the function and its padding may be overwritten.
    unsafe { redirect_whole(entry.add(begin), room - begin, target) }
}

/// Redirects a function like [`redirect`], from its first byte on.
///
/// # Safety
/// The conditions of [`redirect`].
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn redirect_whole(entry: *mut u8, bytes: usize, target: usize) -> Result<(), PatchError> {
    if bytes < JUMP_BYTES {
        return Err(PatchError::TooShort);
    }
    let mut jump = [0u8; JUMP_BYTES];
    jump[..6].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
    jump[6..].copy_from_slice(&(target as u64).to_le_bytes());
    // SAFETY: the range is inside the function and writable.
    unsafe { std::ptr::copy_nonoverlapping(jump.as_ptr(), entry, JUMP_BYTES) };
    Ok(())
}

/// Fails: only x86-64 is supported.
///
/// # Safety
/// The function does nothing.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn redirect(_: *mut u8, _: usize, _: usize) -> Result<(), PatchError> {
    Err(PatchError::Architecture)
}

/// Fails: only x86-64 is supported.
///
/// # Safety
/// The function does nothing.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn redirect_whole(_: *mut u8, _: usize, _: usize) -> Result<(), PatchError> {
    Err(PatchError::Architecture)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    extern "C" fn answer() -> i32 {
        42
    }

    /// Returns a page of code: an optional `endbr64`, `mov eax, 1`, `ret`, padding.
    fn code(marked: bool) -> *mut u8 {
        let mut bytes = Vec::new();
        if marked {
            bytes.extend_from_slice(&ENDBR64);
        }
        bytes.extend_from_slice(&[0xb8, 1, 0, 0, 0, 0xc3]);
        bytes.resize(64, 0x90);
        // SAFETY: a fresh anonymous page, written, then made executable.
        unsafe {
            let page = libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(page, libc::MAP_FAILED);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), page.cast(), bytes.len());
            libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_EXEC);
            page.cast()
        }
    }

    #[test]
    fn a_redirected_function_answers_for_its_target() {
        for marked in [false, true] {
            let entry = code(marked);
            // SAFETY: `entry` is the code of a function without arguments.
            let call: extern "C" fn() -> i32 = unsafe { std::mem::transmute(entry) };
            assert_eq!(call(), 1);
            // SAFETY: the page belongs to this test and no thread executes it; the signatures agree.
            unsafe {
                let _writable = Unprotected::new(entry as usize, entry as usize + 64).unwrap();
                redirect(entry, 64, answer as *const () as usize).unwrap();
            }
            assert_eq!(call(), 42);
            // SAFETY: reads the page's first bytes.
            let first = unsafe { std::slice::from_raw_parts(entry, 4) };
            assert_eq!(first == ENDBR64, marked);
        }
    }

    #[test]
    fn a_short_function_uses_the_padding_behind_it() {
        let entry = code(false);
        // SAFETY: the page belongs to this test and no thread executes it; the signatures agree.
        unsafe {
            let _writable = Unprotected::new(entry as usize, entry as usize + 64).unwrap();
            redirect(entry, 6, answer as *const () as usize).unwrap();
            let call: extern "C" fn() -> i32 = std::mem::transmute(entry);
            assert_eq!(call(), 42);
        }
    }

    #[test]
    fn a_short_function_is_left_alone() {
        let entry = code(true);
        // SAFETY: the page belongs to this test and no thread executes it; the signatures agree.
        unsafe {
            let _writable = Unprotected::new(entry as usize, entry as usize + 64).unwrap();
            // There is no padding: the next function begins directly behind.
            entry.add(11).write(0x55);
            assert_eq!(redirect(entry, 10, answer as *const () as usize), Err(PatchError::TooShort));
            let call: extern "C" fn() -> i32 = std::mem::transmute(entry);
            assert_eq!(call(), 1);
        }
    }
}
