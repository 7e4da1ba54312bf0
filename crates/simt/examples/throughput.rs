//! Measures the engine: thread-instructions per second for kernels with different bottlenecks, without a
//! detector.
//!
//! `cargo run --release -p simt --example throughput [JOBS]`

use events::task::AllocKind;
use events::{Dim3, NoMonitor, SiteTable, TaskId};
use simt::{AddressSpace, Grid, Host, Launch, Module, Options, Progress, Region, Source};
use std::sync::Arc;
use std::time::Instant;

const PTX: &str = include_str!("throughput.ptx");

/// Returns the processor time of this thread in seconds, which other programs do not disturb. With several
/// workers, or if the system does not report it, returns wall-clock time.
fn clock(start: Instant, jobs: usize) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|s| s.split_whitespace().next().and_then(|ns| ns.parse::<u64>().ok()));
    match spent {
        Some(ns) if jobs == 1 => ns as f64 * 1e-9,
        _ => start.elapsed().as_secs_f64(),
    }
}

struct Silent;

impl Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        0
    }
}

fn main() {
    let jobs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1);
    let parsed = ptx::parse(PTX);
    let memory = Arc::new(AddressSpace::new());
    let mut buffers: Vec<Vec<u64>> = Vec::new();
    let mut address = 0x1000_0000;
    let mut allocate = |bytes: usize| {
        let mut buffer = vec![0u64; bytes.div_ceil(8)];
        let region = Region {
            base: address,
            bytes: bytes as u64,
            host: buffer.as_mut_ptr().cast(),
            kind: AllocKind::Device,
            device: 0,
            accessible_from: 1,
            read_only: false,
        };
        memory.map(region).expect("addresses are apart");
        buffers.push(buffer);
        let base = address;
        address += (bytes as u64).next_multiple_of(1 << 20);
        base
    };
    const N: u32 = 1 << 20;
    let [a, b, c] = [0; 3].map(|_| allocate(4 * N as usize));
    let mut sites = SiteTable::default();
    let source = Source { tree: &parsed.module, text: PTX, name: "throughput" };
    let module = Module::load(&[source], &mut sites, &memory, &mut |v| {
        Err(simt::LoadError::Storage { name: v.name.to_owned(), why: "not expected".to_owned() })
    });
    let module = Arc::new(module.expect("the module loads"));
    println!(
        "{:<18} {:>12} {:>12} {:>14} {:>14}",
        "kernel", "warp instr", "seconds", "M thread-i/s", "M accesses/s"
    );
    let wide = |v: u64| v.to_le_bytes().to_vec();
    let narrow = |v: u32| v.to_le_bytes().to_vec();
    for (name, grid, params) in [
        ("alu_int", 64, vec![wide(a), narrow(2000)]),
        ("alu_float", 64, vec![wide(a), narrow(2000)]),
        ("stream", 64, vec![wide(a), wide(b), wide(c), narrow(N)]),
        ("gather", 64, vec![wide(a), wide(b), narrow(N)]),
        ("divergent", 64, vec![wide(a), narrow(100)]),
        ("barriers", 64, vec![wide(a), narrow(200)]),
        ("atomics", 64, vec![wide(a), narrow(100)]),
        ("atomics_uniform", 64, vec![wide(a), narrow(200)]),
        ("matmul", 256, vec![wide(a), wide(b), wide(c), narrow(256)]),
    ] {
        let kernel = module.kernel(name).expect("a kernel of the module");
        let mut bytes = Vec::new();
        for (param, layout) in params.iter().zip(&module.kernels()[kernel].params) {
            bytes.resize(layout.offset as usize, 0);
            bytes.extend_from_slice(param);
        }
        let mut best = f64::INFINITY;
        let mut stats = simt::Stats::default();
        for _ in 0..3 {
            let launch = Launch {
                module: Arc::clone(&module),
                kernel,
                grid: Dim3::new(grid, 1, 1),
                block: Dim3::new(256, 1, 1),
                cluster: Dim3::ONE,
                dynamic_shared: 0,
                cooperative: false,
                params: bytes.clone(),
                task: TaskId(1),
                device: 0,
            };
            let options = Options { jobs, ..Options::default() };
            let start = Instant::now();
            let before = clock(start, jobs);
            let mut run =
                Grid::new(launch, options, Arc::clone(&memory), Arc::new(Silent), Arc::new(NoMonitor))
                    .expect("a valid launch");
            let progress = run.run(u64::MAX / 2);
            assert!(progress == Progress::Finished, "{name}: {progress:?}");
            best = best.min(clock(start, jobs) - before);
            stats = run.stats();
        }
        println!(
            "{name:<18} {:>12} {best:>12.4} {:>14.0} {:>14.0}",
            stats.warp_instructions,
            stats.thread_instructions as f64 / best / 1e6,
            stats.accesses as f64 / best / 1e6
        );
    }
}
