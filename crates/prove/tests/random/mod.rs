//! Generates random small kernels.

mod changed;
mod clusters;
mod copies;
mod divisions;
mod grids;
mod lanes;
pub(crate) mod launches;
mod named;
mod rounds;
mod waits;

pub(crate) use changed::{with_moved, with_small_shared, with_volatile};
pub(crate) use clusters::with_cluster;

use std::fmt::Write as _;

/// Features that only some of the kernels have.
pub(crate) const FEATURES: [&str; 13] = [
    "arrive.noinc",
    "call.uni",
    "cp.async.ca",
    "ldmatrix",
    "stmatrix",
    "wmma",
    "barrier.cluster",
    "test_wait.shared",
    "test_wait.parity",
    "mapa.shared::cluster",
    "mapa.u64",
    "bar.arrive 1",
    "cp.async.bulk",
];

/// A generator of random numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    pub(crate) fn one(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// Writes PTX, one statement at a time.
struct Writer {
    dice: Dice,
    text: String,
    next: u32,
    labels: u32,
    /// Registers that hold small integers.
    values: Vec<String>,
    /// Enables warp barriers, named barriers and the results of atomics.
    more: bool,
    /// Enables an mbarrier with its phases.
    phases: bool,
    /// The number of functions that may be called.
    functions: u32,
    /// Enable asynchronous copies, and matrix accesses where all threads are active.
    copies: bool,
    matrices: bool,
    /// Enables quotients and remainders by constants.
    divisions: bool,
    /// Enables barriers of the grid.
    grids: bool,
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
        // The first values are the thread's coordinates.
        let n = self.values.len() as u64;
        let at = if self.dice.one(2) { self.dice.roll(n.min(3)) } else { self.dice.roll(n) };
        self.values[at as usize].clone()
    }

    fn compute(&mut self) {
        if self.divisions && self.dice.one(2) {
            return self.division();
        }
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
            if self.functions > 0 && self.dice.one(4) {
                self.call();
                continue;
            }
            if self.copies && self.dice.one(3) {
                self.copy();
                continue;
            }
            if self.matrices && depth == 0 && self.dice.one(3) {
                self.matrix();
                continue;
            }
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
                14 if !self.matrices && self.dice.one(3) => {
                    let p = self.condition();
                    self.emit(format!("@{p} bra END;"));
                }
                _ => self.compute(),
            }
        }
    }

    /// Writes a call of an earlier function, sometimes by some threads only.
    fn call(&mut self) {
        let f = self.dice.roll(self.functions.into());
        let (x, y, d) = (self.value(), self.value(), self.reg());
        let arrays = if self.dice.one(4) { ["%rd2", "%rd1"] } else { ["%rd1", "%rd2"] };
        self.emit(format!("mov.u32 {d}, 0;"));
        let guard = if self.dice.one(4) { format!("@{} ", self.condition()) } else { String::new() };
        self.emit(
            "{ .param .b64 a0; .param .b64 a1; .param .b64 a2; .param .align 8 .b8 a3[8]; .param .b32 r0;",
        );
        for (at, array) in arrays.into_iter().chain(["%rd3"]).enumerate() {
            self.emit(format!("st.param.b64 [a{at}], {array};"));
        }
        self.emit(format!("st.param.b32 [a3], {x}; st.param.b32 [a3+4], {y};"));
        self.emit(format!("{guard}call.uni (r0), f{f}, (a0, a1, a2, a3);"));
        self.emit(format!("{guard}ld.param.b32 {d}, [r0]; }}"));
        self.values.push(d);
    }

    fn barrier(&mut self) {
        if self.grids && !self.dice.one(4) {
            return self.grid_barrier();
        }
        if !self.more {
            return self.emit("bar.sync 0;");
        }
        if self.phases && self.dice.one(2) {
            return self.phase();
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

    /// Writes an arrival at the mbarrier or a named barrier, a wait for a phase, or both.
    fn phase(&mut self) {
        let what = self.dice.roll(8);
        if what == 0 {
            let line = ["bar.arrive 2, 64;", "bar.sync 2, 64;"][self.dice.roll(2) as usize];
            return self.emit(line);
        }
        if what < 6 {
            let token = self.wide();
            self.emit(format!("mbarrier.arrive.shared.b64 {token}, [m];"));
        }
        if what > 2 {
            let (p, parity) = (self.pred(), self.reg());
            let of = if self.dice.one(2) { self.value() } else { self.dice.roll(2).to_string() };
            self.emit(format!("and.b32 {parity}, {of}, 1;"));
            self.labels += 1;
            let l = self.labels;
            let _ = writeln!(self.text, "L{l}:");
            self.emit(format!("mbarrier.test_wait.parity.shared.b64 {p}, [m], {parity};"));
            self.emit(format!("@!{p} bra L{l};"));
        }
    }

    /// Writes a loop with a counter and another variable that changes between iterations.
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

/// The beginning of every function, except for loading its arguments.
const COORDINATES: &str =
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r6, %nctaid.x;
mad.lo.s32 %r5, %r2, %r3, %r1; shr.u32 %r7, %r1, 5; and.b32 %r8, %r1, 31;\n";

/// Writes functions `f0` and so on, each of which may call the earlier ones.
fn functions(w: &mut Writer, count: u32) -> String {
    let kept = (std::mem::take(&mut w.text), w.values.clone(), w.phases);
    w.phases = false;
    let mut all = String::new();
    for f in 0..count {
        w.values = [10, 1, 11, 5, 3].iter().map(|i| format!("%r{i}")).collect();
        w.functions = f;
        let size = w.dice.roll(3) + 1;
        w.statements(size, 1);
        let result = w.value();
        let body = std::mem::take(&mut w.text);
        all += &format!(
            ".func (.param .b32 r) f{f}(.param .b64 a, .param .b64 b, .param .b64 c, .param .align 8 .b8 xy[8])\n{{\n\
             .reg .pred %p<900>; .reg .b32 %r<900>; .reg .b64 %rd<900>;\n\
             ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];\n\
             ld.param.v2.u32 {{%r10, %r11}}, [xy]; mov.u32 %r9, %r11; st.param.b32 [r], 1;\n\
             {COORDINATES}{body}  st.param.b32 [r], {result};\nEND:\n  ret;\n}}\n"
        );
    }
    (w.text, w.values, w.phases) = kept;
    w.functions = count;
    all
}

/// From this seed on, kernels are loops over rotating stages.
pub(crate) const ROUNDS_FROM: u64 = 1 << 40;

/// From this seed on, blocks of a cluster access each other's memory.
pub(crate) const CLUSTERS_FROM: u64 = 1 << 41;

/// From this seed on, kernels have barriers of some lanes of a warp.
pub(crate) const LANES_FROM: u64 = 3 << 40;

/// From this seed on, some threads arrive at mbarriers and others wait.
pub(crate) const WAITS_FROM: u64 = 1 << 42;

/// From this seed on, kernels divide by constants.
pub(crate) const DIVISIONS_FROM: u64 = 5 << 40;

/// From this seed on, blocks synchronise at barriers of a cooperative grid.
pub(crate) const GRIDS_FROM: u64 = 6 << 40;

/// From this seed on, warps meet at named barriers.
pub(crate) const NAMED_FROM: u64 = 7 << 40;

/// Returns the PTX of a kernel `k`; `more` selects a larger language. Some seeds add calls of functions,
/// copies or matrix accesses.
pub(crate) fn kernel(seed: u64, more: bool) -> String {
    let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // With warp barriers, the lane and warp numbers are useful.
    let values: &[u32] = if more { &[1, 8, 7, 5, 3, 9, 2, 6] } else { &[1, 2, 5, 3, 9, 6] };
    let values = values.iter().map(|i| format!("%r{i}")).collect();
    let phases = more && seed.is_multiple_of(3) && seed < ROUNDS_FROM;
    let mut w = Writer {
        dice,
        text: String::new(),
        next: 20,
        labels: 0,
        values,
        more,
        phases,
        functions: 0,
        copies: false,
        matrices: false,
        divisions: (DIVISIONS_FROM..GRIDS_FROM).contains(&seed),
        grids: (GRIDS_FROM..NAMED_FROM).contains(&seed),
    };
    (w.copies, w.matrices) = (matches!(seed % 10, 2 | 6), matches!(seed % 10, 6 | 9));
    w.matrices &= seed < GRIDS_FROM;
    let called = if seed % 5 == 2 && seed < ROUNDS_FROM { functions(&mut w, 2) } else { String::new() };
    if phases {
        let count = ["%r3", "%r3", "1"][w.dice.roll(3) as usize];
        w.emit("setp.eq.s32 %p1, %r1, 0;");
        w.emit(format!("@%p1 mbarrier.init.shared.b64 [m], {count};"));
        w.emit("bar.sync 0;");
    }
    let pipeline = seed.is_multiple_of(5) && seed < DIVISIONS_FROM;
    // Kernels of these ranges of seeds have only the selected feature.
    let rounds = (ROUNDS_FROM..DIVISIONS_FROM).contains(&seed);
    let clusters = (CLUSTERS_FROM..LANES_FROM).contains(&seed);
    let lanes = (LANES_FROM..WAITS_FROM).contains(&seed);
    let waits = (WAITS_FROM..DIVISIONS_FROM).contains(&seed);
    if seed >= NAMED_FROM {
        w.named();
    } else if waits {
        w.waits();
    } else if lanes {
        w.lanes();
    } else if clusters {
        w.clustered();
    } else if rounds {
        w.rounds();
    } else if pipeline {
        w.pipeline();
    } else {
        let size = w.dice.roll(6) + 3;
        w.statements(size, 0);
        // Every kernel has at least one plausible access.
        w.access();
    }
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{called}\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {}\n{{\n\
         .reg .pred %p<900>; .reg .b32 %r<900>; .reg .b64 %rd<900>;\n\
         .shared .align 8 .b8 s[16384]; .shared .align 8 .b64 m;\n\
         {}\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r9, [n];\n\
         mov.u64 %rd3, s;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r6, %nctaid.x;\n\
         mad.lo.s32 %r5, %r2, %r3, %r1; shr.u32 %r7, %r1, 5; and.b32 %r8, %r1, 31;\n{}END:\n  ret;\n}}\n",
        match () {
            () if clusters =>
                [".maxntid 128", ".maxntid 128 .reqnctapercluster 2", ".maxntid 128 .reqnctapercluster 4"]
                    [seed as usize % 3],
            () if pipeline || rounds || seed >= NAMED_FROM => ".maxntid 128",
            () => "",
        },
        if waits { ".shared .align 8 .b64 full[4]; .shared .align 8 .b64 empty[4];\n" } else { "" },
        w.text
    )
}
