//! Kernels as the program has brought them, loaded beside the ones with checks.

use crate::assemble::Validation;
use crate::call::call;
use crate::hooks::{Code, SUCCESS};
use crate::{capture, driver, log, replacement};
use compilers::Texts;
use std::ffi::{CString, c_char, c_int, c_void};

/// Limits the bytes of a fatbin of which a copy is kept.
const MOST_BYTES: usize = 32 << 20;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const DYNAMIC_SHARED: c_int = 8;

/// An image as the program has brought it.
#[derive(Debug)]
pub(crate) enum Original {
    /// The container of a fatbin.
    Container(Vec<u64>),
    /// PTX that is compiled for a device of this compute capability.
    Texts(Texts, u32),
}

impl Original {
    /// Copies an image whose PTX is known; `None` if it has to be linked.
    ///
    /// # Safety
    /// That of [`compilers::image::texts`].
    pub(crate) unsafe fn new(at: *const c_void, texts: &Texts, device: u32) -> Option<Original> {
        if texts.relocatable || texts.device_runtime || texts.texts.len() != 1 {
            return None;
        }
        // SAFETY: the caller's promise.
        let container = unsafe { compilers::image::container(at, MOST_BYTES) };
        Some(container.map_or_else(|| Original::Texts(texts.clone(), device), Original::Container))
    }

    /// Loads the image into this thread's context, and returns the module.
    pub(crate) fn load(&self) -> Option<usize> {
        let image: *const c_void = match self {
            Original::Container(words) => words.as_ptr().cast(),
            Original::Texts(texts, device) => {
                let validation = Validation { ask: &|| Ok(()), of: "without checks".into() };
                replacement::image(&texts.texts, texts, *device, &validation).ok()?.leak()
            }
        };
        let mut module: *mut c_void = std::ptr::null_mut();
        let code: Code = driver::beside_captures(
            || call!(c"cuModuleLoadData"(&mut module => *mut *mut c_void, image => *const c_void)),
        );
        log::note(|| format!("the original kernels: {code}"));
        (code == SUCCESS).then_some(module as usize)
    }
}

/// Returns a module's kernel.
pub(crate) fn function(module: usize, name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    let mut function: *mut c_void = std::ptr::null_mut();
    let code = call!(c"cuModuleGetFunction"(
        &mut function => *mut *mut c_void, module as *mut c_void => *mut c_void, name.as_ptr() => *const c_char,
    ));
    (code == SUCCESS).then_some(function as usize)
}

/// Returns the address and the bytes of a module's variable.
fn variable(module: usize, name: &CString) -> Option<(u64, usize)> {
    let (mut address, mut bytes) = (0u64, 0usize);
    let code = call!(c"cuModuleGetGlobal_v2"(
        &mut address => *mut u64, &mut bytes => *mut usize, module as *mut c_void => *mut c_void,
        name.as_ptr() => *const c_char,
    ));
    (code == SUCCESS).then_some((address, bytes))
}

/// A variable of the module with checks and the same one of the original module: both addresses, and the bytes.
pub(crate) type Twin = (u64, u64, usize);

/// Returns both addresses of each constant; `None` if the driver does not tell one of them.
pub(crate) fn twins(kernel: *mut c_void, original: usize, constants: &[String]) -> Option<Vec<Twin>> {
    if constants.is_empty() {
        return Some(Vec::new());
    }
    let (with_checks, module) =
        (capture::module(kernel)? as usize, capture::module(original as *mut c_void)? as usize);
    let twin = |name: &String| {
        let name = CString::new(name.as_str()).ok()?;
        let ((from, bytes), (to, others)) = (variable(with_checks, &name)?, variable(module, &name)?);
        (bytes == others).then_some((from, to, bytes))
    };
    constants.iter().map(twin).collect()
}

/// Copies the constants of the module with checks to the original module, in the order of a stream. Returns whether the
/// driver has accepted the copies.
pub(crate) fn copies(twins: &[Twin], stream: *mut c_void) -> bool {
    twins.iter().all(|&(from, to, bytes)| {
        call!(c"cuMemcpyDtoDAsync_v2"(
            to => u64, from => u64, bytes => usize, stream => *mut c_void,
        )) == SUCCESS
    })
}

/// Allows the launch of the original kernel with so many bytes of dynamic shared memory, if the program has allowed
/// that of `kernel`. Returns whether the launch is allowed.
pub(crate) fn allows_shared(kernel: *mut c_void, original: usize, bytes: u32) -> bool {
    let mut most: c_int = 0;
    let get = |kernel: *mut c_void, most: &mut c_int| call!(c"cuFuncGetAttribute"(most => *mut c_int, DYNAMIC_SHARED => c_int, kernel => *mut c_void));
    let mut code = get(kernel, &mut most);
    if code != SUCCESS {
        let mut inner: *mut c_void = std::ptr::null_mut();
        code = call!(c"cuKernelGetFunction"(&mut inner => *mut *mut c_void, kernel => *mut c_void));
        if code == SUCCESS {
            code = get(inner, &mut most);
        }
    }
    let wanted = bytes as c_int;
    code == SUCCESS
        && most >= wanted
        && call!(c"cuFuncSetAttribute"(
            original as *mut c_void => *mut c_void, DYNAMIC_SHARED => c_int, wanted => c_int,
        )) == SUCCESS
}
