//! Reads files that nvcc itself makes, in each of its ways.
//!
//! Needs a CUDA toolkit: `WARPRACE_CUDA`, or the one `cargo xtask test` installs. Without one
//! these tests pass and say so, unless `WARPRACE_REQUIRE_CUDA` is set.

use fatbin::elf::{Role, Runtime};
use fatbin::{Arch, Binary, Compression, Kind, best_ptx};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "
    #include <cstdio>
    __device__ int g;
    __global__ void k(int *p) { p[threadIdx.x] += g; }
    int main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
";

fn toolkit() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/nvidia/cu13");
    let root = std::env::var_os("WARPRACE_CUDA").map_or(installed, PathBuf::from);
    if root.join("bin/nvcc").exists() {
        return Some(root);
    }
    assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "no nvcc under {}", root.display());
    eprintln!("skipped: no nvcc under {}", root.display());
    None
}

/// Compiles `sources` into `name` and returns the file's bytes.
fn nvcc(name: &str, sources: &[(&str, &str)], flags: &[&str]) -> Option<Vec<u8>> {
    let root = toolkit()?;
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let out = dir.join("out");
    let mut command = Command::new(root.join("bin/nvcc"));
    command.current_dir(&dir).args(flags).arg("-o").arg(&out);
    for (file, text) in sources {
        std::fs::write(dir.join(file), text).unwrap();
        command.arg(file);
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(std::fs::read(out).unwrap())
}

fn ptx_of(binary: &Binary<'_>) -> String {
    best_ptx(binary.entries(), 90).expect("has PTX").ptx().unwrap()
}

#[test]
fn default_flags() {
    let Some(bytes) = nvcc("default", &[("a.cu", PROGRAM)], &["-lineinfo", "-arch=sm_90"]) else { return };
    let binary = Binary::parse(&bytes).unwrap();
    assert_eq!((binary.role, binary.runtime), (Role::Program, Runtime::Static));
    assert!(binary.needed.iter().any(|n| n.starts_with("libc.so")));
    let ptx: Vec<_> = binary.entries().filter(|e| e.kind == Kind::Ptx).collect();
    assert_eq!(ptx.len(), 1);
    assert_eq!((ptx[0].arch, ptx[0].version.0), (Arch::new(90), 9));
    assert_eq!(ptx[0].name.as_deref(), Some("a.cu"));
    assert_eq!(ptx[0].options.as_deref(), Some("--generate-line-info"));
    assert!(ptx[0].ptx().unwrap().contains(".visible .entry _Z1kPi("));
    // Each wrapper points at a block that was found by scanning.
    assert_eq!(binary.wrappers.len(), 2);
    for w in &binary.wrappers {
        assert!(binary.blocks.iter().any(|b| b.address == w.data), "{w:x?}");
    }
    for cubin in binary.entries().filter(|e| e.kind == Kind::Cubin) {
        assert!(cubin.image().unwrap().starts_with(b"\x7fELF"));
    }
}

#[test]
fn every_compression_holds_the_same_text() {
    let mut texts = Vec::new();
    for (mode, expected) in [
        ("default", Compression::Zstd),
        ("size", Compression::Zstd),
        ("balance", Compression::Zstd),
        ("speed", Compression::Lz4),
        ("none", Compression::Stored),
    ] {
        let flags = ["-gencode", "arch=compute_90,code=compute_90", "--compress-mode", mode];
        let Some(bytes) = nvcc(&format!("compress-{mode}"), &[("a.cu", PROGRAM)], &flags) else { return };
        let binary = Binary::parse(&bytes).unwrap();
        let entry = binary.entries().find(|e| e.kind == Kind::Ptx).unwrap();
        assert_eq!(entry.compression, expected, "{mode}");
        texts.push(entry.ptx().unwrap());
    }
    assert!(texts.iter().all(|t| *t == texts[0]), "{texts:?}");
}

#[test]
fn several_architectures() {
    let flags = [
        "-gencode=arch=compute_80,code=[compute_80,sm_80]",
        "-gencode=arch=compute_90a,code=[compute_90a,sm_90a]",
        "-gencode=arch=compute_100f,code=compute_100f",
    ];
    let Some(bytes) = nvcc("several", &[("a.cu", PROGRAM)], &flags) else { return };
    let binary = Binary::parse(&bytes).unwrap();
    let archs: Vec<_> =
        binary.entries().filter(|e| e.kind == Kind::Ptx).map(|e| e.arch.to_string()).collect();
    assert_eq!(archs, ["sm_80", "sm_90a", "sm_100f"]);
    assert!(ptx_of(&binary).contains(".target sm_90a"));
    let best = |device| best_ptx(binary.entries(), device).map(|e| e.arch.to_string());
    assert_eq!(best(89).as_deref(), Some("sm_80"));
    assert_eq!(best(103).as_deref(), Some("sm_100f"));
    assert_eq!(best(75), None);
}

#[test]
fn no_ptx() {
    let flags = ["-gencode=arch=compute_90a,code=sm_90a"];
    let Some(bytes) = nvcc("no-ptx", &[("a.cu", PROGRAM)], &flags) else { return };
    let binary = Binary::parse(&bytes).unwrap();
    assert!(binary.entries().any(|e| e.kind == Kind::Cubin));
    assert!(best_ptx(binary.entries(), 90).is_none());
}

#[test]
fn relocatable_device_code_keeps_one_module_for_each_file() {
    let main = "
        extern __device__ int f(int);
        __global__ void k(int *p) { p[threadIdx.x] += f(3); }
        int main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
    ";
    let other = "__device__ int f(int x) { return x * 3; }";
    let flags = ["-rdc=true", "-arch=sm_90"];
    let Some(bytes) = nvcc("rdc", &[("c.cu", main), ("d.cu", other)], &flags) else { return };
    let binary = Binary::parse(&bytes).unwrap();
    let texts: Vec<_> = binary
        .blocks
        .iter()
        .filter(|b| b.section == "__nv_relfatbin")
        .flat_map(|b| &b.container.entries)
        .filter(|e| e.kind == Kind::Ptx)
        .inspect(|e| assert!(e.is_relocatable()))
        .map(|e| e.ptx().unwrap())
        .collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains(".extern .func") && texts[0].contains(".entry"), "{}", texts[0]);
    assert!(texts[1].contains(".visible .func"), "{}", texts[1]);
    assert!(binary.wrappers.iter().any(|w| w.version == 2 && w.extra != 0));
}

#[test]
fn shared_runtime_library_and_stripped() {
    let Some(bytes) = nvcc("shared", &[("a.cu", PROGRAM)], &["-arch=sm_90", "-cudart", "shared"]) else {
        return;
    };
    assert_eq!(Binary::parse(&bytes).unwrap().runtime, Runtime::Shared);

    let flags = ["-arch=sm_90", "-shared", "-Xcompiler", "-fPIC"];
    let bytes = nvcc("library", &[("a.cu", PROGRAM)], &flags).unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    assert_eq!((binary.role, binary.runtime), (Role::Library, Runtime::Static));

    let flags = ["-arch=sm_90", "-Xlinker", "-s"];
    let bytes = nvcc("stripped", &[("a.cu", PROGRAM)], &flags).unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    assert_eq!((binary.role, binary.runtime), (Role::Program, Runtime::StaticStripped));
    assert!(ptx_of(&binary).contains(".entry"));

    let bytes = nvcc("object", &[("a.cu", PROGRAM)], &["-arch=sm_90", "-c"]).unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    assert_eq!(binary.role, Role::Object);
    assert!(ptx_of(&binary).contains(".entry"));
}

#[test]
fn a_container_is_replaced_in_the_file() {
    let Some(bytes) = nvcc("replace", &[("a.cu", PROGRAM)], &["-arch=sm_90"]) else { return };
    let binary = Binary::parse(&bytes).unwrap();
    let has_ptx = |b: &&fatbin::elf::Block<'_>| b.container.entries.iter().any(|e| e.kind == Kind::Ptx);
    let block = binary.blocks.iter().find(has_ptx).unwrap();
    let old = block.offset as usize..block.offset as usize + block.container.bytes;
    let mut builder = fatbin::write::ContainerBuilder::new();
    builder.ptx(Arch::new(80), (8, 0), "// another\n", Compression::Zstd);
    let new = builder.finish();
    let mut patched = bytes.clone();
    fatbin::write::replace(&mut patched, old.clone(), &new).unwrap();
    let binary = Binary::parse(&patched).unwrap();
    assert_eq!(ptx_of(&binary), "// another\n");
    let too_large = vec![0; old.len() + 1];
    assert!(fatbin::write::replace(&mut patched, old, &too_large).is_err());
}

#[test]
fn an_ordinary_program_is_not_cuda() {
    let bytes = std::fs::read("/proc/self/exe").unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    assert_eq!((binary.role, binary.runtime), (Role::Program, Runtime::None));
    assert!(!binary.is_cuda());
}

#[test]
fn a_truncated_program_is_one_error() {
    let Some(bytes) = nvcc("truncated", &[("a.cu", PROGRAM)], &["-arch=sm_90"]) else { return };
    for part in 1..8 {
        let error = Binary::parse(&bytes[..bytes.len() * part / 8]).unwrap_err();
        assert!(error.to_string().starts_with("damaged ELF file: "), "{error}");
    }
    // The section is whole, but its container says that it goes on.
    let mut damaged = bytes.clone();
    let block = &Binary::parse(&bytes).unwrap().blocks[1];
    let at = block.offset as usize;
    damaged[at + 8..at + 16].copy_from_slice(&100_000u64.to_le_bytes());
    let error = Binary::parse(&damaged).unwrap_err().to_string();
    assert!(error.starts_with("truncated fatbin: container at offset "), "{error}");
}
