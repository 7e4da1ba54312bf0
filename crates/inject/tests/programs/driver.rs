//! The driver's API, by a C program that links to `libcuda.so.1`.

use super::{Ran, compile, folder, library, run, toolkit};
use protocol::RunOptions;
use std::path::{Path, PathBuf};

/// A program of the driver's API, and the PTX of its kernels.
fn program(source: &str) -> Option<(PathBuf, PathBuf)> {
    let include = toolkit()?.join("include");
    let folder = folder();
    let (program, ptx) = (folder.join("driver"), folder.join("kernels.ptx"));
    std::os::unix::fs::symlink(library(), folder.join("libcuda.so.1")).unwrap();
    let (include, library) = (format!("-I{}", include.display()), format!("-L{}", folder.display()));
    compile(source, &["-g", &include, &library, "-l:libcuda.so.1", "-ldl"], &program)?;
    let own = source.replace(".c", ".cu");
    let is_there = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(&own).exists();
    compile(if is_there { &own } else { "driver_kernels.cu" }, &["-ptx"], &ptx)?;
    Some((program, ptx))
}

fn ran(what: &str) -> Option<Ran> {
    let (program, ptx) = program("driver.c")?;
    Some(run(&program, &[ptx.to_str().unwrap(), what], RunOptions::default()))
}

#[test]
fn the_drivers_functions_do_what_cuda_s_do() {
    let Some(ran) = ran("all") else { return };
    assert_eq!(ran.stdout(), "right\n", "{}", String::from_utf8_lossy(&ran.output.stderr));
    let result = ran.result();
    assert!(result.findings.is_empty() && result.obstacle.is_none(), "{result:#?}");
}

/// Runs a program on two devices.
fn on_two_devices(program: &Path, args: &[&str]) {
    let ran = run(program, args, RunOptions { devices: 2, ..RunOptions::default() });
    assert_eq!(ran.stdout(), "right\n", "{}", String::from_utf8_lossy(&ran.output.stderr));
    let result = ran.result();
    assert!(result.findings.is_empty() && result.obstacle.is_none(), "{result:#?}");
    assert!(result.unsupported_calls.is_empty(), "{:?}", result.unsupported_calls);
}

#[test]
fn contexts_modules_kernels_and_memory_of_the_driver_are_what_cuda_s_are() {
    let Some((program, ptx)) = program("driver_objects.c") else { return };
    let (fatbin, library) = (ptx.with_extension("fatbin"), ptx.with_extension("a"));
    compile("driver_kernels.cu", &["-fatbin"], &fatbin).unwrap();
    compile("driver_kernels.cu", &["-lib"], &library).unwrap();
    on_two_devices(&program, &[&ptx, &fatbin, &library].map(|file| file.to_str().unwrap()));
}

#[test]
fn copies_fills_and_graphs_of_the_driver_do_what_cuda_s_do() {
    let Some((program, ptx)) = program("driver_copies.c") else { return };
    on_two_devices(&program, &[ptx.to_str().unwrap()]);
}

#[test]
fn arrays_textures_and_surfaces_of_the_driver_are_what_cuda_s_are() {
    let Some((program, ptx)) = program("driver_images.c") else { return };
    on_two_devices(&program, &[ptx.to_str().unwrap()]);
}

/// A value that a stream writes releases what the stream has done, unless the program waives the fence.
#[test]
fn a_stream_that_waits_for_a_value_is_ordered_by_it() {
    let Some((program, ptx)) = program("driver_values.c") else { return };
    on_two_devices(&program, &[ptx.to_str().unwrap(), "ordered"]);
    for how in ["early", "waived"] {
        let ran = run(&program, &[ptx.to_str().unwrap(), how], RunOptions::default());
        assert_eq!(ran.stdout(), "right\n", "{}", String::from_utf8_lossy(&ran.output.stderr));
        let result = ran.result();
        assert!(!result.findings.is_empty() && result.unsupported_calls.is_empty(), "{how}: {result:#?}");
    }
}

#[test]
fn a_race_in_a_kernel_that_the_driver_launched_is_found() {
    let Some(ran) = ran("race") else { return };
    assert!(ran.output.status.success(), "{}", String::from_utf8_lossy(&ran.output.stderr));
    let result = ran.result();
    assert!(!result.findings.is_empty());
    let named = result.tasks.iter().any(|task| task.call.api == "cuLaunchKernel");
    assert!(named, "{:?}", result.tasks);
}

#[test]
fn a_function_of_the_driver_that_is_refused_is_named() {
    let Some(ran) = ran("refused") else { return };
    assert!(ran.output.status.success(), "{}", String::from_utf8_lossy(&ran.output.stderr));
    let calls = &ran.result().unsupported_calls;
    assert!(calls.iter().any(|call| call.call.api == "cuGreenCtxCreate" && call.matters), "{calls:?}");
}

#[test]
fn a_call_from_python_has_its_line() {
    let ptx = folder().join("kernels.ptx");
    if compile("driver_kernels.cu", &["-ptx"], &ptx).is_none() {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/driver.py");
    let words = [script.to_str().unwrap(), ptx.to_str().unwrap()];
    let ran = run(Path::new("python3"), &words, RunOptions::default());
    assert!(ran.output.status.success(), "{}", String::from_utf8_lossy(&ran.output.stderr));
    let result = ran.result();
    let call = &result.findings[0].allocation.as_ref().unwrap().call;
    let frame = &result.sites.get(call.site.unwrap()).unwrap().frames[0];
    let text = std::fs::read_to_string(&script).unwrap();
    let line = text.lines().position(|line| line.ends_with("# the line that the report names"));
    assert_eq!(frame.line as usize, line.unwrap() + 1);
    assert!(frame.file.ends_with("driver.py") && frame.function == "allocate", "{frame:?}");
}
