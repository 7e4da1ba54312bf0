//! Whose line it is: the user's, or a library's.

use events::{Frame, Site, SiteId, SiteTable};
use protocol::names;

/// The frame that a report names: of the inline chain, the innermost that is not in a library's
/// header; the outermost, if all are.
pub fn user_frame(site: &Site) -> Option<&Frame> {
    site.frames.iter().find(|f| !is_library(&f.file)).or(site.frames.last())
}

/// Does the file belong to the system, the compiler or the CUDA toolkit?
pub fn is_library(path: &str) -> bool {
    // `__FILE__` directories are often spelled with detours: `/opt/cuda/bin/../include`.
    let path = path.replace('\\', "/");
    SYSTEM.iter().any(|p| path.starts_with(p))
        || FOLDERS.iter().any(|f| path.contains(f))
        || path.contains("/include/") && toolkit_header(&path)
        || is_bare_toolkit_header(&path)
}

/// What a reader calls the library that a header belongs to.
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

/// What an instruction is to a barrier that a library makes of flags in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierStep {
    /// It arrives, and waits later.
    Arrive,
    Other,
}

/// Is a strong operation part of a barrier of cooperative groups or libcu++, whose words are in memory?
pub(crate) fn barrier_step(sites: &SiteTable, site: SiteId) -> Option<BarrierStep> {
    let inner = sites.get(site)?.frames.iter().take_while(|f| is_library(&f.file));
    let barrier =
        |f: &Frame| ["/cooperative_groups/details/sync", "/__barrier/"].iter().any(|p| f.file.contains(p));
    if !inner.clone().any(barrier) {
        return None;
    }
    let calls = inner.map(|f| names::base(&f.function)).collect::<Vec<_>>();
    let arrives = calls.iter().any(|name| name.contains("arrive"));
    let waits =
        calls.iter().any(|name| name.contains("wait") || name.contains("sync") && !name.contains("arrive"));
    Some(if arrives && !waits { BarrierStep::Arrive } else { BarrierStep::Other })
}

/// Is it one of `grid.sync()`?
pub(crate) fn is_of_grid(sites: &SiteTable, site: SiteId) -> bool {
    let named = |f: &Frame| names::base(&f.function).contains("grid");
    barrier_step(sites, site).is_some() && sites.get(site).is_some_and(|site| site.frames.iter().any(named))
}

/// Does a side come from libcu++?
pub(crate) fn is_of_libcu(sites: &SiteTable, site: Option<SiteId>) -> bool {
    let frame = site.and_then(|id| sites.get(id)).and_then(|site| site.frames.first());
    frame.is_some_and(|f| library(&f.file) == Some("libcu++"))
}

const SYSTEM: [&str; 6] =
    ["/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/", "/usr/local/cuda", "/opt/cuda/"];

/// Folders of the toolkit and of the libraries that come with it, wherever they are installed.
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

/// Files that lie in the toolkit's `include` itself, for toolkits in unusual places. A user's own
/// `include/cuda/kernels.cuh` must not look like one.
fn toolkit_header(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    NAMES.contains(&name)
        || (name.starts_with("sm_") && (name.contains("_intrinsics.") || name.contains("_functions.")))
        || (name.starts_with("cuda_") && HALF.iter().any(|h| name.contains(h)))
        // `cuda/atomic`, `cuda/barrier`: libcu++ has no extensions.
        || (folder.ends_with("/include/cuda") && !name.contains('.'))
}

const HALF: [&str; 6] = ["_fp16.", "_bf16.", "_fp8.", "_fp4.", "_pipeline", "_awbarrier"];

/// nvcc names some of its files without any folder.
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

    fn frame(file: &str, line: u32) -> Frame {
        Frame { file: file.into(), line, column: 1, function: String::new() }
    }

    fn site(frames: Vec<Frame>) -> Site {
        Site { function: "k".into(), text: String::new(), ptx_line: 1, frames, variable: None }
    }

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

    #[test]
    fn a_finding_in_a_library_goes_to_the_innermost_user_frame() {
        let chain = site(vec![
            frame("/opt/cuda/include/cub/block/block_scan.cuh", 300),
            frame("helper.cuh", 20),
            frame("main.cu", 7),
        ]);
        assert_eq!(user_frame(&chain).unwrap().line, 20);
        let only_library = site(vec![frame("/usr/include/a.h", 1), frame("/usr/include/b.h", 2)]);
        assert_eq!(user_frame(&only_library).unwrap().line, 2);
        assert_eq!(user_frame(&site(vec![])), None);
    }
}
