//! Names of ranges in the forms in which programs pass them.

use super::process;
use std::ffi::{CStr, c_char, c_void};

/// `nvtxEventAttributes_t`, version 3. Programs may pass more, which `size` tells.
#[repr(C)]
pub(super) struct Attributes {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

/// `nvtxMessageType_t`.
const ASCII: i32 = 1;
const UNICODE: i32 = 2;
const REGISTERED: i32 = 3;

/// The longest name that is kept, in characters.
const LONGEST: usize = 1000;

/// The name of a range without a message.
const UNNAMED: &str = "(no name)";

/// Reads a name.
///
/// # Safety
/// `text` is null or a C string.
pub(super) unsafe fn ascii(text: *const c_char) -> String {
    if text.is_null() {
        return UNNAMED.into();
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().chars().take(LONGEST).collect()
}

/// Reads a name of wide characters, which are code points on Linux.
///
/// # Safety
/// `text` is null or a string of wide characters that ends in one of value 0.
pub(super) unsafe fn wide(text: *const u32) -> String {
    if text.is_null() {
        return UNNAMED.into();
    }
    let character = |i: usize| {
        // SAFETY: no character before this one ended the string, by the caller's promise.
        let value = unsafe { *text.add(i) };
        (value != 0).then(|| char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER))
    };
    (0..LONGEST).map_while(character).collect()
}

/// Reads the name that attributes have.
///
/// # Safety
/// `attributes` is null or points to attributes whose message is as its type says.
pub(super) unsafe fn of(attributes: *const Attributes) -> String {
    // SAFETY: the caller's promise.
    let Some(attributes) = (unsafe { attributes.as_ref() }) else { return UNNAMED.into() };
    if usize::from(attributes.size) < size_of::<Attributes>() {
        return UNNAMED.into();
    }
    match attributes.message_type {
        // SAFETY: the caller's promise.
        ASCII => unsafe { ascii(attributes.message.cast()) },
        // SAFETY: the caller's promise.
        UNICODE => unsafe { wide(attributes.message.cast()) },
        REGISTERED => {
            let number = attributes.message.addr();
            let known = number.checked_sub(1).and_then(|at| process().strings.get(at).cloned());
            known.unwrap_or_else(|| UNNAMED.into())
        }
        _ => UNNAMED.into(),
    }
}
