//! Converts the arguments of copy functions to the two sides of a copy.

use crate::backend::copy::{Pitch, Shape};
use crate::submit::copy::End;
use std::ffi::c_void;

/// An end of a one-dimensional copy.
pub(in crate::api) fn line(pointer: *const c_void, bytes: usize) -> End {
    End { pointer: pointer as u64, pitch: Shape::line(bytes).packed() }
}

pub(in crate::api) fn rows(pointer: *const c_void, pitch: usize, height: usize) -> End {
    End { pointer: pointer as u64, pitch: Pitch { row: pitch, slice: pitch.saturating_mul(height) } }
}
