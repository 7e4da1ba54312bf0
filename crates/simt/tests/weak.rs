//! Holds schedule `weak` against the axiomatic checker: litmus programs run as PTX kernels.

use crate::support;

use events::{Dim3, NoMonitor, Scope, Sem};
use oracle::interleave::lanes;
use oracle::outcomes::outcomes;
use oracle::program::{Action, Instruction, Strength, Thread};
use oracle::weakly::Weakly;
use oracle::{Path, Program, crossings, litmus, random};
use simt::{Progress, Schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use support::Machine;

/// The value of a read that has not run.
const UNREAD: u32 = u32::MAX;

/// The largest number of instructions of a thread.
const CODE: usize = 16;

fn sem(sem: Sem) -> &'static str {
    match sem {
        Sem::Relaxed => "relaxed",
        Sem::Acquire => "acquire",
        Sem::Release => "release",
        Sem::AcqRel => "acq_rel",
        Sem::Sc => "sc",
    }
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    }
}

fn strength(strength: Strength) -> String {
    match strength {
        Strength::Weak => "weak".into(),
        Strength::Strong(s, reach) => format!("{}.{}", sem(s), scope(reach)),
    }
}

/// Returns the instruction as PTX; reads leave their value in `%r` with the instruction's index. Returns `None` for barriers of other kinds
/// than `bar.sync 0`.
fn spelled(action: Action, k: usize) -> Option<String> {
    let cell = |at: u8| format!("[%c+{}]", 4 * at);
    Some(match action {
        Action::Read { from, strength: s, .. } => {
            format!("ld.{}.global.u32 %r{k}, {};", strength(s), cell(from))
        }
        Action::Write { to, value, strength: s } => {
            format!("st.{}.global.u32 {}, {value};", strength(s), cell(to))
        }
        Action::Exchange { at, value, sem: s, scope: reach, .. } => {
            format!("atom.{}.{}.global.exch.b32 %r{k}, {}, {value};", sem(s), scope(reach), cell(at))
        }
        Action::Add { at, value, sem: s, scope: reach, .. } => {
            format!("atom.{}.{}.global.add.u32 %r{k}, {}, {value};", sem(s), scope(reach), cell(at))
        }
        Action::CompareSwap { at, expected, value, sem: s, scope: reach, .. } => {
            format!(
                "atom.{}.{}.global.cas.b32 %r{k}, {}, {expected}, {value};",
                sem(s),
                scope(reach),
                cell(at)
            )
        }
        Action::Fence { sem: s, scope: reach } => format!("fence.{}.{};", sem(s), scope(reach)),
        Action::ProxyFence { of: Path::Async } => "fence.proxy.async;".into(),
        Action::ProxyFence { of: Path::Alias } => "fence.proxy.alias;".into(),
        Action::Barrier => "bar.sync 0;".into(),
        _ => return None,
    })
}

/// Adds an instruction; `None` if it is a guarded read, whose register would have two values.
fn code(text: &mut String, t: usize, k: usize, thread: &Thread) -> Option<()> {
    let Instruction { guard, action, path, .. } = thread.code[k];
    if let Some((register, value)) = guard {
        let setter = (0..k).rev().find(|&j| thread.code[j].action.reads() == Some(register));
        let setter = setter.map_or("0".to_owned(), |j| format!("%r{j}"));
        let _ = writeln!(text, "setp.ne.u32 %p, {value}, {setter};\n@%p bra L{t}_{k};");
        if action.reads().is_some() {
            return None;
        }
    }
    let spelled = match path {
        Path::Generic => spelled(action, k)?,
        Path::Texture => spelled(action, k)?.replace("ld.weak.global", "ld.global.nc"),
        _ => return None,
    };
    let _ = writeln!(text, "{spelled}\nL{t}_{k}:");
    Some(())
}

/// Returns a kernel that runs the program.
fn kernel(program: &Program) -> Option<String> {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry litmus(.param .u64 cells, .param .u64 out)\n{\n\
         .reg .pred %p;\n.reg .b32 %b, %t, %r<16>;\n.reg .b64 %c, %o;\n\
         ld.param.u64 %c, [cells];\nld.param.u64 %o, [out];\n\
         mov.u32 %b, %ctaid.x;\nmov.u32 %t, %tid.x;\n",
    );
    let lanes = lanes(program);
    for (t, thread) in program.threads.iter().enumerate() {
        let number = u32::from(thread.place.warp) * 32 + lanes[t];
        let _ = writeln!(text, "setp.ne.u32 %p, %b, {};\n@%p bra E{t};", thread.place.block);
        let _ = writeln!(text, "setp.ne.u32 %p, %t, {number};\n@%p bra E{t};");
        for k in 0..thread.code.len() {
            code(&mut text, t, k, thread)?;
        }
        // Late accesses are performed when their values are used: other threads run before that.
        text.push_str(&"add.u32 %b, %b, 1;\n".repeat(24));
        for k in (0..thread.code.len()).filter(|&k| thread.code[k].action.reads().is_some()) {
            let _ = writeln!(text, "st.global.u32 [%o+{}], %r{k};", 4 * (t * CODE + k));
        }
        let _ = writeln!(text, "ret;\nE{t}:");
    }
    text.push_str("ret;\n}\n");
    Some(text)
}

struct Runner<'p> {
    program: &'p Program,
    machine: Machine,
    cells: u64,
    out: u64,
    unread: Vec<u8>,
}

impl Runner<'_> {
    fn new(program: &Program) -> Option<Runner<'_>> {
        let mut machine = Machine::new(&kernel(program)?);
        machine.options.schedule = Schedule::Weak { window: None };
        let unread = vec![0xff; program.threads.len() * CODE * 4];
        let (cells, out) = (machine.alloc(64), machine.alloc(unread.len() as u64));
        Some(Runner { program, machine, cells, out, unread })
    }

    fn run(&mut self, seed: u64) -> Weakly {
        self.machine.options.seed = seed;
        self.machine.memory.write(self.cells, &[0; 64]).unwrap();
        self.machine.memory.write(self.out, &self.unread).unwrap();
        let most = |of: fn(&oracle::Place) -> u8| self.program.threads.iter().map(|t| of(&t.place)).max();
        let blocks = u32::from(most(|p| p.block).unwrap()) + 1;
        let threads = 32 * (u32::from(most(|p| p.warp).unwrap()) + 1);
        let args = args![self.cells, self.out];
        let (grid, block) = (Dim3::new(blocks, 1, 1), Dim3::new(threads, 1, 1));
        let mut grid = self.machine.grid("litmus", grid, block, args, Arc::new(NoMonitor));
        assert_eq!(grid.run(1_000_000), Progress::Finished);
        let read = self.machine.words(self.out, self.unread.len() / 4);
        let mut reads = BTreeMap::new();
        for (slot, &value) in read.iter().enumerate().filter(|(_, value)| **value != UNREAD) {
            reads.insert((slot / CODE, slot % CODE), value);
        }
        let memory = self.machine.words(self.cells, 16).try_into().unwrap();
        Weakly { reads, memory }
    }
}

/// The number of random programs: `WARPRACE_WEAK_PROGRAMS`, or few.
fn programs() -> u64 {
    std::env::var("WARPRACE_WEAK_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Random programs run as kernels show allowed outcomes only.
#[test]
fn kernels_have_allowed_outcomes() {
    let mut tried = 0;
    for seed in 0..programs() {
        let program = match seed % 4 {
            0 => random::crossing(seed, 6),
            _ => random::program(seed, 8),
        };
        let Some(mut runner) = Runner::new(&program) else { continue };
        let allowed = outcomes(&program);
        for seed in 0..30 {
            let outcome = runner.run(seed).outcome(&program);
            assert!(allowed.contains_key(&outcome), "seed {seed}: {outcome:?}\n{program}");
        }
        tried += 1;
    }
    assert!(tried > programs() / 2);
}

/// Some seed shows each outcome of the classic shapes that the model allows, in each
/// strength, without fences and with `fence.sc` in all threads.
#[test]
fn seeds_show_each_allowed_outcome() {
    let (mut shapes, mut read_only) = (BTreeSet::new(), 0);
    for test in litmus::all().into_iter().chain(crossings::all()) {
        let texture = test.name.contains(" texture ");
        let fences = texture || test.name.contains("fence none") || test.name.contains("fence Sc.Gpu/11");
        // Few seeds let three threads perform their reads late at once.
        if !fences || !test.name.ends_with("blocks") || test.shape.starts_with("3.LB") {
            continue;
        }
        let allowed = outcomes(&test.program);
        let mut missing: BTreeSet<_> = allowed.keys().collect();
        // Guarded atomics read.
        let Some(mut runner) = Runner::new(&test.program) else { continue };
        for seed in 0..100_000 {
            let outcome = runner.run(seed).outcome(&test.program);
            assert!(allowed.contains_key(&outcome), "{} seed {seed}: {outcome:?}", test.name);
            missing.remove(&outcome);
            if missing.is_empty() && seed > 20 {
                break;
            }
        }
        assert!(missing.is_empty(), "{}: no seed shows {missing:?}", test.name);
        shapes.insert(test.shape);
        read_only += usize::from(texture);
    }
    assert!(shapes.len() >= 15 && read_only >= 8, "{shapes:?} {read_only}");
}

/// A seed determines the run.
#[test]
fn a_seed_repeats_its_run() {
    let tests = litmus::all();
    let test = tests.iter().find(|t| t.shape == "IRIW").unwrap();
    let mut runner = Runner::new(&test.program).unwrap();
    for seed in 0..50 {
        assert_eq!(runner.run(seed), runner.run(seed));
    }
}

/// Runs a kernel of two blocks that read from one word and write to the other: each reads, writes `%v`, computes
/// something else and stores its result. `second` computes what block 1 writes. Returns the results of some
/// seeds.
fn buffered(second: &str) -> BTreeSet<[u32; 2]> {
    let meanwhile = "add.u32 %b, %b, 1;\n".repeat(24);
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry copy(.param .u64 cells, .param .u64 out)\n{{\n\
         .reg .pred %p;\n.reg .b32 %b, %r, %v;\n.reg .b64 %c, %o, %d, %e;\n\
         ld.param.u64 %c, [cells];\nld.param.u64 %o, [out];\nmov.u32 %b, %ctaid.x;\n\
         mul.wide.u32 %d, %b, 4;\nsub.s64 %e, 4, %d;\nadd.s64 %o, %o, %d;\nadd.s64 %d, %c, %d;\n\
         add.s64 %e, %c, %e;\nsetp.ne.u32 %p, %b, 0;\n\
         ld.relaxed.gpu.global.u32 %r, [%d];\n@%p bra SECOND;\nmov.u32 %v, %r;\nbra WRITE;\n\
         SECOND:\n{second}\nWRITE:\nst.relaxed.gpu.global.u32 [%e], %v;\n\
         {meanwhile}st.global.u32 [%o], %r;\nret;\n}}\n"
    );
    let mut machine = Machine::new(&text);
    machine.options.schedule = Schedule::Weak { window: None };
    let (cells, out) = (machine.alloc(8), machine.alloc(8));
    let mut results = BTreeSet::new();
    for seed in 0..2000 {
        machine.options.seed = seed;
        machine.memory.write(cells, &[0; 8]).unwrap();
        let (two, one) = (Dim3::new(2, 1, 1), Dim3::new(1, 1, 1));
        let mut grid = machine.grid("copy", two, one, args![cells, out], Arc::new(NoMonitor));
        assert_eq!(grid.run(1_000_000), Progress::Finished);
        assert!(grid.stronger().is_empty());
        results.insert(machine.words(out, 2).try_into().unwrap());
    }
    results
}

/// One of two threads copies the value that it reads; the other writes before its read is performed.
#[test]
fn one_data_dependency_allows_load_buffering() {
    let expected = [[0, 0], [0, 1], [1, 0], [1, 1]];
    let shown = buffered("mov.u32 %v, 1;");
    assert!(shown.contains(&[1, 1]) && shown.iter().all(|r| expected.contains(r)), "{shown:?}");
}

/// Each of two threads copies the value that it reads: no value comes out of thin air (PTX §8.10.4).
#[test]
fn no_value_depends_on_itself() {
    assert_eq!(buffered("mov.u32 %v, %r;"), BTreeSet::from([[0, 0]]));
    assert_eq!(buffered("and.b32 %v, %r, 0;\nadd.u32 %v, %v, 1;"), BTreeSet::from([[0, 0], [1, 0]]));
}

/// A kernel that changes the same bytes atomically in two sizes says what was treated as stronger.
#[test]
fn what_is_not_modelled_is_named() {
    let mut machine = Machine::new(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry sizes(.param .u64 cell)\n{\n.reg .b64 %c, %w;\n\
         ld.param.u64 %c, [cell];\nst.global.u32 [%c], 1;\natom.global.add.u64 %w, [%c], 1;\nret;\n}\n",
    );
    machine.options.schedule = Schedule::Weak { window: None };
    let cell = machine.alloc(8);
    let one = Dim3::new(1, 1, 1);
    let mut grid = machine.grid("sizes", one, one, args![cell], Arc::new(NoMonitor));
    assert_eq!(grid.run(1_000_000), Progress::Finished);
    assert_eq!(grid.stronger(), [simt::Stronger::Sizes]);
}
