//! Where in a Python program a call comes from.
//!
//! A call's native caller is a binding without debug information; what its developer knows is the Python line. The interpreter is
//! asked by its C interface, which `dlsym` finds if it is in the process. Asking needs the interpreter's lock, which bindings
//! release: it is taken before any lock of this library.

pub(crate) mod embedded;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

/// A line of Python.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) function: String,
}

/// The number of a place; 0 for none.
pub(crate) type PlaceId = u32;

#[derive(Default)]
struct Places {
    all: Vec<Place>,
    ids: HashMap<Place, PlaceId>,
}

static PLACES: LazyLock<Mutex<Places>> = LazyLock::new(Mutex::default);

/// The place with a number.
pub(crate) fn place(id: PlaceId) -> Option<Place> {
    let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    places.all.get((id as usize).checked_sub(1)?).cloned()
}

fn id(place: Place) -> PlaceId {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&id) = places.ids.get(&place) {
        return id;
    }
    places.all.push(place.clone());
    let id = places.all.len() as PlaceId;
    places.ids.insert(place, id);
    id
}

/// So many frames are looked at.
const DEPTH: usize = 48;

/// Paths with these parts are of installed packages, or of code that TorchInductor has written.
const PACKAGES: [&str; 5] =
    ["/site-packages/", "/dist-packages/", "/lib/python3", "/warprace/inductor/", "/torchinductor_"];

/// Returns whether a report may name the place of a call: queries are many, and none names theirs.
fn may_be_named(api: &str) -> bool {
    let work = ["_operator", "Launch", "PushCall", "Mem", "Graph", "Malloc", "Free", "HostAlloc"];
    work.iter().any(|part| api.contains(part)) && !api.contains("Get")
}

/// Where this thread's Python code calls: the innermost line that is of no installed package, or else the innermost one.
pub(crate) fn here(api: &str) -> PlaceId {
    if !may_be_named(api) {
        return 0;
    }
    // SAFETY: `locked` holds the lock.
    locked(|python| unsafe { python.innermost() }).flatten().map_or(0, id)
}

/// Asks the interpreter while this thread holds its lock. `None` without an interpreter, while it ends, and in a thread that it does
/// not know.
fn locked<T>(ask: impl FnOnce(&Interpreter) -> T) -> Option<T> {
    let python = interpreter()?;
    // SAFETY: functions of the interpreter, with their types.
    unsafe {
        if (python.is_initialized)() == 0
            || python.is_finalizing.is_some_and(|finalizing| finalizing() != 0)
            || (python.this_thread)().is_null()
        {
            return None;
        }
        let held = (python.ensure)();
        let answer = ask(python);
        (python.release)(held);
        Some(answer)
    }
}

/// Calls a function while this thread holds the interpreter's lock, if it is a thread of Python.
pub(crate) fn with_lock<T>(act: impl FnOnce() -> T) -> Option<T> {
    locked(|_| act())
}

type Object = *mut c_void;

/// The interpreter's functions.
struct Interpreter {
    is_initialized: unsafe extern "C" fn() -> c_int,
    is_finalizing: Option<unsafe extern "C" fn() -> c_int>,
    this_thread: unsafe extern "C" fn() -> *mut c_void,
    ensure: unsafe extern "C" fn() -> c_int,
    release: unsafe extern "C" fn(c_int),
    frame: unsafe extern "C" fn() -> Object,
    line: unsafe extern "C" fn(Object) -> c_int,
    code: unsafe extern "C" fn(Object) -> Object,
    back: unsafe extern "C" fn(Object) -> Object,
    attribute: unsafe extern "C" fn(Object, *const c_char) -> Object,
    text: unsafe extern "C" fn(Object) -> *const c_char,
    clear: unsafe extern "C" fn(),
    take: unsafe extern "C" fn(Object),
    give: unsafe extern "C" fn(Object),
}

/// The process's interpreter, if there is one. It is looked for until it is found: a program may load it late.
fn interpreter() -> Option<&'static Interpreter> {
    static FOUND: OnceLock<Interpreter> = OnceLock::new();
    if FOUND.get().is_none() {
        let _ = FOUND.set(Interpreter::find()?);
    }
    FOUND.get()
}

impl Interpreter {
    fn find() -> Option<Interpreter> {
        let of = |name: &CStr| {
            // SAFETY: looks up a symbol of the process.
            let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            (!found.is_null()).then_some(found)
        };
        macro_rules! function {
            ($name:literal, $type:ty) => {
                // SAFETY: the interpreter's function of this name has the type of the field.
                unsafe { std::mem::transmute::<*mut c_void, $type>(of($name)?) }
            };
        }
        let finalizing = of(c"Py_IsFinalizing").or_else(|| of(c"_Py_IsFinalizing"));
        Some(Interpreter {
            is_initialized: function!(c"Py_IsInitialized", unsafe extern "C" fn() -> c_int),
            // SAFETY: both have this type.
            is_finalizing: finalizing
                .map(|f| unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(f) }),
            this_thread: function!(c"PyGILState_GetThisThreadState", unsafe extern "C" fn() -> *mut c_void),
            ensure: function!(c"PyGILState_Ensure", unsafe extern "C" fn() -> c_int),
            release: function!(c"PyGILState_Release", unsafe extern "C" fn(c_int)),
            frame: function!(c"PyEval_GetFrame", unsafe extern "C" fn() -> Object),
            line: function!(c"PyFrame_GetLineNumber", unsafe extern "C" fn(Object) -> c_int),
            code: function!(c"PyFrame_GetCode", unsafe extern "C" fn(Object) -> Object),
            back: function!(c"PyFrame_GetBack", unsafe extern "C" fn(Object) -> Object),
            attribute: function!(
                c"PyObject_GetAttrString",
                unsafe extern "C" fn(Object, *const c_char) -> Object
            ),
            text: function!(c"PyUnicode_AsUTF8", unsafe extern "C" fn(Object) -> *const c_char),
            clear: function!(c"PyErr_Clear", unsafe extern "C" fn()),
            take: function!(c"Py_IncRef", unsafe extern "C" fn(Object)),
            give: function!(c"Py_DecRef", unsafe extern "C" fn(Object)),
        })
    }

    /// # Safety
    /// This thread holds the interpreter's lock.
    unsafe fn innermost(&self) -> Option<Place> {
        let mut first = None;
        // SAFETY: the caller's promise; each frame is held while it is looked at.
        unsafe {
            let mut frame = (self.frame)();
            if frame.is_null() {
                return None;
            }
            (self.take)(frame);
            for _ in 0..DEPTH {
                let place = self.place(frame);
                let own = place.as_ref().is_some_and(|p| !PACKAGES.iter().any(|part| p.file.contains(part)));
                if own || first.is_none() {
                    first = place.or(first);
                }
                let back = if own { std::ptr::null_mut() } else { (self.back)(frame) };
                (self.give)(frame);
                frame = back;
                if frame.is_null() {
                    return first;
                }
            }
            (self.give)(frame);
        }
        first
    }

    /// # Safety
    /// As for [`Self::innermost`]; a frame.
    unsafe fn place(&self, frame: Object) -> Option<Place> {
        // SAFETY: the caller's promise; what is got is given back.
        unsafe {
            let code = (self.code)(frame);
            let line = u32::try_from((self.line)(frame)).unwrap_or(0);
            let file = self.string(code, c"co_filename");
            let function = self.string(code, c"co_name");
            (self.give)(code);
            // What is compiled from a string has no file.
            let file = file.filter(|file| !file.starts_with('<'))?;
            Some(Place { file, line, function: function.unwrap_or_default() })
        }
    }

    /// # Safety
    /// As for [`Self::innermost`]; an object.
    unsafe fn string(&self, object: Object, name: &CStr) -> Option<String> {
        // SAFETY: the caller's promise; the text is copied while its object is held.
        unsafe {
            let value = (self.attribute)(object, name.as_ptr());
            if value.is_null() {
                (self.clear)();
                return None;
            }
            let text = (self.text)(value);
            let out = (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
            if text.is_null() {
                (self.clear)();
            }
            (self.give)(value);
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_numbers_and_no_interpreter_has_none() {
        let one = Place { file: "a.py".into(), line: 3, function: "f".into() };
        let number = id(one.clone());
        assert_eq!((id(one.clone()), place(number), place(0)), (number, Some(one), None));
        assert_eq!(here("cuLaunchKernel"), 0);
        assert!(may_be_named("cuMemAlloc_v2") && !may_be_named("cuMemGetInfo_v2") && !may_be_named("cuInit"));
    }
}
