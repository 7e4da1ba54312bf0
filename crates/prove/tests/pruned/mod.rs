//! Runs with and without pruning find the same: in the launch, and between it and unordered copies behind it.
//!
//! In the launch, findings are of the same instructions. Between the launch and a copy they are about the same memory: if
//! several instructions access it, either run may name one that stands for another.
//!
//! `PROVE_KERNELS=N` and `PROVE_SEED=N` run more random kernels, and others.

mod racy_reads;
mod several;

use super::random::launches::{alike, observed, observed_shapes};
use super::random::{Dice, kernel, with_volatile};
use super::volatile_weak;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::task::HostCall;
use events::{
    AllocKind, Class, Level, Listener, ObservedLaunch, Proof, RangeAccess, Side, SiteId, SiteTable, StreamId,
    TaskId, TaskInfo, TaskKind, Tell,
};
use kernels::Source;
use prove::Prover;
use prove::facts::spread::Spread;
use prove::launches::RaceFree;
use simt::{AddressSpace, Grid, Host, Launch, LoadError, Module, Options, Progress, Region, Schedule};
use std::collections::BTreeSet;
use std::sync::Arc;

struct Silent;

impl Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        0
    }
}

/// What a finding is about: its class and level, and each side's task and, in the launch, its instruction.
type Found = (Class, Level, [(u32, Option<SiteId>); 2]);

/// The bytes of each copy.
const COPY: u64 = 128;

/// A loaded kernel and its memory.
struct Loaded {
    module: Arc<Module>,
    memory: Arc<AddressSpace>,
    sites: SiteTable,
    buffers: Vec<Vec<u64>>,
}

/// How a launch is run: its schedule, and after which portion of few instructions its proofs become known.
#[derive(Clone, Copy)]
struct Way {
    run: u64,
    told_after: Option<u32>,
}

fn load(source: Source<'_>) -> Loaded {
    let (memory, mut sites) = (Arc::new(AddressSpace::new()), SiteTable::default());
    let (mut buffers, mut next) = (Vec::new(), 1u64 << 52);
    let module = Module::load(&[source], &mut sites, &memory, &mut |v| {
        let base = next;
        next += v.bytes + (1 << 20);
        buffers.push(map(&memory, (base, v.bytes), AllocKind::Variable)?);
        Ok(base)
    });
    let module = Arc::new(module.expect("it loads"));
    Loaded { module, memory, sites, buffers }
}

/// A proof that was kept as a text says the same, and no part of that text is one.
fn is_kept_as_it_is(free: &RaceFree) {
    let Some(text) = free.text() else { return assert!(free.covered.is_none()) };
    assert_eq!(RaceFree::parsed(text.clone()).as_ref(), Some(free));
    let all = text.as_array().expect("a list");
    for left in 0..all.len() {
        assert_eq!(RaceFree::parsed(all[..left].into()), None);
    }
    let far = serde_json::json!([[1, true, 1 << 20, true]]);
    assert_eq!(RaceFree::parsed(serde_json::json!([all[0], all[1], far])), None, "no such array");
}

/// Maps memory of so many bytes, which must stay where it is.
fn map(memory: &AddressSpace, place: (u64, u64), kind: AllocKind) -> Result<Vec<u64>, LoadError> {
    let mut words = vec![0u64; place.1.div_ceil(8) as usize];
    let region = Region {
        base: place.0,
        bytes: place.1,
        host: words.as_mut_ptr().cast(),
        kind,
        device: 0,
        accessible_from: 1,
        read_only: false,
    };
    memory.map(region).map_err(|e| LoadError::Invalid(e.to_string()))?;
    Ok(words)
}

impl Loaded {
    /// Maps the launch's arrays.
    fn with_arrays(mut self, launch: &ObservedLaunch) -> Loaded {
        for array in &launch.memory {
            let words = map(&self.memory, (array.base, array.bytes), AllocKind::Device);
            self.buffers.push(words.expect("there is room"));
        }
        self
    }

    /// Runs a launch, and unordered copies to its arrays and from them. Returns what is found; `None` if the launch does not end in order, or leaves an array.
    fn run(
        &mut self,
        launch: &ObservedLaunch,
        volatile_weak: bool,
        way: Way,
        proofs: &[(SiteId, Proof)],
    ) -> Option<BTreeSet<Found>> {
        let options = PtxOptions { volatile_strong: !volatile_weak, ..PtxOptions::default() };
        let monitor = Arc::new(PtxMonitor::new(options));
        for array in &launch.memory {
            let contents = array.contents.as_ref().map_or(&[][..], |bytes| &bytes.0);
            self.memory.write(array.base, contents).ok()?;
        }
        let kernel = task(1, TaskKind::Launch(launch.info.clone()));
        monitor.task_start(&kernel);
        let (mut grid, mut portion) = (self.grid(launch, way.run, &monitor), 0);
        loop {
            if way.told_after == Some(portion) {
                monitor.apart(kernel.id, proofs);
            }
            portion += 1;
            match grid.run(40) {
                Progress::Running if portion < 4000 => {}
                Progress::Finished => break,
                _ => return None,
            }
        }
        drop(grid);
        monitor.task_end(kernel.id);
        let mut id = 1;
        for array in &launch.memory {
            for address in (array.base..array.base + array.bytes).step_by(COPY as usize) {
                for write in [true, false] {
                    id += 1;
                    let copy = task(id, TaskKind::Copy);
                    monitor.task_start(&copy);
                    monitor.range(&RangeAccess { task: copy.id, site: None, address, bytes: COPY, write });
                    monitor.task_end(copy.id);
                }
            }
        }
        let mut found = BTreeSet::new();
        for finding in monitor.findings() {
            let launch = finding.sides.iter().all(|side| side.task == kernel.id);
            let site = |side: &Side| side.site.filter(|_| launch);
            let mut sides = finding.sides.each_ref().map(|side| (side.task.0, site(side)));
            sides.sort_unstable();
            found.insert((finding.class, finding.level, sides));
        }
        monitor.account().limits.is_empty().then_some(found)
    }

    fn grid(&self, launch: &ObservedLaunch, run: u64, monitor: &Arc<PtxMonitor>) -> Grid<PtxMonitor> {
        let schedule = [Schedule::ConvergedFirst, Schedule::Random, Schedule::RoundRobin { quantum: 1 }];
        let options =
            Options { schedule: schedule[run as usize % 3].clone(), seed: run, ..Options::default() };
        let launch = Launch {
            module: Arc::clone(&self.module),
            kernel: 0,
            grid: launch.info.grid,
            block: launch.info.block,
            cluster: launch.info.cluster,
            dynamic_shared: 0,
            cooperative: false,
            params: launch.facts.bytes.clone(),
            task: TaskId(1),
            device: 0,
        };
        Grid::new(launch, options, Arc::clone(&self.memory), Arc::new(Silent), Arc::clone(monitor))
            .expect("it starts")
    }

    /// Returns what is proved of the launch by a question about `asked` and its spread, in the terms of events.
    fn proofs(
        &self,
        prover: &Prover<'_>,
        launch: &ObservedLaunch,
        (asked, spread): &(ObservedLaunch, Spread),
        volatile_weak: bool,
    ) -> Vec<(SiteId, Proof)> {
        let free = prover.apart(0, &Arc::new(asked.clone()), spread, volatile_weak, &|| false);
        is_kept_as_it_is(&free);
        let Some(covered) = free.covered else { return Vec::new() };
        let arrays = covered.arrays_of(&launch.info, &launch.facts, &launch.memory).expect("it covers it");
        let site = |line: u32| self.sites.iter().find(|(_, site)| site.ptx_line == line).map(|(id, _)| id);
        let shared = free.shared.iter().map(|&line| (line, Proof::Shared));
        let global = free.global.into_iter().map(|(line, access)| {
            let (array, is_free, is_inside) = (arrays[access.array].clone(), access.proved, access.is_inside);
            (line, Proof::Global { array, is_free, is_inside })
        });
        shared.chain(global).filter_map(|(line, proof)| Some((site(line)?, proof))).collect()
    }
}

/// Each second copy, which reads, is behind the one before it.
fn task(id: u32, kind: TaskKind) -> TaskInfo {
    let reads = id > 1 && id % 2 == 1;
    let after = if reads { vec![TaskId(id - 1)] } else { Vec::new() };
    TaskInfo {
        id: TaskId(id),
        kind,
        stream: StreamId(id),
        after,
        overlap: None,
        launcher: None,
        call: HostCall::default(),
        device: 0,
    }
}

#[test]
fn pruned_runs_find_the_same() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let (count, first) = (number("PROVE_KERNELS", 60), number("PROVE_SEED", 1));
    let (mut pruned, mut several, mut inside, mut whole, mut races) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let mut text = kernel(seed, seed % 2 == 0);
        if seed % 4 == 1 {
            text = with_volatile(&text, seed);
        }
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let prover = Prover::new(&[source]).expect("it links");
        let uses = prover.kernels()[0].uses;
        let (mut dice, weak) = (Dice(seed), volatile_weak(seed));
        for (block, grid) in observed_shapes(&text) {
            let n = dice.roll(9) as i32;
            let launch = observed(uses, block, grid, n, &mut dice);
            let mut loaded = load(source).with_arrays(&launch);
            let asked = if dice.one(2) { alike(&launch, n) } else { (launch.clone(), Spread::default()) };
            let proofs = loaded.proofs(&prover, &launch, &asked, weak);
            several += u64::from(!proofs.is_empty() && !asked.1.is_exact());
            let is_whole = prover.whole(0, &Arc::new(launch.clone()), weak, &|| false).is_ok();
            if proofs.is_empty() && !is_whole {
                continue;
            }
            pruned += u64::from(!proofs.is_empty());
            whole += u32::from(is_whole);
            let stays = |proof: &Proof| !matches!(proof, Proof::Global { is_inside: false, .. });
            inside += u32::from(!proofs.is_empty() && proofs.iter().all(|(_, proof)| stays(proof)));
            for run in 0..3 {
                let Some(all) = loaded.run(&launch, weak, Way { run, told_after: None }, &proofs) else {
                    continue;
                };
                races += all.len();
                // A launch that is proved as a whole races with other tasks only. Whether its threads meet at one barrier is
                // another question.
                let own = |found: &&Found| {
                    found.0 != Class::DivergentBarrier && found.2.iter().all(|(task, _)| *task == 1)
                };
                assert_eq!(all.iter().filter(|_| is_whole).find(own), None, "seed {seed}, run {run}\n{text}");
                for told_after in [0, 1, 3] {
                    let way = Way { run, told_after: Some(told_after) };
                    let Some(found) = loaded.run(&launch, weak, way, &proofs) else { continue };
                    assert_eq!(
                        found, all,
                        "seed {seed}, run {run}, told after {told_after}, {:?}\n{proofs:?}\n{text}",
                        launch.info
                    );
                }
            }
        }
    }
    println!(
        "{count} kernels: {pruned} launches pruned, {several} of them by a proof about several, {inside} inside \
         their arrays, {whole} as a whole; {races} findings"
    );
    assert!(pruned * 6 > count && inside > 0 && races > 0, "{pruned}, {inside} and {races} of {count}");
    assert!(whole > 0 && several > 0, "{whole} and {several} of {count}");
}

/// A thread reads `n` words of an array by a pointer that walks, in a loop that ends by this comparison of a counter.
fn walk(counter: &str, step: &str, comparison: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {{
  .reg .pred %p<2>; .reg .u32 %r<6>; .reg .u64 %rd<6>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r5, [n];
  mov.u32 %r1, {counter};
  mov.u32 %r2, 0;
L:
  ld.global.u32 %r3, [%rd1];
  add.u32 %r2, %r2, %r3;
  add.s64 %rd1, %rd1, 4;
  add.s32 %r1, %r1, {step};
  {comparison}
  @%p1 bra L;
  mov.u32 %r4, %tid.x;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r2;
  ret;
}}"
    )
}

#[test]
fn pointers_stay_inside_whose_counters_could_only_wrap_behind_the_end() {
    let loops = [
        ("%r5", "-1", "setp.ne.s32 %p1, %r1, 0;", true),
        ("0", "1", "setp.lt.s32 %p1, %r1, %r5;", true),
        ("%r5", "-1", "setp.gt.s32 %p1, %r1, 0;", true),
        // The counter passes the end, and wraps.
        ("%r5", "-3", "setp.ne.s32 %p1, %r1, 0;", false),
        ("0", "-1", "setp.lt.s32 %p1, %r1, %r5;", false),
    ];
    for (counter, step, comparison, is_inside) in loops {
        let text = walk(counter, step, comparison);
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &text, name: "walk" };
        let prover = Prover::new(&[source]).expect("it links");
        let launch = observed(prover.kernels()[0].uses, 64, 1, 8, &mut Dice(2));
        let free = prover.apart(0, &Arc::new(launch), &Spread::default(), false, &|| false);
        let all: Vec<bool> = free.global.values().map(|access| access.is_inside).collect();
        assert_eq!(all, [is_inside, true], "{comparison} {:?}", free.global);
        assert!(free.global.values().all(|access| access.proved));
    }
}
