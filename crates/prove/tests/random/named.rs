//! Warps that meet at named barriers: some arrive, some wait, and some take turns.

use super::Writer;
use std::fmt::Write as _;

/// The threads of a kernel that use named barriers.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// What they do before the loop, and in each iteration.
    before: &'a str,
    steps: &'a str,
    /// The element that a thread accesses.
    own: &'a str,
    /// The registers with the numbers of both barriers.
    ids: [&'a str; 2],
}

impl Writer {
    /// Writes barriers (`s` and `r` synchronise and arrive at the first one, `S` and `R` at the other one), loads (`l`) and
    /// stores (`a`).
    fn of_named(&mut self, steps: &str, side: Side<'_>, count: &str) {
        for step in steps.chars() {
            let id = side.ids[usize::from(step.is_ascii_uppercase())];
            match step {
                's' | 'S' => self.emit(format!("bar.sync {id}, {count};")),
                'r' | 'R' => self.emit(format!("bar.arrive {id}, {count};")),
                _ => self.of_slot("0", side.own, step == 'a'),
            }
        }
    }

    /// Leaves out, exchanges or doubles steps at random.
    fn damaged(&mut self, steps: &str) -> String {
        let mut all: Vec<char> = steps.chars().collect();
        for _ in 0..self.dice.roll(3) {
            let n = all.len() as u64;
            if n == 0 {
                break;
            }
            let (a, b) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(7) {
                0 if n > 1 => drop(all.remove(a)),
                1 => all.insert(a, ['s', 'r', 'S', 'R', 'a', 'l'][self.dice.roll(6) as usize]),
                2 | 3 => all.swap(a, b),
                _ => {}
            }
        }
        all.into_iter().collect()
    }

    /// Writes one side's code.
    fn side_of_named(&mut self, side: Side<'_>, count: &str) {
        let before = side.before.to_owned();
        self.of_named(&before, side, count);
        if side.steps.is_empty() {
            return;
        }
        let steps = self.damaged(side.steps);
        if self.dice.one(6) {
            return self.of_named(&steps, side, count);
        }
        self.labels += 2;
        let (head, end) = (self.labels - 1, self.labels);
        let (i, p) = (self.reg(), self.pred());
        self.emit(format!("mov.u32 {i}, 0;"));
        let _ = writeln!(self.text, "L{head}:");
        self.emit(format!("setp.ge.s32 {p}, {i}, %r9;"));
        self.emit(format!("@{p} bra L{end};"));
        self.of_named(&steps, side, count);
        if self.dice.one(12) {
            let q = self.pred();
            self.emit(format!("setp.eq.s32 {q}, {i}, %r8;"));
            self.emit(format!("@{q} bra L{end};"));
        }
        self.emit(format!("add.s32 {i}, {i}, 1;"));
        self.emit(format!("bra L{head};"));
        let _ = writeln!(self.text, "L{end}:");
    }

    /// Writes warps that fill an element for others, exchange elements, or take turns.
    pub(super) fn named(&mut self) {
        let first = [32, 32, 64][self.dice.roll(3) as usize];
        let threads = [64, 96, 128][self.dice.roll(3) as usize].max(first + 32);
        let count = if self.dice.one(10) { threads - 32 } else { threads }.to_string();
        let most = if self.dice.one(10) { threads + 16 } else { threads };
        let from = match self.dice.roll(12) {
            0 => first + 1,
            1 => first - 16,
            _ => first,
        };
        if !self.dice.one(4) {
            self.emit(format!("setp.ge.s32 %p1, %r1, {most};"));
            self.emit("@%p1 bra END;");
        }
        if self.dice.one(10) {
            self.emit("setp.eq.s32 %p2, %r8, 3;");
            self.emit("@%p2 bra END;");
        }
        let own = self.reg();
        match self.dice.roll(3) {
            0 => self.emit(format!("mov.u32 {own}, %r8;")),
            1 => self.emit(format!("and.b32 {own}, %r1, 63;")),
            _ => self.emit(format!("mov.u32 {own}, %r1;")),
        }
        let other = self.reg();
        match self.dice.roll(3) {
            0 => self.emit(format!("mov.u32 {other}, {own};")),
            1 => self.emit(format!("sub.s32 {other}, 31, %r8;")),
            _ => self.emit(format!("sub.s32 {other}, %r1, {first};")),
        }
        self.emit(format!("setp.ge.s32 %p3, %r1, {from};"));
        if self.dice.one(3) {
            // All share the code: each side names its own barrier.
            let (group, a, b) = (self.reg(), self.reg(), self.reg());
            self.emit(format!("selp.u32 {group}, 1, 0, %p3;"));
            self.emit(format!("add.s32 {a}, {group}, 1; sub.s32 {b}, 2, {group};"));
            self.labels += 1;
            let l = self.labels;
            let skip = if self.dice.one(8) { "@%p3" } else { "@!%p3" };
            self.emit(format!("{skip} bra L{l};"));
            self.emit(format!("bar.arrive 1, {count};"));
            let _ = writeln!(self.text, "L{l}:");
            let steps = ["salR", "saR", "slaR"][self.dice.roll(3) as usize];
            return self.side_of_named(Side { before: "", steps, own: &own, ids: [&a, &b] }, &count);
        }
        let kinds =
            [("", "slaR", "r", "Slar"), ("", "Sar", "R", "slR"), ("", "asls", "", ""), ("ar", "", "sl", "")];
        let (before, steps, then, there) = kinds[self.dice.roll(4) as usize];
        let count = if there.is_empty() && then.is_empty() { first.to_string() } else { count };
        let ids = ["1", "2"];
        self.labels += 2;
        let (second, done) = (self.labels - 1, self.labels);
        self.emit(format!("@%p3 bra L{second};"));
        self.side_of_named(Side { before, steps, own: &own, ids }, &count);
        self.emit(format!("bra L{done};"));
        let _ = writeln!(self.text, "L{second}:");
        self.side_of_named(Side { before: then, steps: there, own: &other, ids }, &count);
        let _ = writeln!(self.text, "L{done}:");
        if self.dice.one(8) {
            self.emit("bar.sync 0;");
            self.access();
        }
    }
}
