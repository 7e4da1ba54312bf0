//! Tests schedules on kernels: the interleavings that they exhibit, and the results that they preserve.

use crate::support;

use events::{Access, Dim3, Monitor, NoMonitor, Observer, Sync};
use simt::schedule::path::Log;
use simt::schedule::search::{Effect, Ran, Search};
use simt::{Progress, Schedule};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use support::Machine;

/// Records the accesses of each step.
struct Effects {
    log: Arc<Mutex<Log>>,
    effects: Arc<Mutex<Vec<Effect>>>,
}

struct Ear(Arc<Mutex<Log>>, Arc<Mutex<Vec<Effect>>>);

impl Ear {
    fn note(&self, note: impl FnOnce(&mut Effect)) {
        let Some(step) = self.0.lock().unwrap().made.len().checked_sub(1) else { return };
        let mut effects = self.1.lock().unwrap();
        if effects.len() <= step {
            effects.resize_with(step + 1, Effect::default);
        }
        note(&mut effects[step]);
    }
}

impl Observer for Ear {
    fn access(&mut self, access: &Access<'_>) {
        self.note(|effect| effect.access(access));
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.note(|effect| effect.sync(sync));
    }
}

impl events::Listener for Effects {
    fn host(&self, _: &events::HostEvent<'_>) {}

    fn findings(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn account(&self) -> events::Account {
        events::Account::default()
    }
}

impl Monitor for Effects {
    type Observer = Ear;

    fn observer(&self, _: usize) -> Ear {
        Ear(Arc::clone(&self.log), Arc::clone(&self.effects))
    }
}

/// Returns a kernel whose threads increment a word non-atomically, with code `before` and `after` it.
fn increments(before: &str, after: &str) -> String {
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 p) {{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r4, %ctaid.x;\n\
         {before}\n\
         ld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\n\
         {after}\nret;\n}}\n"
    )
}

/// Returns all results that a search finds, and the number of its runs.
fn search(machine: &mut Machine, blocks: u32, threads: u32) -> (BTreeSet<u32>, usize) {
    let mut search = Search::new(None);
    let (mut results, mut runs) = (BTreeSet::new(), 0);
    // Accesses are compared between runs, so all runs must use the same memory.
    let word = machine.alloc(4);
    while let Some(path) = search.next().cloned() {
        machine.memory.write(word, &[0; 4]).unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        let effects = Arc::new(Mutex::new(Vec::new()));
        machine.options.schedule = Schedule::Path(path);
        machine.options.log = Some(Arc::clone(&log));
        let monitor = Arc::new(Effects { log: Arc::clone(&log), effects: Arc::clone(&effects) });
        let (grid, block) = (Dim3::new(blocks, 1, 1), Dim3::new(threads, 1, 1));
        let mut grid = machine.grid("k", grid, block, args![word], monitor);
        assert_eq!(grid.run(1_000_000), Progress::Finished);
        let made = std::mem::take(&mut log.lock().unwrap().made);
        let mut effects = std::mem::take(&mut *effects.lock().unwrap());
        effects.resize_with(made.len(), Effect::default);
        let ran: Vec<Ran> =
            made.into_iter().zip(effects).map(|(made, effect)| Ran { made, effect }).collect();
        search.ran(&ran);
        results.insert(machine.words(word, 1)[0]);
        runs += 1;
        assert!(runs < 1000, "the search does not end");
    }
    (results, runs)
}

#[test]
fn a_search_finds_every_result() {
    let mut machine = Machine::new(&increments("", ""));
    let (results, runs) = search(&mut machine, 2, 1);
    assert_eq!(results, BTreeSet::from([1, 2]), "an update may be lost");
    assert!((4..=6).contains(&runs), "there are four ways to order two loads and two stores: {runs}");
    let (results, _) = search(&mut machine, 3, 1);
    assert_eq!(results, BTreeSet::from([1, 2, 3]));
}

#[test]
fn a_search_knows_that_barriers_order() {
    // Warp 1 goes first, warp 0 after the barrier: only one order.
    let text = increments(
        "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra MINE;\nbar.sync 0;\nMINE:\n",
        "@!%p1 bra END;\nbar.sync 0;\nEND:\n",
    );
    let mut machine = Machine::new(&text);
    let (results, runs) = search(&mut machine, 1, 64);
    assert_eq!((results, runs), (BTreeSet::from([2]), 1));
}

#[test]
fn every_schedule_runs_every_block_once() {
    let text = ".version 8.0\n.target sm_70\n.address_size 64\n\
                .visible .entry k(.param .u64 p) {\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n\
                ld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\n\
                add.u64 %rd1, %rd1, %rd2;\nred.global.add.u32 [%rd1], 1;\nret;\n}\n";
    let mut machine = Machine::new(text);
    let all = "converged-first round-robin random pct/1 pct/3/500 shuffle-blocks shuffle-warps shuffle-lanes path/-";
    for name in all.split(' ') {
        for seed in 0..5 {
            machine.options.schedule = name.parse().unwrap();
            machine.options.seed = seed;
            let counts = machine.alloc(4 * 37);
            machine.finish("k", 37, 64, args![counts]);
            assert_eq!(machine.words(counts, 37), [64; 37], "{name}");
        }
    }
}

#[test]
fn shuffled_blocks_begin_in_another_order() {
    // Each block records its position by an atomic counter, which runs without preemption.
    let text = ".version 8.0\n.target sm_70\n.address_size 64\n\
                .visible .entry k(.param .u64 p) {\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n\
                ld.param.u64 %rd1, [p];\natom.global.add.u32 %r2, [%rd1], 1;\nmov.u32 %r1, %ctaid.x;\n\
                mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+4], %r1;\nret;\n}\n";
    let mut machine = Machine::new(text);
    let mut order = |schedule: Schedule, seed| {
        machine.options.schedule = schedule;
        machine.options.seed = seed;
        let words = machine.alloc(4 * 101);
        machine.finish("k", 100, 1, args![words]);
        machine.words(words + 4, 100)
    };
    let usual: Vec<u32> = (0..100).collect();
    assert_eq!(order(Schedule::ConvergedFirst, 1), usual);
    let shuffled = order(Schedule::ShuffleBlocks, 1);
    assert_ne!(shuffled, usual);
    assert_ne!(shuffled, order(Schedule::ShuffleBlocks, 2));
    // An affine map has equal steps.
    let steps: BTreeSet<u32> = shuffled.windows(2).map(|w| (w[1] + 100 - w[0]) % 100).collect();
    assert_eq!(steps.len(), 1, "{shuffled:?}");
}

#[test]
fn priorities_lose_an_update() {
    // Depth 2: block 0 must be interrupted between its load and its store.
    let mut machine = Machine::new(&increments("", ""));
    let mut lost = 0;
    for seed in 0..200 {
        machine.options.schedule = Schedule::Pct { depth: 2, steps: Some(14) };
        machine.options.seed = seed;
        let word = machine.upload(&[0]);
        let mut grid = machine.grid("k", Dim3::new(2, 1, 1), Dim3::ONE, args![word], Arc::new(NoMonitor));
        assert_eq!(grid.run(1_000_000), Progress::Finished);
        lost += u32::from(machine.words(word, 1)[0] == 1);
    }
    assert!(lost >= 200 / (2 * 14), "PCT promises 1 / (n k): {lost} of 200");
    machine.options.schedule = Schedule::Pct { depth: 1, steps: Some(14) };
    for seed in 0..50 {
        machine.options.seed = seed;
        let word = machine.upload(&[0]);
        machine.finish("k", 2, 1, args![word]);
        assert_eq!(machine.words(word, 1)[0], 2, "without a change of priorities nobody is interrupted");
    }
}
