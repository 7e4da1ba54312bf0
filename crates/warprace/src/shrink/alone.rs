//! A program of the launches: the PTX, the memory and a `main`.

use super::beside::{Beside, Touch, Toucher};
use super::cut::parameters;
use super::saved::{Memory, Saved};
use events::Dim3;
use events::task::AllocKind;
use snapshot::Launch;
use std::fmt::Write;

/// Bytes of contents that a source can have.
const MOST: usize = 4 << 20;

/// Returns the source of a program that makes the launches and what is beside them. The error is a sentence fragment.
pub(super) fn program(saved: &Saved, title: &str) -> Result<String, String> {
    if !saved.objects.is_empty() {
        return Err("its kernel reads textures or surfaces, which only a replay has".into());
    }
    let launches = saved.launches();
    if launches.iter().any(|launch| launch.texts.len() != 1) {
        return Err("its module is linked of several PTX texts".into());
    }
    if launches.iter().any(|launch| launch.device != launches[0].device) {
        return Err("its launches are on several devices".into());
    }
    let kernels: Vec<String> = launches.iter().map(|launch| format!("`{}`", launch.kernel)).collect();
    let mut out = format!(
        "// {} with a race: {title}\n\
         // Made by `warprace shrink`. Build and look:\n\
         //   nvcc -o shrunk shrunk.cu && warprace run -- ./shrunk\n{HEAD}",
        kernels.join(" and ")
    );
    let modules = if saved.is_one_module() { &launches[..1] } else { &launches[..] };
    out.push_str("// The kernels, as the compiler made them.\n");
    for (i, launch) in modules.iter().enumerate() {
        let _ = writeln!(out, "static const char text_{i}[] =\n{};\n", literal(&launch.texts[0]));
    }
    let names: Vec<String> = (0..modules.len()).map(|i| format!("text_{i}")).collect();
    let _ = writeln!(out, "static const char *const texts[] = {{{}}};\n", names.join(", "));
    memory(saved, &mut out)?;
    for (i, launch) in launches.iter().enumerate() {
        arguments(launch, i, &mut out);
    }
    out.push_str("static Launch launches[] = {\n");
    for (i, launch) in launches.iter().enumerate() {
        out.push_str(&row(saved, launch, i, i.min(modules.len() - 1)));
    }
    let beside = match &saved.beside {
        Some(Beside::Touch(touch)) => touched(touch),
        Some(Beside::Launch { .. }) | None => String::new(),
    };
    let (before, behind) = MAIN.split_once("    // beside\n").unwrap_or((MAIN, ""));
    let _ = writeln!(out, "}};\n{before}{beside}{behind}");
    Ok(out)
}

/// Returns a row of the table of launches.
fn row(saved: &Saved, launch: &Launch, number: usize, module: usize) -> String {
    let [grid, block, cluster] =
        [launch.grid, launch.block, launch.cluster].map(|Dim3 { x, y, z }| format!("{{{x}, {y}, {z}}}"));
    let programmatic = number == 1 && matches!(saved.beside, Some(Beside::Launch { programmatic: true, .. }));
    // A launch that is alone needs no stream of its own; two are unordered in two streams.
    let stream = match &saved.beside {
        None => -1,
        Some(_) if programmatic => 0,
        Some(_) => number as i32,
    };
    format!(
        "    {{{module}, \"{}\", params_{number}, sizeof params_{number}, offsets_{number}, {grid}, {block}, {cluster},\n     \
         {}, {}, {}, {stream}}},\n",
        launch.kernel,
        launch.dynamic_shared,
        i32::from(launch.cooperative),
        i32::from(programmatic),
    )
}

/// Returns the statements of `main` that race with the launch.
fn touched(touch: &Touch) -> String {
    let Touch { kind, address, bytes, write, .. } = touch;
    let at = format!("at({address:#x}ull)");
    match (kind, write) {
        (Toucher::Fill, _) => format!("    CHECK(cudaMemsetAsync({at}, 0, {bytes}, streams[1]));\n"),
        (Toucher::Copy, _) => {
            let (to, from) = if *write { (at.as_str(), "host") } else { ("host", at.as_str()) };
            format!(
                "    static unsigned char host[{bytes}];\n    \
                 CHECK(cudaMemcpyAsync({to}, {from}, {bytes}, cudaMemcpyDefault, streams[1]));\n"
            )
        }
        (Toucher::Host, write) => {
            let access = if *write { "shared[i] = 1" } else { "(void)shared[i]" };
            format!(
                "    auto shared = static_cast<volatile unsigned char *>({at});\n    \
                 for (int i = 0; i < {bytes}; ++i) {access};\n"
            )
        }
    }
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
        let module = module_of(saved, memory);
        let _ = writeln!(
            rows,
            "    {{{kind}, {name}, {module}, {:#x}ull, {}ull, pieces_{i}, 0}},",
            at.base, at.bytes
        );
    }
    let _ =
        writeln!(out, "static Memory memory[] = {{\n{rows}    {{0, nullptr, 0, 0, 0, nullptr, 0}},\n}};\n");
    Ok(())
}

/// Returns the number of the module that a variable is of.
fn module_of(saved: &Saved, memory: &Memory) -> usize {
    let base = memory.range.allocation.base;
    let has = |launch: &&&Launch| launch.variables.iter().any(|(_, address)| *address == base);
    let launches = saved.launches();
    let second = launches.get(1).filter(|_| !saved.is_one_module()).filter(has);
    usize::from(second.is_some() && !launches[..1].iter().any(|launch| has(&launch)))
}

fn arguments(launch: &Launch, number: usize, out: &mut String) {
    let offsets: Vec<String> = parameters(launch).iter().map(|p| format!("{}, ", p.offset)).collect();
    let _ = writeln!(
        out,
        "// The bytes of all parameters, and where each begins.\n\
         static unsigned char params_{number}[] = {{{}}};\n\
         static const int offsets_{number}[] = {{{}-1}};",
        if launch.params.is_empty() { "0".to_owned() } else { bytes(&launch.params) },
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
    int module;
    unsigned long long base, bytes;
    const Piece *pieces;
    unsigned long long now;
};

// The stream is the number of one of two that nothing orders, or -1 for the default one.
struct Launch {
    int module;
    const char *kernel;
    unsigned char *params;
    unsigned long long size;
    const int *offsets;
    unsigned grid[3], block[3], cluster[3], dynamic_shared;
    int cooperative, programmatic, stream;
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

// The address here of an address there.
[[maybe_unused]] static void *at(unsigned long long address) {
    unsigned char word[8];
    std::memcpy(word, &address, 8);
    relocate(word, 8);
    std::memcpy(&address, word, 8);
    return reinterpret_cast<void *>(address);
}

static void allocate(const std::vector<CUmodule> &modules) {
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
        if (m.kind == 3 && global(&variable, &bytes, modules[m.module], m.variable) != CUDA_SUCCESS) continue;
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

static void launch(const Launch &l, CUmodule module, cudaStream_t stream) {
    CUfunction kernel;
    CHECK(entry<CUresult (*)(CUfunction *, CUmodule, const char *)>("cuModuleGetFunction")(&kernel, module, l.kernel));
    relocate(l.params, l.size);
    std::vector<void *> arguments;
    for (const int *offset = l.offsets; *offset >= 0; ++offset) arguments.push_back(l.params + *offset);
    if (l.dynamic_shared > 48 * 1024) {
        auto set = entry<CUresult (*)(CUfunction, CUfunction_attribute, int)>("cuFuncSetAttribute");
        CHECK(set(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(l.dynamic_shared)));
    }
    CUlaunchAttribute attributes[3] = {};
    CUlaunchConfig config = {};
    config.gridDimX = l.grid[0], config.gridDimY = l.grid[1], config.gridDimZ = l.grid[2];
    config.blockDimX = l.block[0], config.blockDimY = l.block[1], config.blockDimZ = l.block[2];
    config.sharedMemBytes = l.dynamic_shared;
    config.hStream = stream;
    config.attrs = attributes;
    if (l.cluster[0] * l.cluster[1] * l.cluster[2] > 1) {
        CUlaunchAttribute &shape = attributes[config.numAttrs++];
        shape.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        shape.value.clusterDim.x = l.cluster[0], shape.value.clusterDim.y = l.cluster[1], shape.value.clusterDim.z = l.cluster[2];
    }
    if (l.cooperative) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[config.numAttrs++].value.cooperative = 1;
    }
    if (l.programmatic) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[config.numAttrs++].value.programmaticStreamSerializationAllowed = 1;
    }
    auto start = entry<CUresult (*)(const CUlaunchConfig *, CUfunction, void **, void **)>("cuLaunchKernelEx");
    CHECK(start(&config, kernel, arguments.data(), nullptr));
}

int main() {
    CHECK(cudaFree(nullptr));
    std::vector<CUmodule> modules;
    for (const char *text : texts) {
        modules.push_back(nullptr);
        CHECK(entry<CUresult (*)(CUmodule *, const void *)>("cuModuleLoadData")(&modules.back(), text));
    }
    allocate(modules);
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (const Launch &l : launches) launch(l, modules[l.module], l.stream < 0 ? nullptr : streams[l.stream]);
    // beside
    CHECK(cudaDeviceSynchronize());
    return 0;
}
"#;
