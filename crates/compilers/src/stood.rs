//! Functions of compilers' libraries that the program calls, and the functions that stand before them.

use crate::nvjitlink;
use crate::nvrtc;
use crate::real::real;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) type Code = c_int;
pub(crate) const SUCCESS: Code = 0;

/// Writes how many bytes an answer has.
pub(crate) type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> Code;

/// A function of a compiler's library, and the one that stands before it.
pub struct Stood {
    name: &'static str,
    wrapper: *const c_void,
    real: AtomicPtr<c_void>,
}

// SAFETY: `wrapper` is the address of a function.
unsafe impl Sync for Stood {}

impl Stood {
    const fn new(name: &'static str, wrapper: *const c_void) -> Stood {
        Stood { name, wrapper, real: AtomicPtr::new(std::ptr::null_mut()) }
    }

    pub fn wrapper(&self) -> *const c_void {
        self.wrapper
    }

    /// The real function was found. A second library's, in one process, is not stood before.
    pub fn found(&self, real: *mut c_void) -> bool {
        let none = std::ptr::null_mut();
        match self.real.compare_exchange(none, real, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(known) => known == real,
        }
    }

    /// The real function; null if there is none.
    pub fn real(&self) -> *mut c_void {
        let known = self.real.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // Linked to the program, or to a library of its.
        let library = if self.name.starts_with("nvrtc") { "libnvrtc.so" } else { "libnvJitLink.so" };
        if let (Some(path), Ok(name)) = (loaded(library), CString::new(self.name)) {
            let found = in_library(&path, &name);
            if !found.is_null() {
                self.found(found);
            }
        }
        self.real.load(Ordering::Acquire)
    }
}

pub(crate) static STOOD: [Stood; 8] = [
    Stood::new("nvrtcGetCUBIN", nvrtc::get_cubin as *const c_void),
    Stood::new("nvJitLinkAddData", nvjitlink::link_data as *const c_void),
    Stood::new("nvJitLinkAddFile", nvjitlink::link_file as *const c_void),
    Stood::new("nvJitLinkGetLinkedCubin", nvjitlink::linked as *const c_void),
    Stood::new("nvJitLinkDestroy", nvjitlink::link_gone as *const c_void),
    Stood::new("nvJitLinkCreate", nvjitlink::link_begins as *const c_void),
    Stood::new("nvrtcCreateProgram", nvrtc::create as *const c_void),
    Stood::new("nvrtcCompileProgram", nvrtc::compile as *const c_void),
];
pub(crate) const NVRTC_CUBIN: usize = 0;
pub(crate) const ADD_DATA: usize = 1;
pub(crate) const ADD_FILE: usize = 2;
pub(crate) const LINKED_CUBIN: usize = 3;
pub(crate) const DESTROY: usize = 4;
pub(crate) const CREATE: usize = 5;
pub(crate) const NVRTC_CREATE: usize = 6;
pub(crate) const NVRTC_COMPILE: usize = 7;

/// Which of them a `dlsym` of this name asks for. nvJitLink's have a version behind them, or none.
pub fn named(name: &CStr) -> Option<&'static Stood> {
    let name = name.to_str().ok()?;
    let is = |stood: &&Stood| match name.strip_prefix("__") {
        None => stood.name == name,
        Some(versioned) => versioned.strip_prefix(stood.name).is_some_and(|rest| {
            rest.starts_with('_') && rest.bytes().all(|b| b == b'_' || b.is_ascii_digit())
        }),
    };
    STOOD.iter().find(is)
}

/// The path of a loaded library whose file's name begins so.
fn loaded(begins: &str) -> Option<CString> {
    struct Search<'a>(&'a str, Option<CString>);
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes its own information, and what it was given.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_>>()) };
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: a C string of the loader's.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) };
        let file = path.to_bytes().rsplit(|&b| b == b'/').next().unwrap_or_default();
        if file.starts_with(search.0.as_bytes()) {
            search.1 = Some(path.to_owned());
        }
        c_int::from(search.1.is_some())
    }
    let mut search = Search(begins, None);
    // SAFETY: `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(one), (&raw mut search).cast()) };
    search.1
}

/// A function of a library that is loaded; null if it has none.
fn in_library(path: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: C strings; a library that is loaded already is not initialised again.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() { std::ptr::null_mut() } else { real()(library, name.as_ptr()) }
    }
}

/// A function of the library that has `of`; null if it has none.
pub(crate) fn beside(of: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: all-zero is a value of this type, and `dladdr` fills it.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(of, &mut info) == 0 || info.dli_fname.is_null() {
            return std::ptr::null_mut();
        }
        in_library(CStr::from_ptr(info.dli_fname), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_with_any_version() {
        let which = |name: &CStr| named(name).map(|stood| stood.name);
        assert_eq!(which(c"nvrtcGetCUBIN"), Some("nvrtcGetCUBIN"));
        assert_eq!(which(c"nvrtcGetCUBINSize"), None);
        assert_eq!(which(c"nvJitLinkAddData"), Some("nvJitLinkAddData"));
        assert_eq!(which(c"__nvJitLinkAddData_12_4"), Some("nvJitLinkAddData"));
        assert_eq!(which(c"__nvJitLinkGetLinkedCubin_13_0"), Some("nvJitLinkGetLinkedCubin"));
        assert_eq!(which(c"__nvJitLinkGetLinkedCubinSize_13_0"), None);
    }
}
