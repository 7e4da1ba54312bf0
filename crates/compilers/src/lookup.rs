//! Which `dlsym` asks for a function that is stood before.

use crate::real::{ASK, NOTHING, real};
use crate::stood::{Stood, is_own};
use crate::{nvjitlink, nvrtc};
use std::ffi::{CStr, c_void};

fn named(name: &CStr) -> Option<&'static Stood> {
    let name = name.to_str().ok()?;
    nvrtc::STOOD.iter().chain(&nvjitlink::STOOD).find(|stood| stood.is_named(name))
}

/// Answers a `dlsym` for a compiler's function: [`ASK`], [`NOTHING`] or the address of the function that stands before it.
///
/// # Safety
/// The arguments are those of a call of `dlsym`.
pub unsafe fn compiler(handle: *mut c_void, name: &CStr) -> usize {
    let Some(stood) = named(name) else { return ASK };
    // SAFETY: the caller's promise.
    let found = unsafe { real()(handle, name.as_ptr()) };
    if found.is_null() {
        return ASK;
    }
    // The library exports functions of these names, for programs that are linked to the compiler: a search of all objects finds them.
    if is_own(found) {
        return if stood.real().is_null() { NOTHING } else { stood.wrapper() as usize };
    }
    if stood.found(found) { stood.wrapper() as usize } else { ASK }
}

/// Returns whether a name may be that of a compiler's function: most are not, and some are asked for while nothing else
/// can run.
pub fn may_be_compilers(name: &CStr) -> bool {
    matches!(name.to_bytes().get(..2), Some(b"nv" | b"__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_with_any_version() {
        let which = |name: &CStr| named(name).map(|stood| stood.name());
        assert_eq!(which(c"nvrtcGetCUBIN"), Some("nvrtcGetCUBIN"));
        assert_eq!(which(c"nvrtcGetCUBINSize"), None);
        assert_eq!(which(c"nvJitLinkAddData"), Some("nvJitLinkAddData"));
        assert_eq!(which(c"__nvJitLinkAddData_12_4"), Some("nvJitLinkAddData"));
        assert_eq!(which(c"__nvJitLinkGetLinkedCubin_13_0"), Some("nvJitLinkGetLinkedCubin"));
        assert_eq!(which(c"__nvJitLinkGetLinkedCubinSize_13_0"), None);
    }
}
