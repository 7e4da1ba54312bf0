//! Threads that pass stages to others by mbarriers: some or all threads arrive and wait, in rings of stages.

use super::Writer;
use std::fmt::Write as _;

/// The index of the producers among the roles.
const PRODUCERS: usize = 0;

impl Writer {
    /// Writes the address of the mbarrier of a ring for an iteration.
    fn of_ring(&mut self, ring: &str, stage: &str) -> String {
        let at = self.reg();
        self.emit(format!("mad.lo.s32 {at}, {stage}, 8, {ring};"));
        at
    }

    /// Writes an access to the element of a stage that belongs to this thread, or to one next to it.
    pub(super) fn of_slot(&mut self, stage: &str, own: &str, store: bool) {
        let (d, w, at, v) = (self.reg(), self.wide(), self.wide(), self.reg());
        self.emit(format!("mad.lo.s32 {d}, {stage}, 64, {own}; mul.wide.s32 {w}, {d}, 4;"));
        self.emit(format!("add.s64 {at}, %rd3, {w};"));
        match store {
            true => self.emit(format!("st.shared.u32 [{at}], 7;")),
            false => self.emit(format!("ld.shared.u32 {v}, [{at}];")),
        }
    }

    /// Writes a bulk copy of 128 bytes to a stage, which completes at an mbarrier of a ring.
    fn bulk_load(&mut self, ring: &str, stage: &str) {
        let (at, d) = (self.of_ring(ring, stage), self.wide());
        self.emit(format!("mul.wide.s32 {d}, {stage}, 256; add.s64 {d}, %rd3, {d};"));
        let form = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
        self.emit(format!("{form} [{d}], [%rd1+256], 128, [{at}];"));
    }

    /// Writes one iteration of one side: `steps` are waits (`w`, and `v` for the other ring), accesses (`a`),
    /// arrivals (`r`, `q`, and `x` that expects bytes), bulk copies (`b`) and proxy fences (`f`).
    fn side(
        &mut self,
        steps: &str,
        rings: [&str; 2],
        registers: [&str; 3],
        parity: [u64; 2],
        own: &str,
        store: bool,
    ) {
        let [stage, other, round] = registers;
        for step in steps.chars() {
            let which = if self.dice.one(24) { other } else { stage };
            match step {
                'w' | 'v' => {
                    let ring = usize::from(step == 'v');
                    let (p, at) = (self.reg(), self.of_ring(rings[ring], which));
                    self.emit(format!("xor.b32 {p}, {round}, {};", parity[ring]));
                    let done = self.pred();
                    self.labels += 1;
                    let l = self.labels;
                    let _ = writeln!(self.text, "L{l}:");
                    self.emit(format!("mbarrier.test_wait.parity.shared.b64 {done}, [{at}], {p};"));
                    self.emit(format!("@!{done} bra L{l};"));
                }
                'a' => self.of_slot(which, own, store),
                'o' => self.of_slot(which, own, !store),
                'f' => self.emit("fence.proxy.async.shared::cta;"),
                'b' => self.bulk_load(rings[1], which),
                'x' => {
                    let at = self.of_ring(rings[1], which);
                    let bytes = if self.dice.one(24) { 64 } else { 128 };
                    self.emit(format!("mbarrier.arrive.expect_tx.shared.b64 _, [{at}], {bytes};"));
                }
                _ => {
                    let at = self.of_ring(rings[usize::from(step == 'q')], which);
                    let token = self.wide();
                    self.emit(format!("mbarrier.arrive.shared.b64 {token}, [{at}];"));
                }
            }
        }
    }

    /// Leaves out, exchanges or doubles steps at random.
    fn changed(&mut self, steps: &str) -> String {
        let mut all: Vec<char> = steps.chars().collect();
        for _ in 0..self.dice.roll(3) {
            let n = all.len() as u64;
            let (a, b) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(6) {
                0 if n > 1 => drop(all.remove(a)),
                1 => all.insert(a, ['w', 'v', 'a', 'r', 'q', 'o'][self.dice.roll(6) as usize]),
                2 | 3 => all.swap(a, b),
                _ => {}
            }
        }
        all.into_iter().collect()
    }

    /// Writes producers and consumers, or a block that works between arriving and waiting.
    pub(super) fn waits(&mut self) {
        let ring = [1, 2, 2, 4][self.dice.roll(4) as usize];
        let stages = if self.dice.one(8) { [1, 2, 4][self.dice.roll(3) as usize] } else { ring };
        let whole = self.dice.one(3);
        // The first `first` threads are producers.
        let bulk = !whole && self.dice.one(3);
        let (filling, taking) = match bulk {
            true => {
                let filling = ["wbx", "wxb", "wfxb"][self.dice.roll(3) as usize];
                (filling, ["wafq", "wafq", "waq"][self.dice.roll(3) as usize])
            }
            false => ("waq", "waq"),
        };
        let first = if bulk { 1 } else { [1, 8, 32][self.dice.roll(3) as usize] };
        let consumers = if self.dice.one(8) { "%r3".to_owned() } else { "%r18".to_owned() };
        let producers = if self.dice.one(10) { first + 1 } else { first };
        self.emit(format!("mov.u32 %r16, full; mov.u32 %r17, empty; sub.s32 %r18, %r3, {first};"));
        if !whole {
            self.emit(format!("setp.le.s32 %p2, %r3, {first};"));
            self.emit("@%p2 bra END;");
        }
        let limit = if self.dice.one(12) { 1 } else { ring };
        for stage in 0..limit {
            self.emit("setp.eq.s32 %p1, %r1, 0;");
            let counts = match whole {
                true => ["%r3".to_owned(), "%r3".to_owned()],
                false => [producers.to_string(), consumers.clone()],
            };
            for (name, count) in ["full", "empty"].into_iter().zip(counts) {
                self.emit(format!("@%p1 mbarrier.init.shared.b64 [{name}+{}], {count};", 8 * stage));
            }
        }
        if !self.dice.one(16) {
            self.emit("bar.sync 0;");
        }
        let [stage, other, round, i] = [(); 4].map(|()| self.reg());
        let one = |w: &mut Writer, who: usize, steps: &str| {
            w.labels += 2;
            let (head, end) = (w.labels - 1, w.labels);
            let p = w.pred();
            let begin = u64::from(w.dice.one(16));
            w.emit(format!("mov.u32 {i}, {begin};"));
            let _ = writeln!(w.text, "L{head}:");
            w.emit(format!("setp.ge.s32 {p}, {i}, %r9;"));
            w.emit(format!("@{p} bra L{end};"));
            let shift = u64::from(ring > 1) * [0, 1, 1, 1, 2][ring as usize];
            w.emit(format!("and.b32 {stage}, {i}, {};", ring - 1));
            w.emit(format!("add.s32 {other}, {i}, 1; and.b32 {other}, {other}, {};", ring - 1));
            w.emit(format!("shr.u32 {round}, {i}, {shift}; and.b32 {round}, {round}, 1;"));
            let slot = w.reg();
            w.emit(format!("and.b32 {slot}, {stage}, {};", stages - 1));
            let own = w.reg();
            match (who, w.dice.roll(4)) {
                (PRODUCERS, 0) => w.emit(format!("add.s32 {own}, %r1, 1;")),
                (PRODUCERS, _) => w.emit(format!("mov.u32 {own}, %r1;")),
                (_, 0) => w.emit(format!("mov.u32 {own}, 0;")),
                (_, 1) => w.emit(format!("sub.s32 {own}, %r3, %r1;")),
                _ => w.emit(format!("sub.s32 {own}, %r1, {first};")),
            }
            // Producers wait for the previous phase of the empty ring.
            let wrong = w.dice.one(16);
            let (rings, parity) = match who {
                PRODUCERS => (["%r17", "%r16"], [u64::from(!wrong), 0]),
                2 => (["%r16", "%r17"], [0, 0]),
                _ => (["%r16", "%r17"], [u64::from(wrong), 1]),
            };
            let steps = w.changed(steps);
            // Data have their own number of stages.
            let pieces: Vec<String> = steps.split_inclusive(['a', 'o']).map(str::to_owned).collect();
            for piece in pieces {
                let (mut rest, mut access) = (piece.as_str(), None);
                if let Some(cut) = piece.strip_suffix(['a', 'o']) {
                    (rest, access) = (cut, piece.chars().last());
                }
                w.side(rest, rings, [&stage, &other, &round], parity, &own, who == PRODUCERS);
                if let Some(step) = access {
                    w.of_slot(&slot, &own, (step == 'a') == (who == PRODUCERS));
                }
            }
            w.emit(format!("add.s32 {i}, {i}, 1;"));
            w.emit(format!("bra L{head};"));
            let _ = writeln!(w.text, "L{end}:");
        };
        if whole {
            let steps = ["orw", "orwa", "orwaqv", "orawaqov"][self.dice.roll(4) as usize];
            return one(self, 2, steps);
        }
        self.labels += 2;
        let (second, done) = (self.labels - 1, self.labels);
        self.emit(format!("setp.ge.s32 %p3, %r1, {first};"));
        self.emit(format!("@%p3 bra L{second};"));
        one(self, PRODUCERS, filling);
        self.emit(format!("bra L{done};"));
        let _ = writeln!(self.text, "L{second}:");
        one(self, 1, taking);
        let _ = writeln!(self.text, "L{done}:");
        if self.dice.one(8) {
            self.emit("bar.sync 0;");
            self.access();
        }
    }
}
