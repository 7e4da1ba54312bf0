//! See the package description; the modules follow.
