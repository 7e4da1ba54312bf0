//! Functions of the C library that have the system access the program's memory, which fails where that is inaccessible: it is opened before.

use super::{exposed, is_active};

host::stand_before_system!(is_active, exposed, crate::driver::real());
