//! Observes NVRTC and nvJitLink in the program's process, and records which PTX their machine code comes
//! from.
//!
//! The results that the program receives stay unchanged. If the program asks NVRTC for machine code, the PTX
//! that NVRTC also has is recorded in [`crate::made`]. A link with link-time optimisation (LTO, as Numba uses
//! it) is repeated with PTX as its output. These libraries are interposed by `dlsym` ([`crate::lookup`]);
//! NVRTC also by linking.

// C callers see these items, Rust callers do not.
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

/// A function of a compiler library and its wrapper.
pub(crate) struct Stood {
    name: &'static str,
    wrapper: *const c_void,
    real: AtomicPtr<c_void>,
}

// SAFETY: `wrapper` is the address of a function, which may be shared between threads.
unsafe impl Sync for Stood {}

impl Stood {
    const fn new(name: &'static str, wrapper: *const c_void) -> Stood {
        Stood { name, wrapper, real: AtomicPtr::new(std::ptr::null_mut()) }
    }

    pub(crate) fn wrapper(&self) -> *const c_void {
        self.wrapper
    }

    /// Stores the address of the real function. Returns false for the function of a second library in the
    /// same process, which is not interposed.
    pub(crate) fn found(&self, real: *mut c_void) -> bool {
        let none = std::ptr::null_mut();
        match self.real.compare_exchange(none, real, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(known) => known == real,
        }
    }

    /// Returns the real function; null if there is none.
    pub(crate) fn real(&self) -> *mut c_void {
        let known = self.real.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // The library may be linked to the program or to one of its libraries.
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

static STOOD: [Stood; 6] = [
    Stood::new("nvrtcGetCUBIN", exported::nvrtcGetCUBIN as *const c_void),
    Stood::new("nvJitLinkAddData", link_data as *const c_void),
    Stood::new("nvJitLinkAddFile", link_file as *const c_void),
    Stood::new("nvJitLinkGetLinkedCubin", linked as *const c_void),
    Stood::new("nvJitLinkDestroy", link_gone as *const c_void),
    Stood::new("nvJitLinkCreate", link_begins as *const c_void),
];
const NVRTC_CUBIN: usize = 0;
const ADD_DATA: usize = 1;
const ADD_FILE: usize = 2;
const LINKED_CUBIN: usize = 3;
const DESTROY: usize = 4;
const CREATE: usize = 5;

/// Returns the entry for a `dlsym` of this name. nvJitLink's names may end in a version.
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

/// Returns the path of a loaded library whose file name begins with `begins`.
fn loaded(begins: &str) -> Option<CString> {
    struct Search<'a>(&'a str, Option<CString>);
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes its own information and the pointer that it received.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_>>()) };
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: a C string of the loader.
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

/// Returns a function of a loaded library; null if it has none.
fn in_library(path: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: C strings; `RTLD_NOLOAD` does not initialise a loaded library again.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() { std::ptr::null_mut() } else { real()(library, name.as_ptr()) }
    }
}

/// Returns a function of the library that contains the address `of`; null if it has none.
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

/// The exported wrapper, which the linker binds for programs linked to NVRTC.
mod exported {
    use super::*;

    /// Wraps NVRTC's `nvrtcGetCUBIN`.
    ///
    /// # Safety
    /// The conditions of NVRTC's function.
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
            // SAFETY: NVRTC has just written `cubin`.
            unsafe { compiled(real, program, cubin) };
        }
        code
    }
}

/// Records the PTX of a program whose cubin was read.
///
/// # Safety
/// `real` is NVRTC's `nvrtcGetCUBIN`, and has written `cubin` for `program`.
unsafe fn compiled(real: *mut c_void, program: Program, cubin: *mut c_char) {
    let [cubin_size, ptx_size, get] =
        [c"nvrtcGetCUBINSize", c"nvrtcGetPTXSize", c"nvrtcGetPTX"].map(|name| beside(real, name));
    if cubin_size.is_null() || ptx_size.is_null() || get.is_null() {
        return;
    }
    // SAFETY: NVRTC's functions of these names have these types; they write a size, and as many bytes as
    // that.
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

/// An input of a linker.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Ptx(String),
    /// LTO-IR, with its name.
    Lto(Vec<u8>, CString),
    /// Any other input.
    Other,
}

/// A linker: its options, if its creation was observed, and its inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Linker {
    options: Option<Vec<CString>>,
    given: Vec<Given>,
}

impl Linker {
    /// Returns the inputs if all of them are PTX.
    fn texts(&self) -> Option<Vec<String>> {
        let text = |given: &Given| match given {
            Given::Ptx(text) => Some(text.clone()),
            _ => None,
        };
        let texts: Vec<String> = self.given.iter().map(text).collect::<Option<_>>()?;
        (!texts.is_empty()).then_some(texts)
    }

    /// Returns the options and inputs for a link that yields PTX, if all inputs are LTO-IR.
    fn whole(&self) -> Option<(Vec<CString>, Vec<Lto<'_>>)> {
        let is_one = |given: &Given| matches!(given, Given::Lto(..));
        if self.given.is_empty() || !self.given.iter().all(is_one) {
            return None;
        }
        let mut options = self.options.clone()?;
        options.retain(|option| option.as_c_str() != c"-ptx");
        options.push(c"-ptx".to_owned());
        let inputs = self.given.iter().filter_map(|given| match given {
            Given::Lto(bytes, name) => Some((&bytes[..], name.as_c_str())),
            _ => None,
        });
        Some((options, inputs.collect()))
    }
}

/// An input of LTO-IR, and its name.
type Lto<'a> = (&'a [u8], &'a CStr);

/// The linkers by their handles.
static LINKERS: Mutex<Option<HashMap<usize, Linker>>> = Mutex::new(None);

fn begun(linker: *mut c_void, options: Vec<CString>) {
    let mut linkers = LINKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let one = Linker { options: Some(options), given: Vec::new() };
    linkers.get_or_insert_default().insert(linker as usize, one);
}

fn given(linker: *mut c_void, what: Given) {
    let mut linkers = LINKERS.lock().unwrap_or_else(PoisonError::into_inner);
    linkers.get_or_insert_default().entry(linker as usize).or_default().given.push(what);
}

fn taken(linker: *mut c_void) -> Linker {
    let mut linkers = LINKERS.lock().unwrap_or_else(PoisonError::into_inner);
    linkers.get_or_insert_default().remove(&(linker as usize)).unwrap_or_default()
}

/// `NVJITLINK_INPUT_PTX`, `_LTOIR`
const PTX: c_int = 2;
const LTOIR: c_int = 3;
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
    if code == SUCCESS && active::is_active() {
        let bytes = match data.is_null() {
            true => &[],
            // SAFETY: the caller passes the length of `data`.
            false => unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) },
        };
        let what = match kind {
            PTX => {
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                Given::Ptx(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            LTOIR => {
                let name = match name.is_null() {
                    true => c"",
                    // SAFETY: the caller passes a C string.
                    false => unsafe { CStr::from_ptr(name) },
                };
                Given::Lto(bytes.to_vec(), name.to_owned())
            }
            _ => Given::Other,
        };
        given(linker, what);
    }
    code
}

type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> Code;

unsafe extern "C" fn link_begins(
    linker: *mut *mut c_void,
    number: u32,
    options: *const *const c_char,
) -> Code {
    let real = STOOD[CREATE].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    // SAFETY: nvJitLink's function of this name has this type; the caller's arguments.
    let code = unsafe { std::mem::transmute::<*mut c_void, Create>(real)(linker, number, options) };
    if code == SUCCESS && !linker.is_null() && active::is_active() {
        let number = if options.is_null() { 0 } else { number as usize };
        // SAFETY: the caller passes `number` C strings; the handle has just been written.
        unsafe { begun(*linker, (0..number).map(|i| CStr::from_ptr(*options.add(i)).to_owned()).collect()) };
    }
    code
}

unsafe extern "C" fn link_file(linker: *mut c_void, kind: c_int, file: *const c_char) -> Code {
    type Real = unsafe extern "C" fn(*mut c_void, c_int, *const c_char) -> Code;
    let real = STOOD[ADD_FILE].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    given(linker, Given::Other);
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
    if code != SUCCESS || cubin.is_null() || size.is_null() || !active::is_active() {
        return code;
    }
    let linker_was = taken(linker);
    let texts = linker_was.texts().or_else(|| {
        let (options, inputs) = linker_was.whole()?;
        // SAFETY: `real` is a function of nvJitLink.
        Some(vec![unsafe { linked_again(real, &options, &inputs) }?])
    });
    let mut bytes = 0;
    // SAFETY: nvJitLink's function of this name has this type, and returns the size of what was written.
    unsafe {
        if let Some(texts) = texts
            && std::mem::transmute::<*mut c_void, Size>(size)(linker, &mut bytes) == SUCCESS
        {
            log::note(|| format!("nvJitLink made {bytes} bytes of machine code of {} texts", texts.len()));
            made::remember(std::slice::from_raw_parts(cubin.cast(), bytes), texts);
        }
    }
    code
}

/// Links the inputs again and returns the PTX.
///
/// # Safety
/// `of` is a function of nvJitLink.
unsafe fn linked_again(of: *mut c_void, options: &[CString], inputs: &[Lto<'_>]) -> Option<String> {
    type Add = unsafe extern "C" fn(*mut c_void, c_int, *const c_void, usize, *const c_char) -> Code;
    type Complete = unsafe extern "C" fn(*mut c_void) -> Code;
    type Destroy = unsafe extern "C" fn(*mut *mut c_void) -> Code;
    let functions = [
        c"nvJitLinkCreate",
        c"nvJitLinkAddData",
        c"nvJitLinkComplete",
        c"nvJitLinkGetLinkedPtxSize",
        c"nvJitLinkGetLinkedPtx",
        c"nvJitLinkDestroy",
    ]
    .map(|name| beside(of, name));
    if functions.iter().any(|function| function.is_null()) {
        return None;
    }
    let [create, add, complete, size, get, destroy] = functions;
    // SAFETY: nvJitLink's functions of these names have these types and receive valid arguments; the handle
    // is local.
    unsafe {
        let create = std::mem::transmute::<*mut c_void, Create>(create);
        let add = std::mem::transmute::<*mut c_void, Add>(add);
        let complete = std::mem::transmute::<*mut c_void, Complete>(complete);
        let size = std::mem::transmute::<*mut c_void, Size>(size);
        let get = std::mem::transmute::<*mut c_void, Get>(get);
        let destroy = std::mem::transmute::<*mut c_void, Destroy>(destroy);
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut linker = std::ptr::null_mut();
        if create(&mut linker, options.len() as u32, options.as_ptr()) != SUCCESS {
            return None;
        }
        let mut length = 0;
        let added = inputs.iter().all(|(bytes, name)| {
            add(linker, LTOIR, bytes.as_ptr().cast(), bytes.len(), name.as_ptr()) == SUCCESS
        });
        let mut text = None;
        if added && complete(linker) == SUCCESS && size(linker, &mut length) == SUCCESS && length > 0 {
            let mut bytes = vec![0u8; length];
            if get(linker, bytes.as_mut_ptr().cast()) == SUCCESS {
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(length);
                text = Some(String::from_utf8_lossy(&bytes[..end]).into_owned());
            }
        }
        destroy(&mut linker);
        text
    }
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
    fn what_was_linked_is_told_of_ptx_alone_and_of_what_is_optimised_alone() {
        let [one, two, three] = [8, 16, 24].map(|at| at as *mut c_void);
        let lto = || Given::Lto(b"ir".to_vec(), c"a".to_owned());
        given(one, Given::Ptx("a".into()));
        given(one, Given::Ptx("b".into()));
        given(two, Given::Ptx("c".into()));
        given(two, lto());
        begun(three, vec![c"-arch=sm_90".to_owned(), c"-lto".to_owned()]);
        given(three, lto());
        let (one, two, three) = (taken(one), taken(two), taken(three));
        assert_eq!(one.texts(), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((two.texts(), two.whole(), three.texts()), (None, None, None));
        let (options, inputs) = three.whole().unwrap();
        assert_eq!(options, [c"-arch=sm_90".to_owned(), c"-lto".to_owned(), c"-ptx".to_owned()]);
        assert_eq!(inputs, [(&b"ir"[..], c"a")]);
        assert_eq!(taken(8 as *mut c_void), Linker::default());
    }
}
