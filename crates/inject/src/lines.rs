//! Finds source lines of host code through its debug information.
//!
//! Only calls that a report names are looked up, when the report is written, so a program without findings
//! needs none of this.

use crate::caller::Caller;
use crate::python::{self, Place};
use events::{Frame, Site};
use kernels::libraries::is_library;
use std::path::Path;

/// Describes a call. One of code without line information, or with that of a file that is not on this machine, is Python's if Python
/// called. One that a wrapper in headers makes, CUDA's or the system's, is the caller's of that.
pub(crate) fn describe_call(caller: Caller) -> Site {
    let mut site = describe(caller.address);
    for address in caller.outer {
        if address == 0 || site.frames.is_empty() || !site.frames.iter().all(in_header) {
            break;
        }
        let outer = describe(address);
        if outer.frames.is_empty() {
            break;
        }
        site.frames.extend(outer.frames);
        site.function = outer.function;
    }
    match python::place(caller.python) {
        Some(place) if !site.frames.iter().any(|frame| Path::new(&frame.file).exists()) => in_python(place),
        _ => site,
    }
}

fn in_python(place: Place) -> Site {
    let Place { file, line, function } = place;
    let frame = Frame { file, line, column: 0, function: function.clone() };
    Site { function, frames: vec![frame], ..Site::default() }
}

/// Returns whether a frame belongs to a header, or to the code that nvcc generates for launches.
fn in_header(frame: &Frame) -> bool {
    is_library(&frame.file) || frame.file.ends_with("/host_runtime.h") || frame.file.contains(".cudafe1.")
}

/// Describes the call that returns to `address`.
pub(crate) fn describe(address: usize) -> Site {
    // The return address lies behind the call instruction, so the address one byte earlier lies inside it.
    host::lines::described((address as u64).saturating_sub(1), |inside| {
        crate::detour::object_at(inside as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_this_test_is_found() {
        let site = describe(an_address_in_this_test_is_found as *const () as usize + 4);
        assert!(site.function.contains("an_address_in_this_test_is_found"), "{site:?}");
        assert!(site.frames.iter().any(|f| f.file.ends_with("lines.rs") && f.line > 0), "{site:?}");
    }

    #[test]
    fn an_address_in_nothing_has_no_description() {
        assert!(describe(16).function.is_empty());
    }
}
