//! Functions of the C library that have the system access the program's memory, which fails where that is inaccessible: the
//! memory is made accessible before.

use super::{exposed, is_active};

host::stand_before_system!(is_active, exposed, crate::driver::real());
host::stand_before_calls!(is_active, exposed, crate::driver::real());
