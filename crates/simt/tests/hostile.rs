//! Checks that broken programs end in an error or a failure, never in a panic or an endless run.

use crate::support;

use events::{Dim3, NoMonitor, SiteTable, TaskId};
use simt::{AddressSpace, Grid, Launch, Module, Options, Source};
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Replaces some words of a PTX text by others of the same text.
fn mutate(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> =
        text.split_inclusive(|c: char| c.is_whitespace() || c == ',' || c == ';').collect();
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    for _ in 0..1 + random.below(6) {
        let (i, j) = (random.below(words.len()), random.below(words.len()));
        match random.below(5) {
            0 => words[i] = words[j].clone(),
            1 => words.swap(i, j),
            2 => {
                words.remove(i);
            }
            3 => words[i] = "-9223372036854775808,".to_owned(),
            _ => {
                let number = ["0,", "4294967295;", "-1,", "16,", "31;"][random.below(5)];
                words[i] = number.to_owned();
            }
        }
    }
    words.concat()
}

fn survive(text: &str) {
    let parsed = ptx::parse(text);
    let memory = Arc::new(AddressSpace::new());
    let mut next = 1u64 << 32;
    let mut buffers: Vec<Vec<u64>> = Vec::new();
    let mut map = |bytes: u64| {
        if bytes > 1 << 20 {
            return Err(simt::LoadError::Invalid("too large for this test".to_owned()));
        }
        let mut buffer = vec![0u64; bytes.div_ceil(8) as usize];
        let base = next;
        next += bytes.next_multiple_of(256);
        memory
            .map(simt::Region {
                base,
                bytes,
                host: buffer.as_mut_ptr().cast(),
                kind: events::task::AllocKind::Device,
                device: 0,
                accessible_from: 1,
                read_only: false,
            })
            .map_err(|e| simt::LoadError::Invalid(e.to_string()))?;
        buffers.push(buffer);
        Ok(base)
    };
    let data = map(4096).unwrap();
    let source = Source { tree: &parsed.module, text, name: "hostile" };
    let Ok(module) = Module::load(&[source], &mut SiteTable::default(), &memory, &mut |v| map(v.bytes))
    else {
        return;
    };
    let module = Arc::new(module);
    for kernel in 0..module.kernels().len() {
        let mut params = Vec::new();
        while params.len() < module.kernels()[kernel].param_bytes as usize {
            params.extend_from_slice(&data.to_le_bytes());
        }
        let launch = Launch {
            module: Arc::clone(&module),
            kernel,
            grid: Dim3::new(2, 1, 1),
            block: Dim3::new(40, 1, 1),
            cluster: Dim3::ONE,
            dynamic_shared: 256,
            cooperative: kernel % 2 == 1,
            params,
            task: TaskId(kernel as u32),
            device: 0,
        };
        let host: Arc<dyn simt::Host> = Arc::new(support::Printed::default());
        let options = Options { stack_limit: 64 << 10, ..Options::default() };
        if let Ok(mut grid) = Grid::new(launch, options, Arc::clone(&memory), host, Arc::new(NoMonitor)) {
            let _ = grid.run(3000);
        }
    }
}

#[test]
fn mutated_programs_do_not_panic() {
    let sources = [include_str!("fixtures/basics.ptx"), include_str!("fixtures/sync.ptx")];
    let mut random = Random(42);
    let rounds = std::env::var("SIMT_HOSTILE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    for _ in 0..rounds {
        let text = mutate(sources[random.below(2)], &mut random);
        survive(&text);
    }
}

#[test]
fn odd_programs_do_not_panic() {
    let head = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for body in [
        "",
        ".visible .entry k() { }",
        ".visible .entry k() { ret; }",
        ".visible .entry k() { $L: bra $L; }",
        ".visible .entry k() { .reg .pred %p; @%p bra $E; $E: }",
        ".visible .entry k() { .reg .b32 %r; add.s32 %r, %r, %r; bar.sync %r; bar.sync 99; ret; }",
        ".visible .entry k() { .reg .b64 %rd; mov.u64 %rd, 5; call %rd, (); ret; }",
        ".func f() { call f; ret; } .visible .entry k() { call f; ret; }",
        ".visible .entry k() { .reg .b64 %rd; ld.param.u64 %rd, [1000]; ret; }",
        ".visible .entry k() { .reg .b32 %r; ld.local.u32 %r, [-4]; ret; }",
        ".visible .entry k() { .reg .b32 %r; ld.shared.u32 %r, [16777216]; ret; }",
        ".visible .entry k(.param .align 8 .b8 p[2000000000]) { ret; }",
        ".visible .entry k() { .local .b8 x[1073741824]; .reg .b64 %rd; mov.u64 %rd, x; ret; }",
        ".shared .b8 s[4000000000]; .visible .entry k() { .reg .b64 %rd; mov.u64 %rd, s; ret; }",
        ".visible .entry k() { .reg .b32 %r; .reg .b64 %rd; mov.b64 {%r, %r}, %rd; mov.b64 %rd, {%r, %r, %r}; ret; }",
        ".visible .entry k() { .reg .b32 %r; shfl.sync.idx.b32 %r, %r, 1, 2, %r; redux.sync.add.s32 %r, %r, 0; ret; }",
        ".visible .entry k() { .reg .b32 %r; brx.idx %r, $T; $T: .branchtargets $A; $A: ret; }",
        ".visible .entry k() { .reg .b64 %rd; mbarrier.arrive.shared.b64 %rd, [0]; ret; }",
        ".visible .entry k() { .reg .b64 %rd; alloca.u64 %rd, 99999999999; ret; }",
        ".visible .entry k() { .reg .b32 %r; tex.2d.v4.f32.f32 {%r, %r, %r, %r}, [x, {%r, %r}]; ret; }",
    ] {
        survive(&format!("{head}{body}\n"));
    }
}
