//! The device that a program sees: `--arch`, and what it is without. These tests need nvcc, which `cargo xtask test` provides.

mod toolkit;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use toolkit::toolkit;

/// Prints the device's number and limits, and by which PTX its kernel was compiled; ends with 3 if it is not the wanted one.
const SOURCE: &str = r#"
    #include <cstdio>
    #include <cstdlib>

    __global__ void kernel(int *out) {
        unsigned processors;
        asm("mov.u32 %0, %%nsmid;" : "=r"(processors));
        out[0] = processors;
    #ifdef __CUDA_ARCH__
        out[1] = __CUDA_ARCH__;
    #endif
    }

    int main(int argc, char **argv) {
        cudaDeviceProp p;
        cudaGetDeviceProperties(&p, 0);
        if (argc > 1 && p.major != atoi(argv[1])) return 3;
        int *out, got[2] = {};
        cudaMalloc(&out, sizeof got);
        kernel<<<1, 1>>>(out);
        if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost)) return 4;
        int cluster = -1;
        cudaDeviceGetAttribute(&cluster, cudaDevAttrClusterLaunch, 0);
        printf("%d.%d %zu %d %d %d %d\n", p.major, p.minor, p.sharedMemPerBlockOptin >> 10, p.maxThreadsPerMultiProcessor,
               cluster, got[0] == p.multiProcessorCount, got[1]);
    }
"#;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arch");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn compile(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let nvcc = toolkit()?.join("bin/nvcc");
    let (source, program) = (folder().join(format!("{name}.cu")), folder().join(name));
    std::fs::write(&source, SOURCE).unwrap();
    let done = Command::new(nvcc).args(flags).arg(&source).arg("-o").arg(&program).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(program)
}

fn run(options: &[&str], program: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warprace"));
    command.env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    command.arg("run").args(options).arg("--").arg(program).args(args).output().unwrap()
}

#[track_caller]
fn prints(options: &[&str], program: &Path, expected: &str) {
    let ran = run(options, program, &[]);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!((ran.status.code(), &*String::from_utf8_lossy(&ran.stdout)), (Some(0), expected), "{said}");
}

#[track_caller]
fn says(ran: &Output, expected: &str) {
    let said = String::from_utf8_lossy(&ran.stderr);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(expected), "{said}");
}

#[test]
fn a_device_is_chosen_by_name_or_by_the_programs_code() {
    let code = |arch: &str| format!("-gencode=arch=compute_{arch},code=compute_{arch}");
    let Some(both) = compile("both", &[&code("75"), &code("90a"), &code("100")]) else { return };
    prints(&[], &both, "9.0 227 2048 1 1 900\n");
    prints(&["--arch", "sm_75"], &both, "7.5 64 1024 0 1 750\n");
    prints(&["--arch", "8.9"], &both, "8.9 99 1536 0 1 750\n");
    prints(&["--arch", "sm_100a"], &both, "10.0 227 2048 1 1 1000\n");
    prints(&["--arch", "121"], &both, "12.1 99 1536 1 1 1000\n");
    // The replay string names it.
    prints(&["--replay", "arch=sm_80+converged-first:seed=0"], &both, "8.0 163 2048 0 1 750\n");
    says(
        &run(&["--arch", "sm_80", "--replay", "arch=sm_90+converged-first:seed=0"], &both, &[]),
        "contradicts",
    );
    says(&run(&["--arch", "sm_91"], &both, &[]), "expected one of sm_75");

    let Some(newer) = compile("newer", &[&code("120")]) else { return };
    prints(&[], &newer, "12.0 99 1536 1 1 1200\n");
    let ran = run(&["--arch", "sm_90"], &newer, &[]);
    assert_eq!(ran.status.code(), Some(65), "{}", String::from_utf8_lossy(&ran.stderr));
    says(&ran, "run it with `--arch sm_120`");
}

#[test]
fn a_program_that_ends_because_of_the_device_is_told_so() {
    let Some(program) = compile("asks", &["-gencode=arch=compute_75,code=compute_75"]) else { return };
    let ran = run(&[], &program, &["10"]);
    says(&ran, "it asked for the device's compute capability, which is 9.0: `--arch` chooses another device");
    prints(&["--arch", "sm_103"], &program, "10.3 227 2048 1 1 750\n");
}
