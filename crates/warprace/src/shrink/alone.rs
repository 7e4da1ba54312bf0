//! A program of one launch: the PTX, the memory and a `main`.

use super::cut::parameters;
use super::saved::Saved;
use events::task::AllocKind;
use std::fmt::Write;

/// Bytes of contents that a source can have.
const MOST: usize = 4 << 20;

/// Returns the source of a program that makes the launch. The error is a sentence fragment.
pub(super) fn program(saved: &Saved, title: &str) -> Result<String, String> {
    let launch = &saved.launch;
    if !saved.objects.is_empty() {
        return Err("its kernel reads textures or surfaces, which only a replay has".into());
    }
    let [text] = &launch.texts[..] else {
        return Err("its module is linked of several PTX texts".into());
    };
    let mut out = format!(
        "// One launch of `{}` with a race: {title}\n\
         // Made by `warprace shrink`. Build and look:\n\
         //   nvcc -o shrunk shrunk.cu && warprace run -- ./shrunk\n{HEAD}",
        launch.kernel
    );
    let _ = writeln!(
        out,
        "// The kernel, as the compiler made it.\nstatic const char module_text[] =\n{};\n",
        literal(text)
    );
    memory(saved, &mut out)?;
    arguments(saved, &mut out);
    let [grid, block, cluster] =
        [launch.grid, launch.block, launch.cluster].map(|d| format!("{}, {}, {}", d.x, d.y, d.z));
    let _ = writeln!(
        out,
        "static const unsigned grid[] = {{{grid}}}, block[] = {{{block}}}, cluster[] = {{{cluster}}};\n\
         static const unsigned dynamic_shared = {};\n\
         static const int cooperative = {};\n\
         static const char kernel_name[] = \"{}\";\n{MAIN}",
        launch.dynamic_shared,
        i32::from(launch.cooperative),
        launch.kernel
    );
    Ok(out)
}

/// Returns a text as raw string literals, which are short enough for every compiler.
fn literal(text: &str) -> String {
    let mut out = String::new();
    let mut piece = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        piece.push_str(line);
        piece.push('\n');
        if piece.len() > 8000 {
            let _ = writeln!(out, "R\"__ptx({piece})__ptx\"");
            piece.clear();
        }
    }
    let _ = write!(out, "R\"__ptx({piece})__ptx\"");
    out
}

fn bytes(all: &[u8]) -> String {
    let words: Vec<String> = all.iter().map(u8::to_string).collect();
    words.join(",")
}

fn memory(saved: &Saved, out: &mut String) -> Result<(), String> {
    let total: usize = saved.ranges.iter().flat_map(|m| &m.pieces).map(|(_, bytes)| bytes.len()).sum();
    if total > MOST {
        return Err(format!("its memory has {total} bytes of contents"));
    }
    let mut rows = String::new();
    for (i, memory) in saved.ranges.iter().enumerate() {
        let at = &memory.range.allocation;
        let kind = match at.kind {
            AllocKind::Device => 0,
            AllocKind::Managed => 1,
            AllocKind::HostMapped => 2,
            AllocKind::Variable => 3,
            // The device makes a heap of its own.
            AllocKind::DeviceHeap => continue,
        };
        let mut pieces = String::new();
        for (n, (offset, contents)) in memory.pieces.iter().enumerate() {
            // Trailing zeros are there anyway.
            let used = contents.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
            if used > 0 {
                let _ = writeln!(
                    out,
                    "static const unsigned char piece_{i}_{n}[] = {{{}}};",
                    bytes(&contents[..used])
                );
                let _ = write!(pieces, "{{{offset}ull, sizeof piece_{i}_{n}, piece_{i}_{n}}}, ");
            }
        }
        let _ = writeln!(out, "static const Piece pieces_{i}[] = {{{pieces}{{0, 0, nullptr}}}};");
        let name = at.name.as_ref().map_or("nullptr".to_owned(), |name| format!("\"{name}\""));
        let _ = writeln!(rows, "    {{{kind}, {name}, {:#x}ull, {}ull, pieces_{i}, 0}},", at.base, at.bytes);
    }
    let _ = writeln!(out, "static Memory memory[] = {{\n{rows}    {{0, nullptr, 0, 0, nullptr, 0}},\n}};\n");
    Ok(())
}

fn arguments(saved: &Saved, out: &mut String) {
    let offsets: Vec<String> = parameters(saved).iter().map(|p| format!("{}, ", p.offset)).collect();
    let _ = writeln!(
        out,
        "// The bytes of all parameters, and where each begins.\n\
         static unsigned char params[] = {{{}}};\n\
         static const int offsets[] = {{{}-1}};",
        if saved.launch.params.is_empty() { "0".to_owned() } else { bytes(&saved.launch.params) },
        offsets.concat()
    );
}

const HEAD: &str = r#"#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

struct Piece {
    unsigned long long offset, bytes;
    const unsigned char *contents;
};

// An allocation of the original program: its kind (device, managed, host, variable), its address there, its address here.
struct Memory {
    int kind;
    const char *variable;
    unsigned long long base, bytes;
    const Piece *pieces;
    unsigned long long now;
};

"#;

const MAIN: &str = r#"
static void check(int error, const char *what) {
    if (error == 0) return;
    std::fprintf(stderr, "%s: error %d\n", what, error);
    std::exit(2);
}
#define CHECK(call) check(static_cast<int>(call), #call)

// A function of the driver, without linking to it.
template <typename F> static F entry(const char *name) {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
#else
    CHECK(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found));
#endif
    check(function == nullptr, name);
    return reinterpret_cast<F>(function);
}

// Lets words that are addresses of the original's memory be addresses of this program's.
static void relocate(unsigned char *bytes, unsigned long long size) {
    for (unsigned long long at = 0; at + 8 <= size; at += 8) {
        unsigned long long word;
        std::memcpy(&word, bytes + at, 8);
        for (const Memory &m : memory) {
            if (m.bytes && word >= m.base && word < m.base + m.bytes) {
                word = word - m.base + m.now;
                std::memcpy(bytes + at, &word, 8);
                break;
            }
        }
    }
}

static void allocate(CUmodule module) {
    auto global = entry<CUresult (*)(CUdeviceptr *, size_t *, CUmodule, const char *)>("cuModuleGetGlobal");
    for (Memory &m : memory) {
        void *pointer = nullptr;
        CUdeviceptr variable = 0;
        size_t bytes = 0;
        if (!m.bytes) continue;
        if (m.kind == 0) CHECK(cudaMalloc(&pointer, m.bytes));
        if (m.kind == 1) CHECK(cudaMallocManaged(&pointer, m.bytes));
        if (m.kind == 2) CHECK(cudaHostAlloc(&pointer, m.bytes, cudaHostAllocMapped));
        // A variable that the module lacks is of another module.
        if (m.kind == 3 && global(&variable, &bytes, module, m.variable) != CUDA_SUCCESS) continue;
        m.now = m.kind == 3 ? variable : reinterpret_cast<unsigned long long>(pointer);
    }
    for (const Memory &m : memory) {
        if (!m.now) continue;
        std::vector<unsigned char> contents(m.bytes);
        for (const Piece *p = m.pieces; p->bytes; ++p) std::memcpy(&contents[p->offset], p->contents, p->bytes);
        relocate(contents.data(), m.bytes);
        CHECK(cudaMemcpy(reinterpret_cast<void *>(m.now), contents.data(), m.bytes, cudaMemcpyDefault));
    }
}

int main() {
    CHECK(cudaFree(nullptr));
    CUmodule module;
    CUfunction kernel;
    CHECK(entry<CUresult (*)(CUmodule *, const void *)>("cuModuleLoadData")(&module, module_text));
    CHECK(entry<CUresult (*)(CUfunction *, CUmodule, const char *)>("cuModuleGetFunction")(&kernel, module, kernel_name));
    allocate(module);
    relocate(params, sizeof params);
    std::vector<void *> arguments;
    for (const int *at = offsets; *at >= 0; ++at) arguments.push_back(params + *at);
    if (dynamic_shared > 48 * 1024) {
        auto set = entry<CUresult (*)(CUfunction, CUfunction_attribute, int)>("cuFuncSetAttribute");
        CHECK(set(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(dynamic_shared)));
    }
    CUlaunchAttribute attributes[2] = {};
    CUlaunchConfig config = {};
    config.gridDimX = grid[0], config.gridDimY = grid[1], config.gridDimZ = grid[2];
    config.blockDimX = block[0], config.blockDimY = block[1], config.blockDimZ = block[2];
    config.sharedMemBytes = dynamic_shared;
    config.attrs = attributes;
    if (cluster[0] * cluster[1] * cluster[2] > 1) {
        CUlaunchAttribute &shape = attributes[config.numAttrs++];
        shape.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        shape.value.clusterDim.x = cluster[0], shape.value.clusterDim.y = cluster[1], shape.value.clusterDim.z = cluster[2];
    }
    if (cooperative) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[config.numAttrs++].value.cooperative = 1;
    }
    auto launch = entry<CUresult (*)(const CUlaunchConfig *, CUfunction, void **, void **)>("cuLaunchKernelEx");
    CHECK(launch(&config, kernel, arguments.data(), nullptr));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
"#;
