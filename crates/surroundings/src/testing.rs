//! The test that runs in this process, as its framework names it.
//!
//! * pytest sets `PYTEST_CURRENT_TEST`, in its own process and for those that a test starts.
//! * GoogleTest is asked by `testing::UnitTest::current_test_info`, which the program links: as a shared library, or statically
//!   in an executable that has a symbol table. Its answer is read as libstdc++ lays it out, since 1.8: a `TestInfo` begins with
//!   two strings, the suite's name and the test's. The question takes the framework's lock, which may be held while a listener
//!   of the program calls CUDA: it is asked ([`ask`]) before the library takes a lock of its own.

mod googletest;

pub use googletest::ask;

use std::ffi::CStr;
use std::os::raw::c_char;

/// Returns the name of the test that runs.
pub(crate) fn current() -> Option<String> {
    googletest::current().or_else(of_pytest)
}

/// Reads the variable of pytest: `test_sum.py::test_large (call)`.
fn of_pytest() -> Option<String> {
    // SAFETY: the name is a C string. The program sets its environment while no other thread reads it, as for its own calls.
    let value: *const c_char = unsafe { libc::getenv(c"PYTEST_CURRENT_TEST".as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the C library's string.
    let value = unsafe { CStr::from_ptr(value) }.to_string_lossy();
    let name = value.rsplit_once(" (").map_or(&*value, |(name, _)| name);
    (!name.is_empty()).then(|| name.to_owned())
}
