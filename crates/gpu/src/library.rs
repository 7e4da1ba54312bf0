//! Names the library that has brought a kernel of which there is machine code only.

use std::ffi::{CStr, c_void};

/// Names of libraries by the beginnings of their files' names.
const NAMES: [(&str, &str); 16] = [
    ("libcublas", "cuBLAS"),
    ("libcudnn", "cuDNN"),
    ("libcufft", "cuFFT"),
    ("libcusparse", "cuSPARSE"),
    ("libcusolver", "cuSOLVER"),
    ("libcurand", "cuRAND"),
    ("libcutensor", "cuTENSOR"),
    ("libnccl", "NCCL"),
    ("libnvshmem", "NVSHMEM"),
    ("libnvjpeg", "nvJPEG"),
    ("libnpp", "NPP"),
    ("libnvinfer", "TensorRT"),
    ("libtorch", "PyTorch"),
    ("libc10_cuda", "PyTorch"),
    ("libmagma", "MAGMA"),
    ("xla_", "XLA"),
];

/// Files that load modules on behalf of others: the driver, the runtime, this library, and the C library.
const BETWEEN: [&str; 6] = ["libcuda.", "libcudart", "libwarprace", "libc.", "libc-", "ld-linux"];

/// Returns the library that loads an image, by the file that contains the image or else by the file of the innermost
/// caller; `None` if that is the program itself, or unknown.
pub(crate) fn of(image: *const c_void, callers: &[u64]) -> Option<String> {
    let program = std::fs::read_link("/proc/self/exe").ok()?;
    let program = program.file_name()?.to_string_lossy().into_owned();
    let mut files = std::iter::once(image as u64).chain(callers.iter().copied()).filter_map(file);
    let found = files.find(|file| !BETWEEN.iter().any(|between| file.starts_with(between)))?;
    (found != program).then(|| name(&found))
}

/// Returns the name of the file from which an address was loaded, without its folder.
fn file(address: u64) -> Option<String> {
    // SAFETY: all-zero is a valid value; `dladdr` fills it, and names live as long as their objects.
    let path = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname).to_string_lossy()
    };
    Some(path.rsplit('/').next().unwrap_or_default().to_owned())
}

/// Returns the name of the library in a file.
fn name(file: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(begin, _)| file.starts_with(begin)) {
        return (*name).to_owned();
    }
    let bare = file.strip_prefix("lib").unwrap_or(file);
    bare.split(['.', '-']).next().unwrap_or(bare).to_owned()
}

/// Returns whether one of the names in `trusted` is that of a library.
pub(crate) fn is_trusted(library: &str, trusted: &[String]) -> bool {
    trusted.iter().any(|trusted| {
        let trusted = if trusted == "torch" { "pytorch" } else { trusted.trim_start_matches("lib") };
        trusted.eq_ignore_ascii_case(library)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_of_their_libraries() {
        for (file, expected) in [
            ("libcublasLt.so.13", "cuBLAS"),
            ("libcudnn_engines_precompiled.so.9", "cuDNN"),
            ("libtorch_cuda.so", "PyTorch"),
            ("libmine-3.so", "mine"),
            ("_C.cpython-312-x86_64-linux-gnu.so", "_C"),
        ] {
            assert_eq!(name(file), expected);
        }
        let trusted = ["libcublas".to_owned(), "torch".to_owned(), "mine".to_owned()];
        assert!(["cuBLAS", "PyTorch", "mine"].iter().all(|name| is_trusted(name, &trusted)));
        assert!(!is_trusted("cuDNN", &trusted));
    }

    #[test]
    fn an_image_of_the_program_is_of_no_library() {
        static IMAGE: [u8; 4] = [1; 4];
        assert_eq!(of(IMAGE.as_ptr().cast(), &[]), None);
        // Memory of the C library's functions is passed over: the caller counts.
        let between = libc::getpid as *const () as u64;
        let own = an_image_of_the_program_is_of_no_library as *const () as u64;
        assert_eq!(of(std::ptr::null(), &[between, own]), None);
    }
}
