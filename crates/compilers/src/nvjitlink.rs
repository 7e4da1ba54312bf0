//! nvJitLink in the program's process: what it links, and of what.
//!
//! LTO inputs, which Numba passes, are linked a second time to obtain their PTX. Libraries beside them, such as `libcudadevrt.a`, give
//! the PTX that they have.

use crate::stood::{Code, Get, SUCCESS, Size, Stood, beside};
use crate::{image, library, made};
use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError};

pub(crate) static STOOD: [Stood; 5] = [
    Stood::new("nvJitLinkAddData", link_data as *const c_void),
    Stood::new("nvJitLinkAddFile", link_file as *const c_void),
    Stood::new("nvJitLinkGetLinkedCubin", linked as *const c_void),
    Stood::new("nvJitLinkDestroy", link_gone as *const c_void),
    Stood::new("nvJitLinkCreate", link_begins as *const c_void),
];
const ADD_DATA: usize = 0;
const ADD_FILE: usize = 1;
const LINKED_CUBIN: usize = 2;
const DESTROY: usize = 3;
const CREATE: usize = 4;

/// An input of a linker.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    /// The PTX of a text, a fatbin, an object file or a library.
    Texts(Vec<String>),
    /// LTO code, which is optimised when it is linked, and its name.
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
    /// Returns its inputs, if they are PTX alone.
    fn texts(&self) -> Option<Vec<String>> {
        let all = self.given.iter().all(|given| matches!(given, Given::Texts(_)));
        Some(self.beside()).filter(|texts| all && !texts.is_empty())
    }

    /// Returns the texts among its inputs.
    fn beside(&self) -> Vec<String> {
        let texts = |given: &Given| match given {
            Given::Texts(texts) => texts.clone(),
            _ => Vec::new(),
        };
        self.given.iter().flat_map(texts).collect()
    }

    /// Returns the options and the LTO-IR for a link that yields PTX, if all other inputs have PTX.
    fn whole(&self) -> Option<(Vec<CString>, Vec<Lto<'_>>)> {
        let has_lto = self.given.iter().any(|given| matches!(given, Given::Lto(..)));
        if !has_lto || self.given.contains(&Given::Other) {
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

/// `NVJITLINK_INPUT_PTX`, `_LTOIR`, `_FATBIN`, `_OBJECT`, `_LIBRARY`
const PTX: c_int = 2;
const LTOIR: c_int = 3;
const FATBIN: c_int = 4;
const OBJECT: c_int = 5;
const LIBRARY: c_int = 6;

/// The device for which a fatbin's or a library's PTX is chosen.
const DEVICE: u32 = 90;

/// Reads an input of a kind.
fn read(kind: c_int, bytes: &[u8], name: &CStr) -> Given {
    match kind {
        PTX => {
            let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
            Given::Texts(vec![String::from_utf8_lossy(&bytes[..end]).into_owned()])
        }
        LTOIR => Given::Lto(bytes.to_vec(), name.to_owned()),
        FATBIN => {
            let mut whole = bytes.to_vec();
            whole.extend([0; 16]);
            // SAFETY: the linker's image, with zeros behind it.
            let found = unsafe { image::texts(whole.as_ptr().cast(), DEVICE) };
            found.map_or(Given::Other, |found| Given::Texts(found.texts))
        }
        OBJECT | LIBRARY => library::texts(bytes, DEVICE).map_or(Given::Other, Given::Texts),
        _ => Given::Other,
    }
}

/// `NVJITLINK_ERROR_INTERNAL`
const LINK_INTERNAL: Code = 6;

pub(crate) unsafe extern "C" fn link_data(
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
    if code == SUCCESS && crate::is_active() {
        let bytes = match data.is_null() {
            true => &[],
            // SAFETY: the caller passes the length of `data`.
            false => unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) },
        };
        let name = match name.is_null() {
            true => c"",
            // SAFETY: the caller passes a C string.
            false => unsafe { CStr::from_ptr(name) },
        };
        given(linker, read(kind, bytes, name));
    }
    code
}

type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> Code;

pub(crate) unsafe extern "C" fn link_begins(
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
    if code == SUCCESS && !linker.is_null() && crate::is_active() {
        let number = if options.is_null() { 0 } else { number as usize };
        // SAFETY: the caller passes `number` C strings; the handle has just been written.
        unsafe { begun(*linker, (0..number).map(|i| CStr::from_ptr(*options.add(i)).to_owned()).collect()) };
    }
    code
}

pub(crate) unsafe extern "C" fn link_file(linker: *mut c_void, kind: c_int, file: *const c_char) -> Code {
    type Real = unsafe extern "C" fn(*mut c_void, c_int, *const c_char) -> Code;
    let real = STOOD[ADD_FILE].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    // SAFETY: nvJitLink's function of this name has this type; the caller's arguments.
    let code = unsafe { std::mem::transmute::<*mut c_void, Real>(real)(linker, kind, file) };
    if code == SUCCESS && !file.is_null() && crate::is_active() {
        // SAFETY: the caller passes a C string.
        let name = unsafe { CStr::from_ptr(file) };
        let bytes = std::fs::read(OsStr::from_bytes(name.to_bytes()));
        given(linker, bytes.map_or(Given::Other, |bytes| read(kind, &bytes, name)));
    }
    code
}

pub(crate) unsafe extern "C" fn linked(linker: *mut c_void, cubin: *mut c_void) -> Code {
    type Real = unsafe extern "C" fn(*mut c_void, *mut c_void) -> Code;
    let real = STOOD[LINKED_CUBIN].real();
    if real.is_null() {
        return LINK_INTERNAL;
    }
    // SAFETY: nvJitLink's function of this name has this type; the caller's arguments.
    let code = unsafe { std::mem::transmute::<*mut c_void, Real>(real)(linker, cubin) };
    let size = beside(real, c"nvJitLinkGetLinkedCubinSize");
    if code != SUCCESS || cubin.is_null() || size.is_null() || !crate::is_active() {
        return code;
    }
    let linker_was = taken(linker);
    let texts = linker_was.texts().or_else(|| {
        let (options, inputs) = linker_was.whole()?;
        // SAFETY: `real` is a function of nvJitLink.
        let linked = unsafe { linked_again(real, &options, &inputs) }?;
        Some(std::iter::once(linked).chain(linker_was.beside()).collect())
    });
    let mut bytes = 0;
    // SAFETY: nvJitLink's function of this name has this type, and returns the size of what was written.
    unsafe {
        if let Some(texts) = texts
            && std::mem::transmute::<*mut c_void, Size>(size)(linker, &mut bytes) == SUCCESS
        {
            crate::note(|| format!("nvJitLink made {bytes} bytes of machine code of {} texts", texts.len()));
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

pub(crate) unsafe extern "C" fn link_gone(linker: *mut *mut c_void) -> Code {
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
    fn what_was_linked_is_told_of_ptx_alone_and_of_what_is_optimised_alone() {
        let [one, two, three] = [8, 16, 24].map(|at| at as *mut c_void);
        let lto = || Given::Lto(b"ir".to_vec(), c"a".to_owned());
        given(one, read(PTX, b"a\0", c""));
        given(one, read(PTX, b"b", c""));
        given(two, read(LIBRARY, b"no library", c"l"));
        given(two, lto());
        begun(three, vec![c"-arch=sm_90".to_owned(), c"-lto".to_owned()]);
        given(three, lto());
        given(three, Given::Texts(vec!["c".into()]));
        let (one, two, three) = (taken(one), taken(two), taken(three));
        assert_eq!(one.texts(), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!((two.texts(), two.whole(), three.texts()), (None, None, None));
        assert_eq!(three.beside(), ["c"]);
        let (options, inputs) = three.whole().unwrap();
        assert_eq!(options, [c"-arch=sm_90".to_owned(), c"-lto".to_owned(), c"-ptx".to_owned()]);
        assert_eq!(inputs, [(&b"ir"[..], c"a")]);
        assert_eq!(taken(8 as *mut c_void), Linker::default());
    }
}
