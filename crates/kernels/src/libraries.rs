//! Recognises files of the system, the compiler, the CUDA toolkit and the libraries that come with it.

/// Returns whether the file belongs to the system, the compiler or the CUDA toolkit.
pub fn is_library(path: &str) -> bool {
    // `__FILE__` directories are often spelled with detours: `/opt/cuda/bin/../include`.
    let path = path.replace('\\', "/");
    SYSTEM.iter().any(|p| path.starts_with(p))
        || FOLDERS.iter().any(|f| path.contains(f))
        || path.contains("/include/") && toolkit_header(&path)
        || is_bare_toolkit_header(&path)
}

/// Returns the common name of the library that a header belongs to.
pub fn library(path: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 10] = [
        ("/cuda/std/", "libcu++"),
        ("/cuda/__", "libcu++"),
        ("/libcudacxx/", "libcu++"),
        ("/include/cuda/", "libcu++"),
        ("/cccl/cuda/", "libcu++"),
        ("/cub/", "CUB"),
        ("/thrust/", "Thrust"),
        ("/cooperative_groups", "cooperative groups"),
        ("/include/c++/", "the C++ library"),
        ("", "the CUDA toolkit"),
    ];
    let known = || NAMES.iter().find(|(part, _)| path.contains(part)).map(|(_, name)| *name);
    is_library(path).then(known).flatten()
}

const SYSTEM: [&str; 6] =
    ["/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/", "/usr/local/cuda", "/opt/cuda/"];

/// Folders of the toolkit and of its libraries, at any place of installation.
const FOLDERS: [&str; 13] = [
    "/include/cub/",
    "/include/thrust/",
    "/include/cuda/std/",
    "/include/cuda/__",
    "/include/cccl/",
    "/include/cooperative_groups/",
    "/include/crt/",
    "/bin/crt/",
    "/cccl/libcudacxx/",
    "/libcudacxx/include/",
    "/site-packages/nvidia/",
    "/nvidia/cu13/",
    "/targets/x86_64-linux/include/",
];

/// Returns whether a file is one of the toolkit's `include` folder itself, for toolkits in unusual places. A
/// user's own `include/cuda/kernels.cuh` must not match.
fn toolkit_header(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    NAMES.contains(&name)
        || (name.starts_with("sm_") && (name.contains("_intrinsics.") || name.contains("_functions.")))
        || (name.starts_with("cuda_") && HALF.iter().any(|h| name.contains(h)))
        // `cuda/atomic`, `cuda/barrier`: libcu++ has no extensions.
        || (folder.ends_with("/include/cuda") && !name.contains('.'))
}

const HALF: [&str; 6] = ["_fp16.", "_bf16.", "_fp8.", "_fp4.", "_pipeline", "_awbarrier"];

/// Returns whether the path is one of the files that nvcc names without a folder.
fn is_bare_toolkit_header(path: &str) -> bool {
    !path.contains('/') && path.ends_with(".hpp") && path.starts_with("sm_")
}

const NAMES: [&str; 14] = [
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_atomic_functions.h",
    "device_atomic_functions.hpp",
    "cooperative_groups.h",
    "common_functions.h",
    "math_functions.h",
    "math_functions.hpp",
    "mma.h",
    "vector_functions.h",
    "vector_functions.hpp",
    "texture_indirect_functions.h",
    "surface_indirect_functions.h",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_toolkit_are_not_the_users() {
        for path in [
            "/usr/include/c++/12/bits/stl_algo.h",
            "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/cub/block/block_scan.cuh",
            "/opt/nvidia/cu13/include/cccl/thrust/detail/copy.h",
            "/home/me/venv/lib/python3.11/site-packages/nvidia/cu13/bin/../include/cooperative_groups.h",
            "/opt/cuda/include/sm_30_intrinsics.hpp",
            "/opt/cuda/include/cuda_fp16.hpp",
            "/sw/cuda/include/cuda/std/__atomic/api/common.h",
            "/sw/cuda/include/cuda/atomic",
            "/sw/cuda/include/sm_60_atomic_functions.hpp",
        ] {
            assert!(is_library(path), "{path}");
        }
    }

    #[test]
    fn libraries_have_names() {
        assert_eq!(
            library("/opt/cuda/targets/x86_64-linux/include/cccl/cuda/std/__atomic/scopes.h"),
            Some("libcu++")
        );
        assert_eq!(library("/sw/cuda/include/cuda/atomic"), Some("libcu++"));
        assert_eq!(library("/usr/local/cuda/include/cub/block/block_scan.cuh"), Some("CUB"));
        assert_eq!(library("/opt/cuda/include/sm_30_intrinsics.hpp"), Some("the CUDA toolkit"));
        assert_eq!(library("src/cub/mine.cuh"), None);
    }

    #[test]
    fn files_of_the_user_are() {
        for path in [
            "main.cu",
            "/home/me/project/include/reduce.cuh",
            "/home/me/project/include/helpers/device.h",
            "src/cuda/kernels.cu",
            "/home/me/project/include/cuda/kernels.cuh",
            "/home/me/project/include/cuda_helpers.h",
            "/home/me/project/include/device_utils.h",
            "/home/me/thrust_bench/main.cu",
            "../include/cub_like.cuh",
        ] {
            assert!(!is_library(path), "{path}");
        }
    }
}
