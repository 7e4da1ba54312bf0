//! Operators of PyTorch itself, whose wheel has machine code for them and no PTX.
//!
//! Once the process has PyTorch's library for CUDA, the first call that comes from its Python thread runs `operators.py` in the
//! interpreter. That registers functions with PyTorch's dispatcher which compute operators by the kernels for the CPU, on the virtual
//! GPU's memory, and pass on what they read and wrote (`api::runtime::operator`).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU8, Ordering};

const SOURCE: &CStr = match CStr::from_bytes_with_nul(
    concat!(include_str!("../../../python/warprace/operators.py"), "\0").as_bytes(),
) {
    Ok(source) => source,
    Err(_) => panic!("operators.py has a zero byte"),
};

/// A name in angle brackets is of no file: `python::here` passes over its frames.
const NAME: &CStr = c"<warprace>";

const ABSENT: u8 = 0;
const WANTED: u8 = 1;
const RUNS: u8 = 2;
const DONE: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(ABSENT);

/// Notes the registration of device code, by an address of the object that has it.
pub(crate) fn registered(address: *const c_void) {
    if STATE.load(Ordering::Relaxed) == ABSENT && is_of_torch(address) {
        STATE.store(WANTED, Ordering::Relaxed);
    }
}

fn is_of_torch(address: *const c_void) -> bool {
    // SAFETY: a zeroed structure is valid, and its name is a C string if the call succeeds.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address, &mut info) != 0
            && !info.dli_fname.is_null()
            && CStr::from_ptr(info.dli_fname).to_bytes().ends_with(b"/libtorch_cuda.so")
    }
}

/// Runs `operators.py` if it is wanted and this thread holds the interpreter's lock.
pub(crate) fn install() {
    if STATE.load(Ordering::Relaxed) != WANTED {
        return;
    }
    let Some(python) = Interpreter::find() else { return };
    // SAFETY: the function has no arguments.
    if unsafe { (python.holds_lock)() } == 0
        || STATE.compare_exchange(WANTED, RUNS, Ordering::Relaxed, Ordering::Relaxed).is_err()
    {
        return;
    }
    // SAFETY: this thread holds the lock.
    let done = unsafe { python.run() };
    STATE.store(if done == Some(false) { WANTED } else { DONE }, Ordering::Relaxed);
    if done.is_none() {
        let what =
            "operators of PyTorch itself cannot be computed: its dispatcher has refused them".to_owned();
        crate::context::get().lock().results.inconclusive(what);
    }
}

type Object = *mut c_void;

/// The interpreter's functions that run a module.
struct Interpreter {
    holds_lock: unsafe extern "C" fn() -> c_int,
    compile: unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> Object,
    evaluate: unsafe extern "C" fn(Object, Object, Object) -> Object,
    new_dictionary: unsafe extern "C" fn() -> Object,
    item: unsafe extern "C" fn(Object, *const c_char) -> Object,
    is_true: unsafe extern "C" fn(Object) -> c_int,
    print_error: unsafe extern "C" fn(),
    give: unsafe extern "C" fn(Object),
}

impl Interpreter {
    fn find() -> Option<Interpreter> {
        macro_rules! function {
            ($name:literal, $type:ty) => {{
                // SAFETY: looks up a symbol of the process; the interpreter's function of this name has the type of the field.
                unsafe {
                    let found = libc::dlsym(libc::RTLD_DEFAULT, $name.as_ptr());
                    if found.is_null() {
                        return None;
                    }
                    std::mem::transmute::<*mut c_void, $type>(found)
                }
            }};
        }
        Some(Interpreter {
            holds_lock: function!(c"PyGILState_Check", unsafe extern "C" fn() -> c_int),
            compile: function!(
                c"Py_CompileString",
                unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> Object
            ),
            evaluate: function!(c"PyEval_EvalCode", unsafe extern "C" fn(Object, Object, Object) -> Object),
            new_dictionary: function!(c"PyDict_New", unsafe extern "C" fn() -> Object),
            item: function!(c"PyDict_GetItemString", unsafe extern "C" fn(Object, *const c_char) -> Object),
            is_true: function!(c"PyObject_IsTrue", unsafe extern "C" fn(Object) -> c_int),
            print_error: function!(c"PyErr_Print", unsafe extern "C" fn()),
            give: function!(c"Py_DecRef", unsafe extern "C" fn(Object)),
        })
    }

    /// Runs the module; its variable `installed`, or `None` after an error, which is printed.
    ///
    /// # Safety
    /// This thread holds the interpreter's lock.
    unsafe fn run(&self) -> Option<bool> {
        /// `Py_file_input`
        const FILE: c_int = 257;
        // SAFETY: the caller's promise; what is made is given back. The dictionary lives on in the module's functions.
        unsafe {
            let code = (self.compile)(SOURCE.as_ptr(), NAME.as_ptr(), FILE);
            let globals = (self.new_dictionary)();
            let result = match code.is_null() {
                true => std::ptr::null_mut(),
                false => (self.evaluate)(code, globals, globals),
            };
            let installed = match result.is_null() {
                true => {
                    (self.print_error)();
                    None
                }
                false => {
                    let found = (self.item)(globals, c"installed".as_ptr());
                    Some(!found.is_null() && (self.is_true)(found) == 1)
                }
            };
            for object in [result, code, globals] {
                if !object.is_null() {
                    (self.give)(object);
                }
            }
            installed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pytorch_s_own_library_wants_operators() {
        registered(SOURCE.as_ptr().cast());
        assert_eq!(STATE.load(Ordering::Relaxed), ABSENT);
        install();
        assert_eq!(STATE.load(Ordering::Relaxed), ABSENT);
    }
}
