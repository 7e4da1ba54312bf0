//! Finds source lines of host code through its debug information.
//!
//! Only calls that a report names are looked up, when the report is written, so a program without findings
//! needs none of this.

use crate::caller::Caller;
use events::{Frame, Site};
use protocol::libraries::is_library;

/// Describes a call. A call in a header's wrapper, CUDA's or the system's, is attributed to the wrapper's
/// caller.
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
    site
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
