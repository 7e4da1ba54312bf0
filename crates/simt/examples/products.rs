//! Measures matrix instructions: floating-point operations per second of one worker, without a detector.
//!
//! `cargo run --release -p simt --example products`

use events::task::AllocKind;
use events::{Dim3, NoMonitor, SiteTable, TaskId};
use simt::{AddressSpace, Grid, Host, Launch, Module, Options, Progress, Region, Source};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// An instruction in a kernel that executes it `turns` times in each of `units` warps, warpgroups or threads.
struct Product {
    name: &'static str,
    target: &'static str,
    shape: [u64; 3],
    text: String,
    threads: u32,
    units: u64,
    turns: u64,
}

struct Silent;

impl Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        0
    }
}

/// Fills shared memory and 32 registers with numbers between 0.5 and 2 of a type of so many bits; the registers are `%a0`, ….
fn fill(bits: u32) -> String {
    let (mask, one) = match bits {
        16 => (0x83ff_83ffu32, 0x3800_3800u32),
        32 => (0x807f_e000, 0x3f00_0000),
        _ => (0x8787_8787, 0x3838_3838),
    };
    let mut text = String::from(
        "mov.u32 %t, %tid.x; mov.u32 %s, tiles; mad.lo.u32 %s, %t, 4, %s; mad.lo.u32 %x, %t, 2654435761, 12345;",
    );
    for i in 0..128 {
        let _ = write!(
            text,
            "mad.lo.u32 %x, %x, 1664525, 1013904223; shr.u32 %w, %x, 9; xor.b32 %w, %w, %x;
             and.b32 %w, %w, {mask}; or.b32 %w, %w, {one}; st.shared.b32 [%s + {}], %w;",
            512 * (i % 64)
        );
        if i < 8 {
            let _ = write!(text, "mov.b32 %a{i}, %w;");
        }
    }
    text + "fence.proxy.async.shared::cta; bar.sync 0;"
}

fn list(class: &str, from: usize, count: usize) -> String {
    let names: Vec<String> = (from..from + count).map(|i| format!("%{class}{i}")).collect();
    format!("{{{}}}", names.join(", "))
}

fn kernel(target: &str, body: &str) -> String {
    format!(
        ".version 8.8\n.target {target}\n.address_size 64
.visible .entry form(.param .u32 turns) {{
.reg .b32 %t, %s, %x, %w, %n, %a<8>, %d<128>; .reg .b64 %da, %db; .reg .pred %p, %q;
.shared .align 1024 .b8 tiles[32768]; .shared .align 8 .b64 done; .shared .b32 place;
ld.param.u32 %n, [turns];
{body}
ret; }}
"
    )
}

/// A loop around an instruction.
fn turns(instruction: &str) -> String {
    format!("LOOP:\n{instruction}\nsub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n")
}

/// Tiles of A and, 16 KiB behind, of B: without swizzle, with blocks of eight rows of 16 bytes.
fn descriptors(fixed: u64) -> String {
    let layout = fixed << 46 | 16 << 32 | 8 << 16;
    format!(
        "mov.u32 %w, tiles; shr.u32 %w, %w, 4; cvt.u64.u32 %da, %w;
         add.u64 %db, %da, {}; add.u64 %da, %da, {layout};",
        layout + 16384 / 16
    )
}

fn mma(name: &'static str, shape: [u64; 3], types: &str, bits: u32, [a, b, cd]: [usize; 3]) -> Product {
    let [m, n, k] = shape;
    let sum = list("d", 0, cd);
    let instruction = format!(
        "mma.sync.aligned.m{m}n{n}k{k}.row.col.{types} {sum}, {}, {}, {sum};",
        list("a", 0, a),
        list("a", a, b)
    );
    let text = kernel("sm_90a", &(fill(bits) + &turns(&instruction)));
    Product { name, target: "sm_90a", shape, text, threads: 128, units: 4, turns: 20_000 }
}

fn wgmma(name: &'static str, types: &str, bits: u32, rest: &str) -> Product {
    let k = u64::from(256 / bits);
    let instruction = format!(
        "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n256k{k}.{types} {}, %da, %db, 1{rest};
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
        list("d", 0, 128)
    );
    let text = kernel("sm_90a", &(fill(bits) + &descriptors(0) + &turns(&instruction)));
    Product { name, target: "sm_90a", shape: [64, 256, k], text, threads: 128, units: 1, turns: 1000 }
}

fn tcgen05(name: &'static str, kind: &str, bits: u32) -> Product {
    let k = u64::from(256 / bits);
    // D of type `.f32`, factors of the kind's first type, 256 columns, 128 rows.
    let instruction = 1u32 << 4 | 32 << 17 | 8 << 24;
    let body = fill(bits)
        + &descriptors(1)
        + "mov.u32 %s, place; setp.lt.u32 %q, %t, 32;
           @%q tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], 256; bar.sync 0;
           ld.shared.b32 %x, [%s]; mov.u32 %w, done; setp.ne.u32 %p, %t, 0; @%p bra ALL;
           mbarrier.init.shared.b64 [%w], 1;"
        + &format!("mov.b32 %a0, {instruction}; setp.ne.u32 %q, %n, 0;")
        + &turns(&format!("tcgen05.mma.cta_group::1.kind::{kind} [%x], %da, %db, %a0, %q;"))
        + "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%w];
           WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%w], 0; @!%p bra WAIT;
           ALL: bar.sync 0; setp.lt.u32 %q, %t, 32; @%q tcgen05.dealloc.cta_group::1.sync.aligned.b32 %x, 256;";
    let text = kernel("sm_100a", &body);
    Product { name, target: "sm_100a", shape: [128, 256, k], text, threads: 128, units: 1, turns: 500 }
}

fn all() -> Vec<Product> {
    vec![
        mma("mma.m16n8k16 f16", [16, 8, 16], "f32.f16.f16.f32", 16, [4, 2, 4]),
        mma("mma.m16n8k8 tf32", [16, 8, 8], "f32.tf32.tf32.f32", 32, [4, 2, 4]),
        mma("mma.m16n8k32 s8", [16, 8, 32], "s32.s8.s8.s32", 8, [4, 2, 4]),
        wgmma("wgmma.m64n256k16 f16", "f32.f16.f16", 16, ", 1, 1, 0, 0"),
        wgmma("wgmma.m64n256k32 e4m3", "f32.e4m3.e4m3", 8, ", 1, 1"),
        tcgen05("tcgen05.mma m128n256k16 f16", "f16", 16),
        tcgen05("tcgen05.mma m128n256k32 e4m3", "f8f6f4", 8),
    ]
}

/// Returns the processor time of this thread in seconds; the time of the clock if the system does not report it.
fn clock(start: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|s| s.split_whitespace().next().and_then(|ns| ns.parse::<u64>().ok()));
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns as f64 * 1e-9)
}

impl Product {
    /// Returns the seconds of a launch.
    fn seconds(&self) -> f64 {
        let parsed = ptx::parse(&self.text);
        let memory = Arc::new(AddressSpace::new());
        let mut page = vec![0u64; 512];
        let region = Region {
            base: 0x1000_0000,
            bytes: 4096,
            host: page.as_mut_ptr().cast(),
            kind: AllocKind::Device,
            device: 0,
            accessible_from: 1,
            read_only: false,
        };
        memory.map(region).expect("the only region");
        let mut sites = SiteTable::default();
        let source = Source { tree: &parsed.module, text: &self.text, name: self.target };
        let module = Module::load(&[source], &mut sites, &memory, &mut |v| {
            Err(simt::LoadError::Storage { name: v.name.to_owned(), why: "not expected".to_owned() })
        });
        let module = Arc::new(module.expect("the module loads"));
        let kernel = module.kernel("form").expect("a kernel of the module");
        let launch = Launch {
            module: Arc::clone(&module),
            kernel,
            grid: Dim3::ONE,
            block: Dim3::new(self.threads, 1, 1),
            cluster: Dim3::ONE,
            dynamic_shared: 0,
            cooperative: false,
            params: (self.turns as u32).to_le_bytes().to_vec(),
            task: TaskId(1),
            device: 0,
        };
        let options = Options { jobs: 1, ..Options::default() };
        let start = Instant::now();
        let before = clock(start);
        let mut run =
            Grid::new(launch, options, memory, Arc::new(Silent), Arc::new(NoMonitor)).expect("a launch");
        let progress = run.run(u64::MAX / 2);
        assert!(progress == Progress::Finished, "{}: {progress:?}", self.name);
        clock(start) - before
    }
}

fn main() {
    for product in all() {
        let seconds = (0..3).map(|_| product.seconds()).fold(f64::INFINITY, f64::min);
        let [m, n, k] = product.shape;
        let operations = 2 * m * n * k * product.units * product.turns;
        let each = seconds * 1e9 / (product.units * product.turns) as f64;
        println!("{:<30} {:>8.1} G/s {each:>10.0} ns", product.name, operations as f64 / seconds / 1e9);
    }
}
