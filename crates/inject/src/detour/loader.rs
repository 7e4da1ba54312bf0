//! The dynamic loader: the loaded objects, and a notification of further ones.

use super::patch;
use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// An executable or shared library of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoadedObject {
    pub(super) path: PathBuf,
    /// The difference between addresses in memory and in the file.
    pub(super) base: u64,
}

/// Returns all objects, the executable first.
pub(super) fn objects() -> Vec<LoadedObject> {
    unsafe extern "C" fn each(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        out: *mut c_void,
    ) -> libc::c_int {
        // SAFETY: `out` is the vector below; the loader passes a valid description.
        let (out, info) = unsafe { (&mut *out.cast::<Vec<LoadedObject>>(), &*info) };
        // SAFETY: the name is a C string as long as the object is loaded.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) };
        let path = if name.is_empty() {
            // The executable has no name; later objects always have one.
            if !out.is_empty() {
                return 0;
            }
            std::fs::read_link("/proc/self/exe").unwrap_or_else(|_| "/proc/self/exe".into())
        } else {
            PathBuf::from(OsStr::from_bytes(name.to_bytes()))
        };
        out.push(LoadedObject { path, base: info.dlpi_addr });
        0
    }
    let mut out: Vec<LoadedObject> = Vec::new();
    // SAFETY: `each` matches the expected signature and uses the vector only during the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut out).cast()) };
    out
}

/// Returns this library's file and load address.
pub(super) fn own() -> Option<(PathBuf, u64)> {
    object_of(own as *const () as usize)
}

/// Returns the object that contains an address.
pub(super) fn object_of(address: usize) -> Option<(PathBuf, u64)> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` accepts any address; `info` is a local value.
    let info = unsafe {
        if libc::dladdr(address as *const c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's C string for an object that is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some((PathBuf::from(OsStr::from_bytes(name.to_bytes())), info.dli_fbase as u64))
}

static CALLBACK: OnceLock<fn()> = OnceLock::new();

/// `struct r_debug` of `<link.h>`.
#[repr(C)]
struct RDebug {
    version: i32,
    map: *mut c_void,
    /// The function that the loader calls after it has added or removed objects.
    brk: usize,
    state: i32,
    base: usize,
}

/// The address of the loader's `_r_debug`, whose state is read.
static DEBUG: OnceLock<usize> = OnceLock::new();

const RT_CONSISTENT: i32 = 0;

/// The function that replaces `_dl_debug_state`.
extern "C" fn loaded() {
    let consistent = DEBUG.get().is_some_and(|&debug| {
        // SAFETY: the loader's own structure; read only.
        unsafe { (*(debug as *const RDebug)).state == RT_CONSISTENT }
    });
    if consistent && let Some(callback) = CALLBACK.get() {
        callback();
    }
}

/// The reason why the loader's notification is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WatchError {
    #[error("the loader's debugging interface is missing")]
    NoInterface,
    #[error("the loader's notification function is not as expected")]
    UnknownFunction,
    #[error(transparent)]
    Patch(#[from] patch::PatchError),
}

/// Calls `callback` after `dlopen` has added objects, before their constructors run.
///
/// The loader provides a function as a debugger's breakpoint and calls it at exactly that time. The function
/// is empty; its bytes and the padding behind it are overwritten by a jump.
pub(super) fn watch(callback: fn()) -> Result<(), WatchError> {
    // SAFETY: looks up a symbol of the loader.
    let debug = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) };
    if debug.is_null() {
        return Err(WatchError::NoInterface);
    }
    // SAFETY: `_r_debug` is this structure in every glibc.
    let entry = unsafe { (*debug.cast::<RDebug>()).brk };
    let _ = CALLBACK.set(callback);
    let _ = DEBUG.set(debug as usize);
    const ROOM: usize = 16;
    // SAFETY: functions are aligned to 16 bytes in code that is mapped and readable.
    let code = unsafe { std::slice::from_raw_parts(entry as *const u8, ROOM) };
    if entry == 0 || !entry.is_multiple_of(ROOM) || !is_empty_function(code) {
        return Err(WatchError::UnknownFunction);
    }
    // SAFETY: the function is empty up to its padding's end; other threads at worst execute its first byte,
    // `ret`, before or after the change.
    unsafe {
        let _writable = patch::Unprotected::new(entry, entry + ROOM)?;
        patch::redirect_whole(entry as *mut u8, ROOM, loaded as *const () as usize)?;
    }
    Ok(())
}

/// Returns whether code consists of a return and padding.
fn is_empty_function(code: &[u8]) -> bool {
    let code = code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(code);
    let code = code.strip_prefix(&[0xf3]).unwrap_or(code);
    code.strip_prefix(&[0xc3]).is_some_and(patch::is_padding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_comes_first_and_this_code_is_in_it() {
        let objects = objects();
        assert_eq!(objects[0].path, std::fs::read_link("/proc/self/exe").unwrap());
        assert!(objects.len() > 1);
        assert_eq!(own().unwrap().1, objects[0].base);
    }

    #[test]
    fn padding_is_told_from_code() {
        let long_nop = [0xc3, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0];
        assert!(is_empty_function(&long_nop));
        let marked = [0xf3, 0x0f, 0x1e, 0xfa, 0xc3, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x90];
        assert!(is_empty_function(&marked));
        let another = [0xc3, 0x0f, 0x1f, 0, 0x48, 0x89, 0xc3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert!(!is_empty_function(&another));
    }
}
