//! Modules of warprace that run in the program's interpreter.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

/// A reference to an object of the interpreter.
pub(crate) type Object = *mut c_void;

/// The interpreter's functions that run a module and call what it defines.
pub(crate) struct Interpreter {
    holds_lock: unsafe extern "C" fn() -> c_int,
    compile: unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> Object,
    evaluate: unsafe extern "C" fn(Object, Object, Object) -> Object,
    new_dictionary: unsafe extern "C" fn() -> Object,
    item: unsafe extern "C" fn(Object, *const c_char) -> Object,
    is_true: unsafe extern "C" fn(Object) -> c_int,
    call: unsafe extern "C" fn(Object, Object) -> Object,
    text: unsafe extern "C" fn(Object) -> *const c_char,
    has_error: unsafe extern "C" fn() -> Object,
    clear_error: unsafe extern "C" fn(),
    print_error: unsafe extern "C" fn(),
    give: unsafe extern "C" fn(Object),
}

impl Interpreter {
    /// Returns the functions, if the process has an interpreter. They are looked for until they are found.
    pub(crate) fn get() -> Option<&'static Interpreter> {
        static FOUND: OnceLock<Interpreter> = OnceLock::new();
        if FOUND.get().is_none() {
            let _ = FOUND.set(Interpreter::find()?);
        }
        FOUND.get()
    }

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
            call: function!(c"PyObject_CallObject", unsafe extern "C" fn(Object, Object) -> Object),
            text: function!(c"PyUnicode_AsUTF8", unsafe extern "C" fn(Object) -> *const c_char),
            has_error: function!(c"PyErr_Occurred", unsafe extern "C" fn() -> Object),
            clear_error: function!(c"PyErr_Clear", unsafe extern "C" fn()),
            print_error: function!(c"PyErr_Print", unsafe extern "C" fn()),
            give: function!(c"Py_DecRef", unsafe extern "C" fn(Object)),
        })
    }

    /// Returns whether this thread holds the interpreter's lock.
    pub(crate) fn holds_lock(&self) -> bool {
        // SAFETY: the function has no arguments.
        unsafe { (self.holds_lock)() != 0 }
    }

    /// Runs a module and returns its variables, which live as long as the process; `None` after an error, which is printed.
    ///
    /// # Safety
    /// This thread holds the interpreter's lock.
    pub(crate) unsafe fn run(&self, source: &CStr, name: &CStr) -> Option<Object> {
        /// `Py_file_input`
        const FILE: c_int = 257;
        // SAFETY: the caller's promise; what is made is given back but for the variables.
        unsafe {
            let code = (self.compile)(source.as_ptr(), name.as_ptr(), FILE);
            let variables = (self.new_dictionary)();
            let result = match code.is_null() {
                true => std::ptr::null_mut(),
                false => (self.evaluate)(code, variables, variables),
            };
            if result.is_null() {
                (self.print_error)();
            }
            for object in [result, code] {
                if !object.is_null() {
                    (self.give)(object);
                }
            }
            (!result.is_null()).then_some(variables)
        }
    }

    /// Returns a variable of a module, which the module goes on to own.
    ///
    /// # Safety
    /// This thread holds the interpreter's lock; `variables` is from [`Self::run`].
    pub(crate) unsafe fn variable(&self, variables: Object, name: &CStr) -> Option<Object> {
        // SAFETY: the caller's promise.
        let found = unsafe { (self.item)(variables, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    /// Returns whether an object counts as true.
    ///
    /// # Safety
    /// This thread holds the interpreter's lock; an object.
    pub(crate) unsafe fn is_true(&self, object: Object) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (self.is_true)(object) == 1 }
    }

    /// Calls a function without arguments and returns its text; `None` after an error, or while the thread has one.
    ///
    /// # Safety
    /// This thread holds the interpreter's lock; a function.
    pub(crate) unsafe fn text_of(&self, function: Object) -> Option<String> {
        // SAFETY: the caller's promise; the text is copied while its object is held.
        unsafe {
            if !(self.has_error)().is_null() {
                return None;
            }
            let value = (self.call)(function, std::ptr::null_mut());
            if value.is_null() {
                (self.clear_error)();
                return None;
            }
            let text = (self.text)(value);
            let out = (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
            if text.is_null() {
                (self.clear_error)();
            }
            (self.give)(value);
            out
        }
    }
}
