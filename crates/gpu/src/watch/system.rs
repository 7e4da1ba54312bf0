//! Wrappers of C library functions that have the kernel access the program's memory. A system call fails on
//! protected pages, so the pages are opened first.

use super::{exposed, is_active, transferred};

host::stand_before_system!(is_active, exposed, transferred, compilers::real::real());
host::stand_before_calls!(is_active, exposed, transferred, compilers::real::real());
