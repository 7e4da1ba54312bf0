//! The suites and the pieces that they are run in.

use crate::shell::{Outcome, root};
use std::path::Path;

/// A process of a suite.
pub(super) struct Piece {
    pub(super) name: String,
    /// What Python is started with.
    pub(super) arguments: Vec<String>,
}

/// A framework's own tests.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) what: &'static str,
    /// The framework whose virtual environment the tests run in.
    pub(super) framework: &'static str,
    /// What the tests import besides.
    pub(super) wheels: &'static [&'static str],
    /// Where the tests are among the installed packages, if they are.
    pub(super) in_wheel: Option<&'static str>,
    pub(super) pieces: fn(&Path) -> Outcome<Vec<Piece>>,
    /// What was found, held against the tests' sources.
    pub(super) findings: &'static str,
}

pub(super) const SUITES: [Suite; 3] = [
    Suite {
        name: "numba",
        title: "Numba-CUDA",
        what: "Modules of `numba.cuda.tests.cudapy`",
        framework: "numba",
        wheels: &["cffi", "filecheck", "psutil", "pytest", "ml_dtypes"],
        in_wheel: Some("numba_cuda/numba/cuda/tests/cudapy"),
        pieces: numba,
        findings: "What is reported, held against the sources: `useful_syncwarp` of `test_warp_ops` writes an element that other \
                   lanes of the warp read; the kernels of `test_exception` have 17 threads change all elements of `x`; those of \
                   `test_launch_config_sensitive` and `test_caching` have all threads store to one element; all threads of \
                   `cta_barrier.cu` (`test_cooperative_groups`) construct one `cuda::barrier` in shared memory.\n\nWhat fails: \
                   `test_dispatcher_cpointer_arguments` passes arrays of 10 elements and 16 as their length, and a test of \
                   `test_localmem` writes ten elements to arrays of one; the illegal access ends the context, and what comes \
                   after it fails with it. The compiler reads 16 bytes at the end of the dynamic shared memory of `test_sm`, \
                   of which the launch asked for 12: an illegal access, too, since memory is checked to the byte. In `test_ipc` \
                   cuda-bindings lacks an attribute that Numba asks for. Two tests of `test_caching` count cached files of Numba's CPU target; one \
                   each of `test_datetime` and `test_cuda_array_interface` needs CuPy.",
    },
    Suite {
        name: "cupy",
        title: "CuPy",
        what: "The tests of raw kernels in `tests/cupy_tests/core_tests/test_raw.py` of v14.2.0's sources",
        framework: "cupy",
        wheels: &["pytest"],
        in_wheel: None,
        pieces: cupy,
        findings: "Not run are variants by jitify, tests of several devices, of dynamic parallelism, and those that take random numbers from cuRAND, which has a runtime inside that asks \
                   for private tables (`test_cuFloatComplex`, `test_cuDoubleComplex`, `test_raw_picklable`).",
    },
    Suite {
        name: "triton",
        title: "Triton",
        what: "Tutorials without their benchmarks, and functions of `python/test/unit/language/test_core.py`",
        framework: "torch",
        wheels: &["pytest", "scipy", "tabulate", "matplotlib", "pandas"],
        in_wheel: None,
        pieces: triton,
        findings: "Races in shared memory are of Triton's compiler: a vector whose layout is replicated moves through shared \
                   memory, to which several warps write the same element (`_layer_norm_bwd_dwdb`, `_attn_fwd`, `tl.histogram`, \
                   `tl.gather`, the sums of `sanitize_sum_2d_kernel` and of `test_chained_reductions`). PTX makes no exception \
                   for equal values, so these are races by its model; the reports say that the compiler made the accesses. \
                   That the values are equal was not looked at in each case. The hazards are of the same kind within a warp. \
                   The locks of the layer norm's backward pass are clean.\n\nIn `test_if_call`, `test_nested_while`, `test_short_circuiting` and `test_load_store_same_ptr` a program \
                   loads a scalar and stores to it. Triton has every thread load it and one thread store, and puts no barrier \
                   between: a warp may read what the program stores later. One of `test_gather` needs more shared memory than \
                   the device has. Two pieces (`core-atomics`, `core-memory`) were ended after 400 s; 56 of their tests had \
                   passed, which are not counted.",
    },
];

fn piece(name: &str, arguments: &[&str]) -> Piece {
    Piece { name: name.to_owned(), arguments: arguments.iter().map(|&word| word.to_owned()).collect() }
}

fn numba(folder: &Path) -> Outcome<Vec<Piece>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut modules: Vec<String> = names
        .filter(|name| name.starts_with("test_"))
        .filter_map(|name| Some(name.strip_suffix(".py")?.to_owned()))
        .collect();
    modules.sort();
    let module =
        |name: &String| piece(name, &["-m", "unittest", "-v", &format!("numba.cuda.tests.cudapy.{name}")]);
    Ok(modules.iter().map(module).collect())
}

/// Has pytest run tests of a file.
fn pytest(name: &str, file: &Path, chosen: &[&str]) -> Outcome<Piece> {
    let file =
        file.to_str().filter(|_| file.is_file()).ok_or_else(|| format!("there is no {}", file.display()))?;
    Ok(piece(name, &[&["-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", file], chosen].concat()))
}

fn cupy(sources: &Path) -> Outcome<Vec<Piece>> {
    let file = sources.join("tests/cupy_tests/core_tests/test_raw.py");
    let chosen = "(not jitify or no-jitify) and not test_dynamical_parallelism and not Complex and not test_raw_picklable";
    Ok(vec![pytest("test_raw", &file, &["-m", "not multi_gpu", "-k", chosen])?])
}

const TUTORIALS: [&str; 6] = [
    "01-vector-add",
    "02-fused-softmax",
    "03-matrix-multiplication",
    "04-low-memory-dropout",
    "05-layer-norm",
    "06-fused-attention",
];

/// Functions of `test_core.py`, by subject.
const CORE: [(&str, &str); 6] = [
    (
        "core-atomics",
        "test_atomic_rmw_predicate or test_tensor_atomic_rmw_block or test_atomic_cas or test_tensor_atomic_use_result or \
         test_atomic_min_max or test_tensor_atomic_add_shift_1 or test_load_scope_sem or test_atomic_unsupported_type or \
         test_scalar_atomic_cas_multicta",
    ),
    (
        "core-reductions",
        "test_histogram or test_scan_1d or test_chained_reductions or test_generic_reduction or test_max_returns_zero or \
         test_argmax or test_gather or test_side_effectful",
    ),
    (
        "core-memory",
        "test_load_cache_modifier or test_store_cache_modifier or test_vectorization or test_masked_load_shared or \
         test_masked_load_scalar or test_indirect or test_where or test_store_constant or test_load_store_same_ptr",
    ),
    (
        "core-layouts",
        "test_trans_2d or test_permute or test_reshape or test_join or test_interleave or test_split or test_transpose or \
         test_broadcast or test_cat_nd or test_slice",
    ),
    (
        "core-control",
        "test_if or test_while or test_for_iv or test_nested or test_noinline or test_call or test_static_range or test_tl_range \
         or test_short_circuiting",
    ),
    (
        "core-dot",
        "test_dot_without_load or test_join_with_mma or test_dot_mulbroadcasted or test_dot_multidim",
    ),
];

fn triton(sources: &Path) -> Outcome<Vec<Piece>> {
    let program = root().join("xtask/src/frameworks/tutorial.py").display().to_string();
    let folder = sources.join("python/tutorials");
    let tutorial =
        |name: &&str| piece(name, &[&program, &folder.join(format!("{name}.py")).display().to_string()]);
    let core = sources.join("python/test/unit/language/test_core.py");
    let mut pieces: Vec<Piece> = TUTORIALS.iter().map(tutorial).collect();
    for (name, chosen) in CORE {
        pieces.push(pytest(name, &core, &["-k", chosen])?);
    }
    Ok(pieces)
}
