//! Threads that pass stages to others by mbarriers: some or all threads arrive and wait, in rings of stages.

use super::Writer;
use std::fmt::Write as _;

/// The index of the producers among the roles.
const PRODUCERS: usize = 0;

/// What producers, consumers, or all threads do.
struct Role {
    who: usize,
    steps: String,
    /// The mbarriers for which they wait, and those at which they arrive.
    rings: [&'static str; 2],
    parity: [u64; 2],
    /// The register with their own element of a slot.
    own: String,
    /// The number of mbarriers and of slots.
    sizes: [u64; 2],
    /// The number of iterations before the loop.
    ahead: u64,
    /// The number of iterations after which consumers give a stage back.
    late: u64,
}

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

    /// Writes a copy of a word by `cp.async` to the element of a stage that belongs to this thread.
    fn fetch(&mut self, stage: &str, own: &str) {
        let (d, w, at) = (self.reg(), self.wide(), self.wide());
        self.emit(format!("mad.lo.s32 {d}, {stage}, 64, {own}; mul.wide.s32 {w}, {d}, 4;"));
        self.emit(format!("add.s64 {at}, %rd3, {w}; cp.async.ca.shared.global [{at}], [%rd1+256], 4;"));
    }

    /// Writes one iteration of one side: `steps` are waits (`w`, and `v` for the other ring), accesses (`a`),
    /// arrivals (`r`, `q`, `x` that expects bytes, and `n` of the thread's copies), bulk copies (`b`), copies (`c`) and proxy
    /// fences (`f`).
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
                'c' => self.fetch(which, own),
                'n' => {
                    let at = self.of_ring(rings[1], which);
                    self.emit(format!("cp.async.mbarrier.arrive.noinc.shared.b64 [{at}];"));
                }
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

    /// Makes the steps of a role for rings of so many mbarriers and slots. The first `first` threads are producers.
    fn role(&mut self, who: usize, steps: &str, (first, sizes): (u64, [u64; 2])) -> Role {
        let own = self.reg();
        match (who, self.dice.roll(4)) {
            (PRODUCERS, 0) => self.emit(format!("add.s32 {own}, %r1, 1;")),
            (PRODUCERS, _) => self.emit(format!("mov.u32 {own}, %r1;")),
            (_, 0) => self.emit(format!("mov.u32 {own}, 0;")),
            (_, 1) => self.emit(format!("sub.s32 {own}, %r3, %r1;")),
            _ => self.emit(format!("sub.s32 {own}, %r1, {first};")),
        }
        // Producers wait for the previous phase of the empty ring.
        let wrong = self.dice.one(16);
        let (rings, parity) = match who {
            PRODUCERS => (["%r17", "%r16"], [u64::from(!wrong), 0]),
            2 => (["%r16", "%r17"], [0, 0]),
            _ => (["%r16", "%r17"], [u64::from(wrong), 1]),
        };
        // The first stages may be used before the loop, and stages be given back some iterations later.
        let ahead = if who != 2 && self.dice.one(4) { self.dice.roll(sizes[0] + 1) } else { 0 };
        let late = if who == 1 && self.dice.one(3) { 1 + self.dice.roll(2) } else { 0 };
        let steps = self.changed(steps);
        Role { who, steps, rings, parity, own, sizes, ahead, late }
    }

    /// Writes the loop of a role, with what it does before the loop.
    fn goes_round(&mut self, role: &Role, registers: &[String; 4]) {
        let [stage, other, round, i] = registers;
        let ring = role.sizes[0];
        self.labels += 2;
        let (head, end) = (self.labels - 1, self.labels);
        let (p, slot) = (self.pred(), self.reg());
        if role.ahead > 0 {
            self.emit(format!("setp.lt.s32 {p}, %r9, {};", role.ahead));
            self.emit(format!("@{p} bra L{end};"));
        }
        for turn in 0..role.ahead {
            self.emit(format!("mov.u32 {stage}, {}; mov.u32 {i}, {turn};", turn % ring));
            self.emit(format!("mov.u32 {other}, {}; mov.u32 {round}, {};", (turn + 1) % ring, turn / ring));
            self.turn(role, registers, &slot);
        }
        let begin = role.ahead + u64::from(self.dice.one(16));
        self.emit(format!("mov.u32 {i}, {begin};"));
        let _ = writeln!(self.text, "L{head}:");
        self.emit(format!("setp.ge.s32 {p}, {i}, %r9;"));
        self.emit(format!("@{p} bra L{end};"));
        let shift = u64::from(ring > 1) * [0, 1, 1, 1, 2][ring as usize];
        self.emit(format!("and.b32 {stage}, {i}, {};", ring - 1));
        self.emit(format!("add.s32 {other}, {i}, 1; and.b32 {other}, {other}, {};", ring - 1));
        self.emit(format!("shr.u32 {round}, {i}, {shift}; and.b32 {round}, {round}, 1;"));
        self.turn(role, registers, &slot);
        self.emit(format!("add.s32 {i}, {i}, 1;"));
        self.emit(format!("bra L{head};"));
        let _ = writeln!(self.text, "L{end}:");
    }

    /// Writes an iteration of a role. Data have their own number of stages.
    fn turn(&mut self, role: &Role, [stage, other, round, i]: &[String; 4], slot: &str) {
        self.emit(format!("and.b32 {slot}, {stage}, {};", role.sizes[1] - 1));
        for piece in role.steps.split_inclusive(['a', 'o', 'q']) {
            let last =
                piece.chars().last().filter(|step| "ao".contains(*step) || *step == 'q' && role.late > 0);
            let rest = if last.is_some() { &piece[..piece.len() - 1] } else { piece };
            self.side(rest, role.rings, [stage, other, round], role.parity, &role.own, role.who == PRODUCERS);
            match last {
                Some('q') => self.gives_back_later(role, i),
                Some(step) => self.of_slot(slot, &role.own, (step == 'a') == (role.who == PRODUCERS)),
                None => {}
            }
        }
    }

    /// Writes an arrival that gives back the stage of some iterations before.
    fn gives_back_later(&mut self, role: &Role, i: &str) {
        let (p, before) = (self.pred(), self.reg());
        self.labels += 1;
        let l = self.labels;
        let from = if self.dice.one(12) { role.late - 1 } else { role.late };
        self.emit(format!("setp.lt.s32 {p}, {i}, {from};"));
        self.emit(format!("@{p} bra L{l};"));
        self.emit(format!(
            "sub.s32 {before}, {i}, {}; and.b32 {before}, {before}, {};",
            role.late,
            role.sizes[0] - 1
        ));
        let (at, token) = (self.of_ring(role.rings[1], &before), self.wide());
        self.emit(format!("mbarrier.arrive.shared.b64 {token}, [{at}];"));
        let _ = writeln!(self.text, "L{l}:");
    }

    /// Leaves out, exchanges or doubles steps at random.
    fn changed(&mut self, steps: &str) -> String {
        let mut all: Vec<char> = steps.chars().collect();
        for _ in 0..self.dice.roll(3) {
            let n = all.len() as u64;
            let (a, b) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(6) {
                0 if n > 1 => drop(all.remove(a)),
                1 => all.insert(a, ['w', 'v', 'a', 'r', 'q', 'o', 'n'][self.dice.roll(7) as usize]),
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
            false if self.dice.one(3) => (["wcn", "wcn", "wcaqn"][self.dice.roll(3) as usize], "waq"),
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
            // The stages may have threads of their own that set them up, sometimes two.
            let (own, two) = (u64::from(self.dice.one(3)), self.dice.one(24));
            let which = if two { "le" } else { "eq" };
            self.emit(format!("setp.{which}.s32 %p1, %r1, {};", own * stage));
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
        let registers = [(); 4].map(|()| self.reg());
        let one = |w: &mut Writer, who: usize, steps: &str| {
            let role = w.role(who, steps, (first, [ring, stages]));
            w.goes_round(&role, &registers);
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
