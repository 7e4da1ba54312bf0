//! Functions of compilers' libraries, and the functions that stand before them.

use crate::real::real;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) type Code = c_int;
pub(crate) const SUCCESS: Code = 0;

/// Writes an answer.
pub(crate) type Get = unsafe extern "C" fn(*mut c_void, *mut c_char) -> Code;

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
    pub(crate) const fn new(name: &'static str, wrapper: *const c_void) -> Stood {
        Stood { name, wrapper, real: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Returns whether a `dlsym` of this name asks for it. nvJitLink's have a version behind them, or none.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        match name.strip_prefix("__") {
            None => self.name == name,
            Some(versioned) => versioned.strip_prefix(self.name).is_some_and(|rest| {
                rest.starts_with('_') && rest.bytes().all(|b| b == b'_' || b.is_ascii_digit())
            }),
        }
    }

    /// Its name, without a version.
    #[cfg(test)]
    pub(crate) fn name(&self) -> &'static str {
        self.name
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

/// Returns whether an address lies in the object that contains this crate.
pub(crate) fn is_own(address: *const c_void) -> bool {
    let base = |address: *const c_void| {
        // SAFETY: all-zero is a value of this type, and `dladdr` fills it.
        unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            if libc::dladdr(address, &mut info) == 0 { std::ptr::null_mut() } else { info.dli_fbase }
        }
    };
    let own = base(is_own as *const c_void);
    !own.is_null() && base(address) == own
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
