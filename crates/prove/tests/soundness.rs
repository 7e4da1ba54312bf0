//! Random small kernels: what is proved must hold under exhaustive execution on the virtual GPU, over small
//! geometries, arguments and contents; what is called a race must be one when its launch is run again.
//!
//! `PROVE_KERNELS=N` and `PROVE_SEED=N` run more of them, and others.

use events::observed::Bytes;
use events::task::{LaunchInfo, Parameter};
use events::{AllocKind, Dim3, LaunchFacts, ObservedLaunch, ObservedMemory};
use kernels::Source;
use prove::launch::{Argument, Bench, Contents, Outcome, Value, Witness};
use prove::{Facts, Prover, Verdict};
use simt::Schedule;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A generator of random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn one(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// Writes PTX, a statement at a time.
struct Writer {
    dice: Dice,
    text: String,
    next: u32,
    labels: u32,
    /// Registers that hold small integers.
    values: Vec<String>,
    /// Warp barriers, named barriers and what atomics return, too.
    more: bool,
}

impl Writer {
    fn reg(&mut self) -> String {
        self.next += 1;
        format!("%r{}", self.next)
    }

    fn pred(&mut self) -> String {
        self.next += 1;
        format!("%p{}", self.next)
    }

    fn wide(&mut self) -> String {
        self.next += 1;
        format!("%rd{}", self.next)
    }

    fn emit(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "  {}", line.as_ref());
    }

    fn value(&mut self) -> String {
        if self.dice.one(6) {
            return self.dice.roll(5).to_string();
        }
        // The first ones are the thread's coordinates.
        let n = self.values.len() as u64;
        let at = if self.dice.one(2) { self.dice.roll(n.min(3)) } else { self.dice.roll(n) };
        self.values[at as usize].clone()
    }

    fn compute(&mut self) {
        let (d, a, b) = (self.reg(), self.value(), self.value());
        let small = self.dice.roll(4) + 1;
        let line = match self.dice.roll(19) {
            0..3 => format!("add.s32 {d}, {a}, {b};"),
            3 => format!("sub.s32 {d}, {a}, {b};"),
            4..6 => format!("mul.lo.s32 {d}, {a}, {small};"),
            6 => format!("mad.lo.s32 {d}, {a}, {small}, {b};"),
            7 => format!("and.b32 {d}, {a}, {};", [1, 3, 7, 6, 12][self.dice.roll(5) as usize]),
            8 => format!("shr.u32 {d}, {a}, {small};"),
            9 => format!("shr.s32 {d}, {a}, {small};"),
            10 => format!("shl.b32 {d}, {a}, {small};"),
            11 => format!("rem.u32 {d}, {a}, {small};"),
            12 => format!("div.u32 {d}, {a}, {small};"),
            13 => format!("min.s32 {d}, {a}, {b};"),
            14 => format!("max.s32 {d}, {a}, {b};"),
            15 => format!("xor.b32 {d}, {a}, {small};"),
            16 => format!("or.b32 {d}, {a}, {small};"),
            17 => format!("bfe.u32 {d}, {a}, {small}, 3;"),
            _ => {
                let p = self.condition();
                format!("selp.b32 {d}, {a}, {b}, {p};")
            }
        };
        self.emit(line);
        self.values.push(d);
    }

    fn condition(&mut self) -> String {
        let (p, a, b) = (self.pred(), self.value(), self.value());
        let test = ["lt.s32", "ge.s32", "eq.s32", "ne.s32", "lt.u32", "gt.u32", "le.s32"]
            [self.dice.roll(7) as usize];
        self.emit(format!("setp.{test} {p}, {a}, {b};"));
        p
    }

    fn access(&mut self) {
        let (index, offset) = (self.value(), self.wide());
        let index = if index.starts_with('%') {
            index
        } else {
            let r = self.reg();
            self.emit(format!("mov.u32 {r}, {index};"));
            r
        };
        let (bytes, ty) =
            [(4, "u32"), (4, "u32"), (4, "u32"), (1, "u8"), (8, "u64")][self.dice.roll(5) as usize];
        let signed = if self.dice.one(4) { "u32" } else { "s32" };
        self.emit(format!("mul.wide.{signed} {offset}, {index}, {bytes};"));
        let (space, base) = [("global", "%rd1"), ("global", "%rd2"), ("shared", "%rd3"), ("shared", "%rd3")]
            [self.dice.roll(4) as usize];
        let address = self.wide();
        self.emit(format!("add.s64 {address}, {base}, {offset};"));
        let at = format!("[{address}+{}]", 1024 + bytes * self.dice.roll(3));
        match self.dice.roll(8) {
            0..3 if bytes == 4 => {
                let d = self.reg();
                self.emit(format!("ld.{space}.u32 {d}, {at};"));
                let e = self.reg();
                self.emit(format!("and.b32 {e}, {d}, 15;"));
                self.values.push(e);
            }
            3 if bytes == 4 => {
                let scope = ["", ".cta"][self.dice.roll(2) as usize];
                self.emit(format!(
                    "red.relaxed{}.{space}.add.u32 {at}, 1;",
                    if scope.is_empty() { ".gpu" } else { scope }
                ));
            }
            4 if bytes == 4 => {
                let d = self.reg();
                self.emit(format!("ld.volatile.{space}.u32 {d}, {at};"));
            }
            _ => match bytes {
                8 => self.emit(format!("st.{space}.{ty} {at}, %rd1;")),
                _ => self.emit(format!("st.{space}.{ty} {at}, 7;")),
            },
        }
    }

    fn statements(&mut self, most: u64, depth: u32) {
        for _ in 0..self.dice.roll(most) + 1 {
            match self.dice.roll(15) {
                0..5 => self.compute(),
                5..10 => self.access(),
                10..12 => self.barrier(),
                12 if depth < 2 => {
                    let p = self.condition();
                    self.labels += 1;
                    let l = self.labels;
                    let kept = self.values.len();
                    self.emit(format!("@{p} bra L{l};"));
                    self.statements(3, depth + 1);
                    self.values.truncate(kept);
                    if self.dice.one(2) {
                        self.labels += 1;
                        let end = self.labels;
                        self.emit(format!("bra L{end};"));
                        let _ = writeln!(self.text, "L{l}:");
                        self.statements(3, depth + 1);
                        self.values.truncate(kept);
                        let _ = writeln!(self.text, "L{end}:");
                    } else {
                        let _ = writeln!(self.text, "L{l}:");
                    }
                }
                13 if depth < 2 => self.looped(depth),
                14 if self.dice.one(3) => {
                    let p = self.condition();
                    self.emit(format!("@{p} bra END;"));
                }
                _ => self.compute(),
            }
        }
    }

    fn barrier(&mut self) {
        if !self.more {
            return self.emit("bar.sync 0;");
        }
        match self.dice.roll(6) {
            0..3 => self.emit("bar.warp.sync 0xffffffff;"),
            3 => self.emit("bar.sync 1, 64;"),
            4 => {
                let (d, a) = (self.reg(), self.value());
                self.emit(format!("and.b32 {d}, {a}, 3;"));
                let (w, at) = (self.wide(), self.wide());
                self.emit(format!("mul.wide.u32 {w}, {d}, 4;"));
                self.emit(format!("add.s64 {at}, %rd3, {w};"));
                let old = self.reg();
                self.emit(format!("atom.shared.add.u32 {old}, [{at}+1024], 1;"));
                if self.dice.one(2) {
                    self.emit(format!("and.b32 {old}, {old}, 7;"));
                    self.values.push(old);
                }
            }
            _ => self.emit("bar.sync 0;"),
        }
    }

    /// A counter, and something else that changes from turn to turn.
    fn looped(&mut self, depth: u32) {
        let (i, other, p) = (self.reg(), self.reg(), self.pred());
        let (first, start) = (self.value(), self.value());
        let bound = if self.dice.one(2) { "%r9".to_owned() } else { (self.dice.roll(4) + 1).to_string() };
        let step = if self.dice.one(4) { "%r3".to_owned() } else { (self.dice.roll(2) + 1).to_string() };
        self.labels += 2;
        let (head, end) = (self.labels - 1, self.labels);
        let first = if self.dice.one(2) { "0".to_owned() } else { first };
        self.emit(format!("mov.u32 {i}, {first};"));
        self.emit(format!("mov.u32 {other}, {start};"));
        let bottom = self.dice.one(2);
        if bottom && self.dice.one(2) {
            self.emit(format!("setp.ge.s32 {p}, {i}, {bound};"));
            self.emit(format!("@{p} bra L{end};"));
        }
        let _ = writeln!(self.text, "L{head}:");
        if !bottom {
            self.emit(format!("setp.ge.s32 {p}, {i}, {bound};"));
            self.emit(format!("@{p} bra L{end};"));
        }
        let kept = self.values.len();
        self.values.push(i.clone());
        self.values.push(other.clone());
        self.values.swap(0, kept);
        self.statements(4, depth + 1);
        self.values.swap(0, kept);
        self.values.truncate(kept);
        let change = ["add.s32", "mul.lo.s32", "shr.u32", "xor.b32", "max.s32"][self.dice.roll(5) as usize];
        let by = self.dice.roll(3);
        self.emit(format!("{change} {other}, {other}, {by};"));
        self.emit(format!("add.s32 {i}, {i}, {step};"));
        if bottom {
            self.emit(format!("setp.lt.s32 {p}, {i}, {bound};"));
            self.emit(format!("@{p} bra L{head};"));
        } else {
            self.emit(format!("bra L{head};"));
        }
        let _ = writeln!(self.text, "L{end}:");
    }
}

fn kernel(seed: u64, more: bool) -> String {
    let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // With warp barriers, lane and warp are of interest.
    let values: &[u32] = if more { &[1, 8, 7, 5, 3, 9, 2, 6] } else { &[1, 2, 5, 3, 9, 6] };
    let values = values.iter().map(|i| format!("%r{i}")).collect();
    let mut w = Writer { dice, text: String::new(), next: 20, labels: 0, values, more };
    let size = w.dice.roll(6) + 3;
    w.statements(size, 0);
    // One access at least is sensible.
    w.access();
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{{\n\
         .reg .pred %p<400>; .reg .b32 %r<400>; .reg .b64 %rd<400>;\n\
         .shared .align 8 .b8 s[16384];\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r9, [n];\n\
         mov.u64 %rd3, s;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r6, %nctaid.x;\n\
         mad.lo.s32 %r5, %r2, %r3, %r1; shr.u32 %r7, %r1, 5; and.b32 %r8, %r1, 31;\n{}END:\n  ret;\n}}\n",
        w.text
    )
}

fn argument(index: u32, bytes: u32, value: Value) -> Argument {
    Argument { index, offset: 0, bytes, value }
}

/// Seeds of kernels that were proved although they race: an inequality that ended no loop (11734), and turns of an
/// inner loop that were taken for those of the outer loop's turn before (61768).
const ONCE_WRONG: [u64; 3] = [11734, 61768, 1_013_991];

#[test]
fn what_is_proved_holds_and_what_races_races() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let (count, first) = (number("PROVE_KERNELS", 400), number("PROVE_SEED", 1));
    let (mut proved, mut racy, mut unknown, mut runs) = (0, 0, 0, 0);
    for seed in (first..first + count).chain(ONCE_WRONG) {
        let more = seed % 2 == 0 && !ONCE_WRONG.contains(&seed);
        let text = kernel(seed, more);
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let mut prover = Prover::new(&[source]).expect("it links");
        let answer = prover.decide(0, &Facts::default(), &|| false).0;
        match answer.verdict {
            Verdict::Proved => proved += 1,
            _ => {
                // A few: launches cost more than proofs.
                if seed % 8 == 0
                    && let Verdict::Race(race) = prover.answer(0, &Facts::default(), &|| false).verdict
                {
                    racy += 1;
                    let mut bench = Bench::load(&[source]).expect("it loads");
                    let (again, ..) = bench.run(0, &race.witness, 1 << 22);
                    assert!(
                        matches!(again, Outcome::Ended(f) if !f.is_empty()),
                        "{text}\n{:?}",
                        race.witness
                    );
                }
                unknown += 1;
                continue;
            }
        }
        let positive = answer.assumed.iter().any(|a| a.starts_with("arg2"));
        let mut bench = Bench::load(&[source]).expect("it loads");
        for (block, grid) in [(2, 1), (3, 2), (40, 1), (5, 3), (33, 2), (96, 1)] {
            for n in [-1, 0, 1, 2, 3, 5, 8, 40] {
                if n <= 0 && positive {
                    continue;
                }
                for contents in [Contents::Zeros, Contents::Ascending] {
                    let arguments = vec![
                        argument(0, 8, Value::Array),
                        argument(1, 8, Value::Array),
                        argument(2, 4, Value::Scalar(n)),
                    ];
                    let witness = Witness {
                        grid: [grid, 1, 1],
                        block: [block, 1, 1],
                        dynamic_shared: 0,
                        arguments,
                        contents,
                        order: 0,
                    };
                    runs += 1;
                    if let (Outcome::Ended(findings), ..) = bench.run(0, &witness, 1 << 16) {
                        assert!(
                            findings.is_empty(),
                            "seed {seed}: proved, but {witness} races\nassumed: {:#?}\n{text}\n{:#?}\n{:#?}",
                            answer.assumed,
                            findings[0].sides,
                            findings[0]
                                .sides
                                .each_ref()
                                .map(|s| s.site.and_then(|s| bench.sites.get(s)).cloned()),
                        );
                    }
                }
            }
        }
    }
    println!(
        "{count} kernels: {proved} proved ({runs} launches run), {unknown} not, of some of which {racy} raced"
    );
    // The test must not become empty.
    assert!(proved * 20 > count && racy > 0, "{proved} proved, {racy} racy");
}

/// Bytes of an array of an observed launch.
const ARRAY: u64 = 1 << 14;

/// A launch as `run --facts` writes it: two arrays, far apart or one beside the other.
fn observed(uses: events::task::SyncUse, block: u32, grid: u32, n: i32, dice: &mut Dice) -> ObservedLaunch {
    let small = dice.one(2);
    let mut contents = || {
        let bytes = (0..ARRAY).map(|i| if i % 4 == 0 && !small { dice.roll(9) as u8 } else { 0 });
        Some(Bytes(bytes.collect()))
    };
    let (a, b) = (1u64 << 34, (1u64 << 34) + ARRAY);
    let memory = [a, b].map(|base| ObservedMemory {
        base,
        bytes: ARRAY,
        kind: AllocKind::Device,
        name: None,
        contents: contents(),
    });
    let mut bytes = Vec::new();
    // At times both parameters point into one array.
    let second = if dice.one(8) { a + 64 } else { b };
    bytes.extend(a.to_le_bytes());
    bytes.extend(second.to_le_bytes());
    bytes.extend(n.to_le_bytes());
    let parameters = [(0, 8), (8, 8), (16, 4)].map(|(offset, bytes)| Parameter { offset, bytes }).to_vec();
    ObservedLaunch {
        info: LaunchInfo {
            kernel: "k".into(),
            grid: Dim3::new(grid, 1, 1),
            block: Dim3::new(block, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 16384,
            uses,
        },
        facts: LaunchFacts { dynamic_shared: 0, bytes, parameters },
        memory: memory.to_vec(),
    }
}

#[test]
fn what_is_proved_of_an_observed_launch_holds_under_every_schedule() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let (count, first) = (number("PROVE_KERNELS", 300), number("PROVE_SEED", 1));
    let (mut proved, mut racy, mut unknown) = (0, 0, 0);
    for seed in first..first + count {
        let text = kernel(seed, true);
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let mut prover = Prover::new(&[source]).expect("it links");
        let uses = prover.kernels()[0].uses;
        let mut dice = Dice(seed);
        let mut bench = Bench::load(&[source]).expect("it loads");
        for (block, grid) in [(3, 2), (64, 1), (40, 2)] {
            let n = dice.roll(9) as i32;
            let launch = Arc::new(observed(uses, block, grid, n, &mut dice));
            // Some never end.
            let end = Instant::now() + Duration::from_secs(2);
            let stop = || Instant::now() > end;
            let answer = prover.answer_observed(0, &Facts::default(), &[Arc::clone(&launch)], &stop);
            match answer.verdict {
                Verdict::Proved => proved += 1,
                Verdict::Unknown(_) => {
                    unknown += 1;
                    continue;
                }
                Verdict::Race(_) => {
                    racy += 1;
                    continue;
                }
            }
            for run in 0..8 {
                let schedule =
                    [Schedule::Random, Schedule::RoundRobin { quantum: 1 }][run as usize % 2].clone();
                let races = bench.races(&launch, schedule, run);
                assert!(
                    races.as_ref().is_none_or(Vec::is_empty),
                    "seed {seed}: proved, but a schedule of {:?} races\nassumed: {:#?}\n{text}\n{:#?}",
                    launch.info,
                    answer.assumed,
                    races.map(|f| f[0].sides.clone()),
                );
            }
            // Any other contents, if none are held.
            if answer.assumed.iter().any(|a| a.contains("holds")) {
                continue;
            }
            let mut other = (*launch).clone();
            for memory in &mut other.memory {
                memory.contents =
                    Some(Bytes((0..ARRAY).map(|i| (i as u8).wrapping_mul(37) & 0x0f).collect()));
            }
            let races = bench.races(&other, Schedule::Random, 1);
            assert!(
                races.is_none_or(|f| f.is_empty()),
                "seed {seed}: other contents race\n{:#?}\n{text}",
                answer.assumed
            );
        }
    }
    println!("{count} kernels: {proved} launches proved, {racy} race, {unknown} unknown");
    assert!(proved > count / 8 && racy > 0, "{proved} proved, {racy} racy");
}
