//! The driver's linker: PTX that is linked becomes one image, which names its texts.
//!
//! The image is an ELF file of our own, without machine code, that [`compilers::made`] knows by its bytes.

use super::module::Handle;
use super::{Call, CudaError, CudaResult, answer};
use compilers::{image, library, made};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// What a linker was given, and what it has made of that.
#[derive(Debug, Default)]
struct Linker {
    texts: Vec<String>,
    image: Vec<u8>,
}

static LINKERS: LazyLock<Mutex<HashMap<usize, Linker>>> = LazyLock::new(Mutex::default);

fn linkers() -> MutexGuard<'static, HashMap<usize, Linker>> {
    LINKERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `CUjitInputType`: what is read as an image, and object files and libraries.
const IMAGES: [c_int; 3] = [0, 1, 2];
const LIBRARIES: [c_int; 2] = [3, 4];

fn add(call: &Call, linker: Handle, kind: c_int, bytes: &[u8]) -> CudaResult {
    let found = if IMAGES.contains(&kind) {
        let mut whole = bytes.to_vec();
        whole.extend([0; 16]);
        // SAFETY: the program's image, with zeros behind it.
        unsafe { image::texts(whole.as_ptr().cast(), 90) }.map(|found| found.texts)
    } else if LIBRARIES.contains(&kind) {
        library::texts(bytes, 90).map_err(|why| why.to_string())
    } else {
        let what = format!("{} of LTO code (link it by nvJitLink, or hand it over as PTX)", call.api);
        call.runtime.lock().results.unsupported(&what, call.caller, true);
        return Err(CudaError::NOT_SUPPORTED);
    };
    let found = found.map_err(|why| {
        call.runtime.lock().results.inconclusive(format!("device code that is linked cannot be run: {why}"));
        CudaError::INVALID_KERNEL_IMAGE
    })?;
    let mut linkers = linkers();
    let known = linkers.get_mut(&(linker as usize)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
    known.texts.extend(found);
    Ok(())
}

/// An ELF file whose only section holds texts.
fn file_of(texts: &[String]) -> Vec<u8> {
    const HEADER: usize = 64;
    let body = texts.join("\n");
    let table = (HEADER + body.len()).next_multiple_of(8);
    let mut out = vec![0; table + HEADER];
    // 64 bits, little-endian, a relocatable file of `EM_CUDA`.
    out[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    out[0x10..0x14].copy_from_slice(&[1, 0, 190, 0]);
    out[0x28..0x30].copy_from_slice(&(table as u64).to_le_bytes());
    out[0x34..0x36].copy_from_slice(&[64, 0]);
    out[0x3a..0x3e].copy_from_slice(&[64, 0, 1, 0]);
    out[HEADER..HEADER + body.len()].copy_from_slice(body.as_bytes());
    // `SHT_PROGBITS`, its place and size.
    out[table + 4] = 1;
    out[table + 0x18..table + 0x20].copy_from_slice(&(HEADER as u64).to_le_bytes());
    out[table + 0x20..table + 0x28].copy_from_slice(&(body.len() as u64).to_le_bytes());
    out
}

driver! {
    fn cuLinkCreate_v2(_options: c_uint, _names: *mut c_int, _values: *mut *mut c_void, out: *mut Handle) = |call| {
        let handle = call.state()?.handle();
        linkers().insert(handle, Linker::default());
        // SAFETY: the program's variable.
        unsafe { answer(out, handle as Handle) }
    };
    fn cuLinkAddData_v2(
        linker: Handle,
        kind: c_int,
        data: *mut c_void,
        bytes: usize,
        _name: *const c_char,
        _options: c_uint,
        _names: *mut c_int,
        _values: *mut *mut c_void,
    ) = |call| {
        if data.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program says how long it is.
        add(call, linker, kind, unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) })
    };
    fn cuLinkAddFile_v2(
        linker: Handle,
        kind: c_int,
        file: *const c_char,
        _options: c_uint,
        _names: *mut c_int,
        _values: *mut *mut c_void,
    ) = |call| {
        if file.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's C string.
        let name = unsafe { CStr::from_ptr(file) };
        let bytes = std::fs::read(std::ffi::OsStr::from_bytes(name.to_bytes()));
        add(call, linker, kind, &bytes.map_err(|_| CudaError::FILE_NOT_FOUND)?)
    };
    fn cuLinkComplete(linker: Handle, image: *mut *mut c_void, bytes: *mut usize) = |_call| {
        let mut linkers = linkers();
        let known = linkers.get_mut(&(linker as usize)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        if known.texts.is_empty() {
            return Err(CudaError::INVALID_VALUE);
        }
        known.image = file_of(&known.texts);
        made::remember_here(&known.image, known.texts.clone());
        // SAFETY: the program's variables; the image lives as long as the linker.
        unsafe {
            answer(image, known.image.as_mut_ptr().cast())?;
            answer(bytes, known.image.len())
        }
    };
    fn cuLinkDestroy(linker: Handle) = |_call| {
        linkers().remove(&(linker as usize)).map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_image_names_its_texts() {
        let texts = [".version 8.0 // a".to_owned(), ".version 8.0 // b".to_owned()];
        let image = file_of(&texts);
        made::remember_here(&image, texts.to_vec());
        // SAFETY: a whole file.
        assert_eq!(unsafe { image::texts(image.as_ptr().cast(), 90) }.unwrap().texts, texts);
    }
}
