//! Compilers in the program's process, NVRTC and nvJitLink: what they make of which PTX.
//!
//! Nothing of what they say is changed: who asks NVRTC for machine code is given it, and the PTX that it also has is
//! remembered by [`crate::made`]. They are reached by `dlsym` ([`crate::lookup`]) or, NVRTC, by linking.

// What C calls is public to C, not to Rust.
#![allow(unreachable_pub)]

use crate::driver::real;
use crate::{active, log, made};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

type Code = c_int;
const SUCCESS: Code = 0;
/// `NVRTC_ERROR_INTERNAL_ERROR`
const INTERNAL: Code = 11;

/// A function of a compiler's library, and the one that stands before it.
pub(crate) struct Stood {
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

    pub(crate) fn wrapper(&self) -> *const c_void {
        self.wrapper
    }

    /// The real function was found. A second library's, in one process, is not stood before.
    pub(crate) fn found(&self, real: *mut c_void) -> bool {
        let none = std::ptr::null_mut();
        match self.real.compare_exchange(none, real, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(known) => known == real,
        }
    }

    /// The real function; null if there is none.
    pub(crate) fn real(&self) -> *mut c_void {
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

static STOOD: [Stood; 5] = [
    Stood::new("nvrtcGetCUBIN", exported::nvrtcGetCUBIN as *const c_void),
    Stood::new("nvJitLinkAddData", link_data as *const c_void),
    Stood::new("nvJitLinkAddFile", link_file as *const c_void),
    Stood::new("nvJitLinkGetLinkedCubin", linked as *const c_void),
    Stood::new("nvJitLinkDestroy", link_gone as *const c_void),
];
const NVRTC_CUBIN: usize = 0;
const ADD_DATA: usize = 1;
const ADD_FILE: usize = 2;
const LINKED_CUBIN: usize = 3;
const DESTROY: usize = 4;

/// Which of them a `dlsym` of this name asks for. nvJitLink's have a version behind them, or none.
pub(crate) fn named(name: &CStr) -> Option<&'static Stood> {
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
fn beside(of: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: all-zero is a value of this type, and `dladdr` fills it.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(of, &mut info) == 0 || info.dli_fname.is_null() {
            return std::ptr::null_mut();
        }
        in_library(CStr::from_ptr(info.dli_fname), name)
    }
}

type Program = *mut c_void;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Code;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> Code;

/// What programs that are linked to NVRTC find.
mod exported {
    use super::*;

    /// # Safety
    /// As NVRTC's.
    #[allow(non_snake_case)]
    #[cfg_attr(not(test), unsafe(no_mangle))]
    pub unsafe extern "C" fn nvrtcGetCUBIN(program: Program, cubin: *mut c_char) -> Code {
        let real = STOOD[NVRTC_CUBIN].real();
        if real.is_null() {
            return INTERNAL;
        }
        // SAFETY: NVRTC's function of this name has this type; the caller's arguments.
        let code = unsafe { std::mem::transmute::<*mut c_void, Get>(real)(program, cubin) };
        if code == SUCCESS && !cubin.is_null() && active::is_active() {
            // SAFETY: it has just been written.
            unsafe { compiled(real, program, cubin) };
        }
        code
    }
}

/// # Safety
/// `real` is NVRTC's `nvrtcGetCUBIN`, and has written `cubin` for `program`.
unsafe fn compiled(real: *mut c_void, program: Program, cubin: *mut c_char) {
    let [cubin_size, ptx_size, get] =
        [c"nvrtcGetCUBINSize", c"nvrtcGetPTXSize", c"nvrtcGetPTX"].map(|name| beside(real, name));
    if cubin_size.is_null() || ptx_size.is_null() || get.is_null() {
        return;
    }
    // SAFETY: NVRTC's functions of these names have these types, write a size, and as many bytes.
    unsafe {
        let (cubin_size, ptx_size) = (
            std::mem::transmute::<*mut c_void, Size>(cubin_size),
            std::mem::transmute::<*mut c_void, Size>(ptx_size),
        );
        let get = std::mem::transmute::<*mut c_void, Get>(get);
        let (mut bytes, mut length) = (0, 0);
        if cubin_size(program, &mut bytes) != SUCCESS || ptx_size(program, &mut length) != SUCCESS {
            return;
        }
        let mut text = vec![0u8; length];
        if length == 0 || get(program, text.as_mut_ptr().cast()) != SUCCESS {
            return;
        }
        let end = text.iter().position(|&b| b == 0).unwrap_or(length);
        let text = String::from_utf8_lossy(&text[..end]).into_owned();
        log::note(|| format!("NVRTC made {bytes} bytes of machine code of {end} bytes of PTX"));
        made::remember(std::slice::from_raw_parts(cubin.cast(), bytes), vec![text]);
    }
}

/// What was given to each linker; `None` if it was not PTX alone.
static LINKERS: Mutex<Option<HashMap<usize, Option<Vec<String>>>>> = Mutex::new(None);

fn given(linker: *mut c_void, text: Option<String>) {
    let mut linkers = LINKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = linkers.get_or_insert_default().entry(linker as usize).or_insert_with(|| Some(Vec::new()));
    match (texts.as_mut(), text) {
        (Some(texts), Some(text)) => texts.push(text),
        _ => *texts = None,
    }
}

fn taken(linker: *mut c_void) -> Option<Vec<String>> {
    let mut linkers = LINKERS.lock().unwrap_or_else(PoisonError::into_inner);
    linkers.get_or_insert_default().remove(&(linker as usize)).flatten()
}

/// `NVJITLINK_INPUT_PTX`
const PTX: c_int = 2;
/// `NVJITLINK_ERROR_INTERNAL`
const LINK_INTERNAL: Code = 6;

unsafe extern "C" fn link_data(
    linker: *mut c_void,
    kind: c_int,
    data: *const c_void,
    bytes: usize,
    name: *const c_char,
) -> Code {
    type Real = unsafe extern "C" fn(*mut c_void, c_int, *const c_void, usize, *const c_char) -> Code;
    let real = STOOD[ADD_DATA].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    // SAFETY: nvJitLink's function of this name has this type; the caller's arguments.
    let code = unsafe { std::mem::transmute::<*mut c_void, Real>(real)(linker, kind, data, bytes, name) };
    if code == SUCCESS {
        let text = (kind == PTX && !data.is_null()).then(|| {
            // SAFETY: the caller says how long it is.
            let text = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) };
            let end = text.iter().position(|&b| b == 0).unwrap_or(bytes);
            String::from_utf8_lossy(&text[..end]).into_owned()
        });
        given(linker, text);
    }
    code
}

unsafe extern "C" fn link_file(linker: *mut c_void, kind: c_int, file: *const c_char) -> Code {
    type Real = unsafe extern "C" fn(*mut c_void, c_int, *const c_char) -> Code;
    let real = STOOD[ADD_FILE].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    given(linker, None);
    // SAFETY: nvJitLink's function of this name has this type; the caller's arguments.
    unsafe { std::mem::transmute::<*mut c_void, Real>(real)(linker, kind, file) }
}

unsafe extern "C" fn linked(linker: *mut c_void, cubin: *mut c_void) -> Code {
    type Real = unsafe extern "C" fn(*mut c_void, *mut c_void) -> Code;
    let real = STOOD[LINKED_CUBIN].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    // SAFETY: nvJitLink's function of this name has this type; the caller's arguments.
    let code = unsafe { std::mem::transmute::<*mut c_void, Real>(real)(linker, cubin) };
    let size = beside(real, c"nvJitLinkGetLinkedCubinSize");
    if code == SUCCESS
        && !cubin.is_null()
        && !size.is_null()
        && let Some(texts) = taken(linker).filter(|texts| !texts.is_empty())
    {
        let mut bytes = 0;
        // SAFETY: nvJitLink's function of this name has this type, and tells how much it has written.
        unsafe {
            if std::mem::transmute::<*mut c_void, Size>(size)(linker, &mut bytes) == SUCCESS {
                log::note(|| {
                    format!("nvJitLink made {bytes} bytes of machine code of {} texts", texts.len())
                });
                made::remember(std::slice::from_raw_parts(cubin.cast(), bytes), texts);
            }
        }
    }
    code
}

unsafe extern "C" fn link_gone(linker: *mut *mut c_void) -> Code {
    type Real = unsafe extern "C" fn(*mut *mut c_void) -> Code;
    let real = STOOD[DESTROY].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    if !linker.is_null() {
        // SAFETY: the caller's handle.
        taken(unsafe { *linker });
    }
    // SAFETY: nvJitLink's function of this name has this type; the caller's argument.
    unsafe { std::mem::transmute::<*mut c_void, Real>(real)(linker) }
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

    #[test]
    fn what_was_linked_is_told_of_ptx_alone() {
        let (one, two) = (8 as *mut c_void, 16 as *mut c_void);
        given(one, Some("a".into()));
        given(one, Some("b".into()));
        given(two, Some("c".into()));
        given(two, None);
        assert_eq!(taken(one), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((taken(one), taken(two)), (None, None));
    }
}
