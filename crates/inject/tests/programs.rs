//! Real programs, built by nvcc, run with the library preloaded.
//!
//! `cargo xtask test` provides nvcc; without it these tests print that they were skipped.

use protocol::{OPTIONS_VARIABLE, Obstacle, PROTOCOL_VERSION, RunOptions, RunResult};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

#[path = "programs/driver.rs"]
mod driver;
#[path = "programs/system_calls.rs"]
mod system_calls;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the CUDA toolkit; `None` if there is none and none is required.
fn toolkit() -> Option<PathBuf> {
    let toolkit = std::env::var_os("WARPRACE_CUDA")
        .map_or_else(|| root().join("target/cuda/nvidia/cu13"), PathBuf::from);
    if toolkit.join("bin/nvcc").exists() {
        return Some(toolkit);
    }
    assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "no nvcc under {}", toolkit.display());
    eprintln!("skipped: no nvcc under {}", toolkit.display());
    None
}

/// Creates an empty folder for this test.
fn folder() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("warprace-inject-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles a source of `tests/programs` to `out`.
fn compile(source: &str, flags: &[&str], out: &Path) -> Option<()> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
    let mut compiler = if source.extension().is_some_and(|e| e == "c") {
        toolkit()?;
        Command::new("gcc")
    } else {
        let mut nvcc = Command::new(toolkit()?.join("bin/nvcc"));
        nvcc.args(["-lineinfo", "-arch=sm_90", "-g"]);
        nvcc
    };
    let done = compiler.arg(source).args(flags).arg("-o").arg(out).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(())
}

/// Returns the library that was built with this test.
fn library() -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    for place in [folder.join("libinject.so"), folder.join("../libinject.so")] {
        if place.exists() {
            return place;
        }
    }
    panic!("libinject.so is not beside {}", folder.display());
}

struct Ran {
    output: Output,
    results: Vec<RunResult>,
}

impl Ran {
    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// Returns the result of the only process.
    #[track_caller]
    fn result(&self) -> &RunResult {
        assert_eq!(self.results.len(), 1, "{:?}", self.output);
        &self.results[0]
    }

    #[track_caller]
    fn ok(&self) -> &Self {
        assert_eq!(self.output.status.code(), Some(0), "{:?}", self.output);
        assert_eq!(self.stdout(), "ok\n");
        self
    }
}

fn run(program: &Path, args: &[&str], options: RunOptions) -> Ran {
    let results = folder();
    let options = RunOptions {
        results: results.clone(),
        version: PROTOCOL_VERSION,
        plan: "converged-first:seed=1".parse().unwrap(),
        ..options
    };
    let mut command = Command::new(program);
    if let Some(toolkit) = toolkit() {
        command.env("LD_LIBRARY_PATH", toolkit.join("lib"));
    }
    let output = command
        .args(args)
        .env("LD_PRELOAD", library())
        .env(OPTIONS_VARIABLE, options.to_variable())
        .output()
        .unwrap();
    let read = RunResult::read_all(&results).unwrap();
    assert!(read.unreadable.is_empty(), "{:?}", read.unreadable);
    let _ = std::fs::remove_dir_all(&results);
    Ran { output, results: read.processes }
}

fn build_and_run(source: &str, flags: &[&str], options: RunOptions) -> Option<Ran> {
    let program = folder().join("program");
    compile(source, flags, &program)?;
    let ran = run(&program, &[], options);
    let _ = std::fs::remove_dir_all(program.parent().unwrap());
    Some(ran)
}

#[test]
fn a_static_runtime_is_taken_over() {
    for flags in [&[][..], &["-Xcompiler", "-fno-pie", "-Xlinker", "-no-pie"], &["-rdc=true"]] {
        let Some(ran) = build_and_run("vector.cu", flags, RunOptions::default()) else { return };
        let result = ran.ok().result();
        assert!(result.finished && result.uses_cuda && result.obstacle.is_none(), "{result:?}");
        let kernel = &result.kernels[0];
        assert_eq!((kernel.launches, kernel.checked, kernel.threads, kernel.blocks), (1, 1, 1024, 8));
        assert!(kernel.has_line_info && kernel.accesses == 3000, "{kernel:?}");
        assert_eq!((result.counters.copies, result.counters.allocations), (3, 4), "with the device heap");
    }
}

#[test]
fn a_shared_runtime_is_preempted() {
    let Some(ran) = build_and_run("vector.cu", &["-cudart", "shared"], RunOptions::default()) else { return };
    assert_eq!(ran.ok().result().counters.launches, 1);
}

#[test]
fn a_static_runtime_in_a_library_is_taken_over() {
    let folder = folder();
    let object = folder.join("libwork.so");
    if compile("library.cu", &["-shared", "-Xcompiler", "-fPIC"], &object).is_none() {
        return;
    }
    let at = folder.to_str().unwrap();
    let linked = folder.join("linked");
    compile("linked.c", &["-L", at, "-lwork", &format!("-Wl,-rpath,{at}")], &linked);
    let opened = folder.join("opened");
    compile("opened.c", &["-ldl"], &opened);
    for (program, args) in [(linked, vec![]), (opened, vec![object.to_str().unwrap()])] {
        let ran = run(&program, &args, RunOptions::default());
        assert_eq!(ran.stdout(), "62\n", "{:?}", ran.output);
        assert_eq!(ran.result().counters.launches, 1);
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_stripped_static_runtime_is_named() {
    let folder = folder();
    let program = folder.join("stripped");
    if compile("vector.cu", &["-Xlinker", "-s"], &program).is_none() {
        return;
    }
    let ran = run(&program, &[], RunOptions::default());
    assert_eq!(ran.result().obstacle, Some(Obstacle::StrippedStatic { object: program }));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_stripped_runtime_in_a_library_is_named_when_it_is_used() {
    let folder = folder();
    let object = folder.join("libwork.so");
    if compile("library.cu", &["-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-s"], &object).is_none() {
        return;
    }
    let at = folder.to_str().unwrap();
    let library = ["-L", at, &format!("-Wl,-rpath,{at}"), "-Wl,--no-as-needed", "-lwork"];
    let (calls, leaves) = (folder.join("calls"), folder.join("leaves"));
    compile("linked.c", &library, &calls);
    compile("idle.c", &library, &leaves);
    let used = run(&calls, &[], RunOptions::default());
    assert_eq!(used.result().obstacle, Some(Obstacle::StrippedStatic { object }));
    let idle = run(&leaves, &[], RunOptions::default());
    assert!(idle.results.iter().all(|result| result.obstacle.is_none()), "{:?}", idle.output);
    let _ = std::fs::remove_dir_all(folder);
}

macro_rules! self_checking {
    ($($name:ident: $source:literal $flags:expr, $devices:literal;)*) => {$(
        #[test]
        fn $name() {
            let options = RunOptions { devices: $devices, ..RunOptions::default() };
            let Some(ran) = build_and_run($source, $flags, options) else { return };
            let result = ran.ok().result();
            assert!(result.finished && result.inconclusive.is_empty(), "{result:?}");
            assert!(result.findings.is_empty(), "{:?}", result.findings);
            let told = result.limits.iter().any(|limit| limit.contains("cudaHostRegister"));
            assert_eq!(told, $source == "copies.cu", "what the host does with registered memory is not checked");
            assert_eq!(result.counters.unchecked, u64::from(told));
        }
    )*};
}

self_checking! {
    errors_are_kept_as_cuda_keeps_them: "errors.cu" &[], 1;
    memory_has_every_shape: "copies.cu" &[], 1;
    streams_events_and_host_functions: "streams.cu" &[], 1;
    graphs_captured_and_built: "graphs.cu" &[], 1;
    conditional_graph_nodes: "conditional.cu" &["-rdc=true"], 1;
    textures_are_read: "textures.cu" &[], 1;
    video_instructions_and_simd_intrinsics: "video.cu" &[], 1;
    two_devices: "devices.cu" &[], 2;
}

/// Point samples are exact; interpolated ones agree with an H200 up to the last bit of its weights, and
/// nearly always better.
#[test]
fn textures_are_read_as_an_h200_reads_them() {
    let Some(ran) = build_and_run("texture_values.cu", &[], RunOptions::default()) else { return };
    assert_eq!(ran.output.status.code(), Some(0), "{:?}", ran.output);
    let (recorded, said) = (include_str!("programs/texture_values.h200.txt"), ran.stdout());
    assert_eq!(said.lines().count(), recorded.lines().count());
    for (theirs, ours) in recorded.lines().zip(said.lines()) {
        let (what, bits) = theirs.split_once(": ").unwrap();
        let (same, our_bits) = ours.split_once(": ").unwrap();
        assert_eq!(what, same);
        let words: Vec<&str> = what.split(' ').collect();
        if words[1] == "0" {
            assert_eq!(theirs, ours);
            continue;
        }
        let value = |hex| f32::from_bits(u32::from_str_radix(hex, 16).unwrap());
        let off: Vec<f32> =
            bits.split(' ').zip(our_bits.split(' ')).map(|(a, b)| (value(a) - value(b)).abs()).collect();
        // The textures' values lie within 37 of each other, and within 2 of those that are read as fractions.
        let last_bit = if what.contains("unit") { 2.0 } else { 37.4 } / 256.0;
        assert!(off.iter().all(|&d| d <= last_bit), "{what}: {off:?}");
        let rounded = off.iter().filter(|&&d| d > 2e-5).count();
        assert!(words[0] == "3d" || rounded <= 1, "{what}: {off:?}");
    }
}

/// An interprocess event that is not shared orders no more than any other event.
#[test]
fn an_interprocess_event_that_nobody_else_knows_hides_no_race() {
    let Some(ran) = build_and_run("interprocess.cu", &[], RunOptions::default()) else { return };
    let result = ran.ok().result();
    assert_eq!(result.findings.len(), 1, "{:?}", result.findings);
    assert!(result.inconclusive.is_empty(), "{:?}", result.inconclusive);
}

#[test]
fn processes_share_memory_and_events() {
    // Exploration restores memory, which no other process may see.
    let options = RunOptions { explore: 3, ..RunOptions::default() };
    let Some(ran) = build_and_run("ipc.cu", &[], options) else { return };
    ran.ok();
    assert_eq!(ran.results.len(), 2);
    for result in &ran.results {
        assert!(result.findings.is_empty(), "{:?}", result.findings);
        let limits = &result.inconclusive;
        assert!(limits.iter().any(|l| l.contains("accesses of other processes")), "{limits:?}");
        assert!(result.limits.iter().any(|l| l.contains("not explored")), "{:?}", result.limits);
    }
}

#[test]
fn refused_launches_are_told() {
    let Some(ran) = build_and_run("errors.cu", &[], RunOptions::default()) else { return };
    let limits = &ran.ok().result().limits;
    for told in [
        "a launch of `store` was refused with `cudaErrorInvalidConfiguration` and did not run",
        "a launch of `big` was refused with `cudaErrorInvalidValue` and did not run",
    ] {
        assert_eq!(limits.iter().filter(|limit| *limit == told).count(), 1, "{limits:?}");
    }
}

#[test]
fn surfaces_are_written_and_read() {
    let Some(ran) = build_and_run("surfaces.cu", &[], RunOptions::default()) else { return };
    // The program's last kernel writes outside a surface.
    let failure = &ran.ok().result().failures[0];
    assert!(format!("{failure:?}").contains("outside of the surface"), "{failure:?}");
}

#[test]
fn a_fault_is_described() {
    let Some(ran) = build_and_run("errors.cu", &[], RunOptions::default()) else { return };
    let failure = &ran.ok().result().failures[0];
    assert_eq!(failure.error, "cudaErrorIllegalAddress");
    let site = ran.result().sites.get(failure.site.unwrap()).unwrap();
    assert!(site.frames[0].file.ends_with("errors.cu"), "{site:?}");
    let allocation = failure.allocation.as_ref().unwrap();
    assert_eq!(allocation.bytes, 64);
    let call = ran.result().sites.get(allocation.call.site.unwrap()).unwrap();
    assert!(
        allocation.call.api == "cudaMalloc" && call.frames.iter().any(|f| f.file.ends_with("errors.cu")),
        "{call:?}"
    );
}

#[test]
fn every_end_of_a_process_keeps_its_result_and_status() {
    let folder = folder();
    let program = folder.join("ends");
    if compile("ends.cu", &[], &program).is_none() {
        return;
    }
    for (how, code, signal, finished) in [
        ("_exit", Some(8), None, true),
        ("exit", Some(9), None, true),
        ("unfinished", Some(0), None, true),
        ("abort", None, Some(libc::SIGABRT), false),
        ("kill", None, Some(libc::SIGKILL), false),
        ("dereference", None, Some(libc::SIGSEGV), false),
    ] {
        let ran = run(&program, &[how], RunOptions::default());
        let status = ran.output.status;
        assert_eq!((status.code(), status.signal()), (code, signal), "{how}: {:?}", ran.output);
        let result = ran.result();
        assert_eq!(result.finished, finished, "{how}");
        if how != "abort" && how != "dereference" {
            assert_eq!(result.counters.launches, if how == "unfinished" { 2 } else { 1 }, "{how}");
        }
    }
    // These processes end before anything is complete.
    let ran = run(&program, &["refused"], RunOptions::default());
    assert_eq!(ran.output.status.signal(), Some(libc::SIGABRT), "{:?}", ran.output);
    assert_eq!(ran.result().unsupported_calls[0].call.api, "cudaGraphDebugDotPrint");
    assert!(
        ran.result().limits.iter().any(|limit| limit.contains("`cuNoSuch`")),
        "{:?}",
        ran.result().limits
    );
    let ran = run(&program, &["in-its-first-kernel"], RunOptions::default());
    assert_eq!(ran.output.status.signal(), Some(libc::SIGKILL), "{:?}", ran.output);
    assert!(ran.result().uses_cuda);
    // Both processes launched a kernel.
    let ran = run(&program, &["fork-first"], RunOptions::default());
    assert_eq!(ran.output.status.code(), Some(5), "{:?}", ran.output);
    assert_eq!(ran.results.iter().map(|r| r.counters.launches).collect::<Vec<_>>(), [1, 1]);
    // The child of a process with a context cannot use CUDA, and has no result.
    let ran = run(&program, &["fork-later"], RunOptions::default());
    assert_eq!(ran.output.status.code(), Some(7), "{:?}", ran.output);
    assert_eq!(ran.result().counters.launches, 1);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn an_unsupported_call_is_refused_by_name() {
    let Some(ran) = build_and_run("unsupported.cu", &[], RunOptions::default()) else { return };
    let result = ran.ok().result();
    let call = &result.unsupported_calls[0];
    assert!(call.call.api == "cudaMallocMipmappedArray" && call.count == 1 && call.matters, "{call:?}");
    assert_eq!(result.inconclusive, [""; 0], "the call itself is reason enough for doubt");
}

#[test]
fn device_output_falls_in_line() {
    let Some(ran) = build_and_run("printing.cu", &[], RunOptions::default()) else { return };
    assert_eq!(ran.stdout(), "host 1\ndevice 2\nhost 3\ndevice 4\n");
}

#[test]
fn programs_without_cuda_are_left_alone() {
    let ran = run(Path::new("/bin/echo"), &["hello"], RunOptions::default());
    assert_eq!(ran.stdout(), "hello\n");
    assert!(ran.results.is_empty());
}

#[test]
fn every_function_of_the_runtime_is_served_or_refused_by_name() {
    let Some(toolkit) = toolkit() else { return };
    let names = |path: &Path| -> std::collections::BTreeSet<String> {
        use object::{Object, ObjectSymbol};
        let bytes = std::fs::read(path).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        file.dynamic_symbols()
            .filter(ObjectSymbol::is_definition)
            .filter_map(|s| s.name().ok().map(str::to_owned))
            .filter(|name| name.starts_with("cuda") || name.starts_with("__cuda"))
            .collect()
    };
    let (theirs, ours) = (names(&toolkit.join("lib/libcudart.so.13")), names(&library()));
    let missing: Vec<_> = theirs.difference(&ours).collect();
    assert!(missing.is_empty() && theirs.len() > 400, "{missing:?}");
}
