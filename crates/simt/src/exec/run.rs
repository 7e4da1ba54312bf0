//! The interpreter loop over instructions.
//!
//! **Size:** the loop and all that it inlines are compiled together, once for each set of vectors.

use super::flow::Flow;
use super::{FULL, Failed, NANOSECOND, Run, Stop, Worker};
use crate::alu::row::{Lanes, blend32, blend64};
use crate::exec::warp::{Group, POLL_COST, Warp};
use crate::failure::FailureKind;
use crate::program::{
    Code, EvalInst, FILE_32, FILE_64, FILE_CONST, FILE_MASK, FILE_PRED, GUARD_NEGATED, Move, NO_GUARD, NO_ROW,
};
use events::{LaneMask, Observer};

impl<O: Observer> Worker<'_, O> {
    /// Runs one group, as [`Worker::run_group`] does, with the widest vectors that the processor has.
    pub(super) fn run_here(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            // SAFETY: the processor supports the function's target features.
            return unsafe { self.run_group_avx2(slot, warp, group, quantum) };
        }
        self.run_instructions(slot, warp, group, quantum)
    }

    /// The same loop compiled for AVX2, with lane computations inlined.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
    fn run_group_avx2(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        self.run_instructions(slot, warp, group, quantum)
    }

    #[inline(always)]
    fn run_instructions(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        let ctx = self.ctx;
        let program = ctx.program();
        let Some(block) = self.block(slot) else { return Ok(Stop::Gone) };
        let (shared, shared_bytes, id) = (block.shared(), block.shared_bytes, block.id);
        let code = program.code.as_slice();
        let start = *quantum;
        let mut left = start;
        let mut threads = 0u64;
        let mut stop_pc = next_pc(warp, group);
        let mut mask = warp.groups[group].mask;
        let mut width = u64::from(mask.count_ones());
        let mut skipped = Skipped::default();
        let mut run = Run {
            group,
            slot,
            block: id,
            files: [std::ptr::null_mut(); 4],
            frame: warp.groups[group].frame,
            local: std::ptr::null_mut(),
            stride: 0,
            shared,
            shared_bytes,
            pc: warp.groups[group].pc,
            polled: warp.groups[group].polled,
            pause: warp.groups[group].pause,
            warp,
        };
        run.files[2] = program.consts.as_ptr().cast_mut().cast();
        run.refresh();
        self.converges(&mut run, mask);
        let result = loop {
            if left == 0 {
                break Ok(Stop::Quantum);
            }
            left -= 1;
            // SAFETY: every path through a lowered function ends in `Exit` or `Ret`, and all branch targets
            // are inside the program.
            let inst = unsafe { code.get_unchecked(run.pc as usize) };
            let mut active = mask;
            if inst.guard != NO_GUARD {
                let offset = (inst.guard & !GUARD_NEGATED) as usize;
                // SAFETY: guards are predicates of the frame.
                let p = unsafe { run.files[3].add(offset).cast::<u32>().read() };
                active &= if inst.guard & GUARD_NEGATED != 0 { !p } else { p };
                if active == 0 {
                    run.pc += 1;
                    if run.pc >= stop_pc
                        && !self.rejoins(&mut run, &mut skipped, &mut mask, &mut width, &mut stop_pc)
                    {
                        break Ok(Stop::Groups);
                    }
                    continue;
                }
            }
            threads += if active == mask { width } else { u64::from(active.count_ones()) };
            match inst.code {
                Code::Alu { f, d, a, b, c, x } => {
                    // SAFETY: lowering chose the function for rows of these files; NO_ROW occurs only for
                    // operands that the function ignores.
                    unsafe { f(run.row(d), run.row(a), run.row(b), run.row(c), x, active) };
                }
                Code::Skip { target } if active != mask && self.skips() => {
                    skipped = Skipped { lanes: active, target, stop_pc };
                    mask &= !active;
                    width = u64::from(mask.count_ones());
                    stop_pc = stop_pc.min(target);
                    self.converges(&mut run, mask);
                }
                Code::Bra { target } | Code::Skip { target } => {
                    if active == mask {
                        let back = target <= run.pc;
                        run.pc = target;
                        if back {
                            if let Some(stop) = self.turn(&mut run) {
                                break Ok(stop);
                            }
                            // A group ahead of the others may branch back to one of them.
                            if run.warp.groups.len() > 1 && meets(&run) {
                                break Ok(Stop::Groups);
                            }
                        }
                        if run.pc >= stop_pc {
                            break Ok(Stop::Groups);
                        }
                        continue;
                    }
                    let fall = run.pc + 1;
                    split(&mut run, active, target);
                    run.pc = fall;
                    if target < fall
                        && let Some(stop) = self.turn(&mut run)
                    {
                        break Ok(stop);
                    }
                    break Ok(Stop::Groups);
                }
                Code::Load(n) => {
                    if let Err(failed) = self.load(&mut run, &program.mems[n as usize], active) {
                        break Err(failed);
                    }
                }
                Code::Store(n) => {
                    if let Err(failed) = self.store(&mut run, &program.mems[n as usize], active) {
                        break Err(failed);
                    }
                }
                Code::Eval(n) => {
                    if let Err(failed) = self.eval(&mut run, &program.evals[n as usize], active) {
                        break Err(failed);
                    }
                }
                Code::Moves(n) => moves(&mut run, &program.moves[n as usize], active),
                Code::Nop => {}
                ref code => {
                    let spent = start - left;
                    match self.special(&mut run, code, active, mask, spent) {
                        Ok(Flow::Next) => {}
                        Ok(Flow::Jump) => {
                            mask = run.warp.groups[run.group].mask;
                            width = u64::from(mask.count_ones());
                            stop_pc = next_pc(run.warp, run.group);
                            if run.pc >= stop_pc {
                                break Ok(Stop::Groups);
                            }
                            continue;
                        }
                        Ok(Flow::GiveWay) => {
                            run.pc += 1;
                            run.warp.groups[run.group].tired = true;
                            break Ok(if run.pc >= stop_pc { Stop::Groups } else { Stop::Quantum });
                        }
                        Ok(Flow::Stop(stop)) => break Ok(stop),
                        Err(failed) => break Err(failed),
                    }
                }
            }
            run.pc += 1;
            if run.pc >= stop_pc && !self.rejoins(&mut run, &mut skipped, &mut mask, &mut width, &mut stop_pc)
            {
                break Ok(Stop::Groups);
            }
        };
        let result = match result {
            Ok(_) if skipped.lanes != 0 => Ok(Stop::Groups),
            result => result,
        };
        if skipped.lanes != 0 {
            split(&mut run, skipped.lanes, skipped.target);
        }
        let pc = run.pc;
        if !matches!(result, Ok(Stop::Gone)) {
            let (polled, pause) = (run.polled, run.pause);
            let group = &mut run.warp.groups[group];
            (group.pc, group.polled, group.pause) = (pc, polled, pause);
        }
        *quantum = left;
        let executed = start - left;
        self.s.stats.warp_instructions += executed;
        self.s.stats.thread_instructions += threads;
        if let Some(block) = self.block(slot) {
            block.clock += executed;
            block.idle += executed;
        }
        result
    }

    /// Reports the lanes that run from here on.
    #[inline(always)]
    fn converges(&mut self, run: &mut Run<'_>, mask: LaneMask) {
        if self.s.observer.active() && run.warp.last_active != mask {
            run.warp.last_active = mask;
            let warp = run.name(self);
            self.s.observer.sync(&events::Sync::Converge { warp, active: mask });
        }
    }

    /// Returns whether a branch over a few instructions leaves the group whole. Then those instructions run, and
    /// behind them all lanes, which is the order of converged first; a loop is watched in groups.
    #[inline(always)]
    fn skips(&self) -> bool {
        self.s.converged_first && self.s.watch.is_none()
    }

    /// At the end of instructions that some lanes skipped, lets all lanes go on; returns false if the group has met
    /// another one.
    #[inline(always)]
    fn rejoins(
        &mut self,
        run: &mut Run<'_>,
        skipped: &mut Skipped,
        mask: &mut LaneMask,
        width: &mut u64,
        stop_pc: &mut u32,
    ) -> bool {
        if skipped.lanes == 0 || run.pc != skipped.target {
            return false;
        }
        *mask |= skipped.lanes;
        *width = u64::from(mask.count_ones());
        *stop_pc = skipped.stop_pc;
        skipped.lanes = 0;
        if run.pc >= *stop_pc {
            return false;
        }
        self.converges(run, *mask);
        true
    }

    /// Accounts for a backward branch, taken to `run.pc`.
    #[inline(always)]
    fn turn(&mut self, run: &mut Run<'_>) -> Option<Stop> {
        let group = &mut run.warp.groups[run.group];
        group.patience -= if run.polled { POLL_COST } else { 1 };
        run.polled = false;
        if let Some(watch) = &self.s.watch
            && watch.pc == run.pc
        {
            return Some(Stop::Lap);
        }
        (group.patience <= 0).then_some(Stop::Patience)
    }

    fn eval(&mut self, run: &mut Run<'_>, inst: &EvalInst, active: LaneMask) -> Result<(), Failed> {
        for lane in Lanes(active) {
            let mut sources = [0u64; 8];
            for (value, source) in sources.iter_mut().zip(&inst.sources) {
                let v = run.get(source.row, true, lane);
                *value = match source.bits {
                    64 => v,
                    bits => v & ((1 << bits) - 1),
                } ^ u64::from(source.negated);
            }
            let carry = inst.carry != NO_ROW && run.get(inst.carry, false, lane) != 0;
            let n = inst.sources.len().min(8);
            let Some(value) = crate::num::eval(&inst.op, &sources[..n], carry) else {
                let text = "an arithmetic instruction of these types".to_owned();
                return Err(self.fail(run, active, FailureKind::Unsupported { instruction: text }));
            };
            if inst.d != NO_ROW {
                let mut d = value.d;
                if inst.extend != 0 {
                    let shift = 64 - u32::from(inst.extend);
                    d = ((d << shift) as i64 >> shift) as u64;
                }
                run.set(inst.d, lane, d);
            }
            if inst.second != NO_ROW {
                run.set(inst.second, lane, value.second.into());
            }
        }
        Ok(())
    }

    /// Returns whether the group continues or yields: after a change of an awaited location, polling groups
    /// must read it before it changes again.
    fn next_or_give_way(&mut self) -> Flow {
        if std::mem::take(&mut self.s.gives_way) { Flow::GiveWay } else { Flow::Next }
    }

    /// Executes any instruction that is neither arithmetic nor a plain access.
    #[inline(never)]
    fn special(
        &mut self,
        run: &mut Run<'_>,
        code: &Code,
        active: LaneMask,
        mask: LaneMask,
        spent: u64,
    ) -> Result<Flow, Failed> {
        let program = self.ctx.program();
        // Instructions that a subset of the group's lanes may execute.
        match *code {
            Code::Sreg { d, which } => {
                self.sreg(run, d, which, active, spent);
                return Ok(Flow::Next);
            }
            _ => run.pause.busy = true,
        }
        match *code {
            Code::Atom(n) => {
                self.atom(run, &program.atoms[n as usize], active)?;
                return Ok(self.next_or_give_way());
            }
            Code::StrongStore(n) => {
                self.store(run, &program.mems[n as usize], active)?;
                return Ok(self.next_or_give_way());
            }
            Code::LocalAddress { d, offset, generic } => {
                let base = if generic { crate::program::window::LOCAL } else { 0 };
                let value = base + u64::from(run.frame.local) + u64::from(offset);
                Lanes(active).for_each(|lane| run.set(d, lane, value));
                return Ok(Flow::Next);
            }
            Code::DynamicShared { d, offset, generic } => {
                let base = if generic { crate::program::window::SHARED } else { 0 };
                let value = base + u64::from(self.ctx.dynamic_base) + u64::from(offset);
                Lanes(active).for_each(|lane| run.set(d, lane, value));
                return Ok(Flow::Next);
            }
            Code::Activemask { d } => {
                // A loop may wait for lanes to join it, which is no change of memory.
                self.watch_changed();
                Lanes(active).for_each(|lane| run.set(d, lane, active.into()));
                self.rendezvous(run, active);
                return Ok(Flow::Next);
            }
            Code::Fence(n) => {
                self.fence(run, &program.fences[n as usize], active);
                return Ok(Flow::Next);
            }
            Code::Rare(n) => {
                self.rare(run, &program.rares[n as usize], active)?;
                return Ok(Flow::Next);
            }
            Code::Nanosleep { time } => {
                let ns = Lanes(active).map(|lane| run.get(time, false, lane)).max().unwrap_or(0);
                run.polled = true;
                if let Some(block) = self.block(run.slot) {
                    block.clock += ns;
                }
                // A watched loop does not sleep, so that its turn completes at once.
                if self.s.sleeps && self.s.watch.is_none() {
                    run.warp.groups[run.group].asleep =
                        self.s.now.saturating_add(ns.saturating_mul(NANOSECOND));
                    return Ok(Flow::GiveWay);
                }
                return Ok(Flow::Next);
            }
            Code::Trap => return Err(self.fail(run, active, FailureKind::Trap)),
            Code::Unsupported(n) => {
                let instruction = program.unsupported[n as usize].clone();
                return Err(self.fail(run, active, FailureKind::Unsupported { instruction }));
            }
            Code::Async(n) => {
                let inst = &program.asyncs[n as usize];
                if let Some(mbarrier) = inst.mbarrier()
                    && self.waits_for_object(run, mbarrier, active)?
                {
                    return Ok(Flow::Stop(Stop::Wait));
                }
                self.asynchronous(run, inst, active)?;
                return Ok(Flow::Next);
            }
            Code::Exit => return self.exit(run, active, mask),
            _ => {}
        }
        // The remaining instructions concern whole groups: lanes whose guard is false continue as a group of
        // their own.
        if active != mask {
            let pc = run.pc;
            split(run, mask & !active, pc + 1);
            return Ok(Flow::Stop(Stop::Groups));
        }
        let flow = match *code {
            Code::Brx(n) => self.brx(run, &program.brxs[n as usize], mask),
            Code::Call(n) => self.call(run, &program.calls[n as usize], mask),
            Code::Ret => self.ret(run, mask),
            Code::Bar(n) => self.bar(run, &program.bars[n as usize], mask),
            Code::WarpSync { member } => self.warp_sync(run, member, mask),
            Code::Collective(n) => self.collective(run, &program.collectives[n as usize], mask),
            Code::Mbarrier(n) => self.mbarrier(run, &program.mbarriers[n as usize], mask),
            Code::Cluster(n) => self.cluster(run, program.clusters[n as usize], mask),
            _ => Ok(Flow::Next),
        };
        // Lanes with a different operand were split off, so the loop must reload the group.
        if matches!(flow, Ok(Flow::Next)) && run.warp.groups[run.group].mask != mask {
            run.pc += 1;
            return Ok(Flow::Jump);
        }
        flow
    }
}

/// Lanes of the running group that wait behind instructions that they skip.
#[derive(Default)]
struct Skipped {
    lanes: LaneMask,
    target: u32,
    /// Where the whole group meets another one.
    stop_pc: u32,
}

/// Returns the lowest program counter beyond `group`'s among the other groups that it could join.
fn next_pc(warp: &Warp, group: usize) -> u32 {
    if warp.groups.len() == 1 {
        return u32::MAX;
    }
    let this = &warp.groups[group];
    warp.groups
        .iter()
        .filter(|g| g.runnable() && g.pc > this.pc && g.frame == this.frame && g.stack == this.stack)
        .map(|g| g.pc)
        .min()
        .unwrap_or(u32::MAX)
}

fn meets(run: &Run<'_>) -> bool {
    run.warp.groups.iter().enumerate().any(|(i, g)| i != run.group && g.pc == run.pc && g.runnable())
}

/// Moves some lanes of the running group to `pc` as a group of their own.
pub(super) fn split(run: &mut Run<'_>, lanes: LaneMask, pc: u32) {
    let group = &mut run.warp.groups[run.group];
    group.mask &= !lanes;
    group.pc = run.pc;
    (group.polled, group.pause) = (run.polled, run.pause);
    let other = Group { mask: lanes, pc, ..group.clone() };
    run.warp.groups.push(other);
}

fn moves(run: &mut Run<'_>, moves: &[Move], active: LaneMask) {
    let rows = |m: &Move| m.src & FILE_MASK != FILE_PRED && m.dst & FILE_MASK != FILE_PRED;
    match moves {
        [a, b] if active == FULL && halves(run, a, b) => return,
        [a] if rows(a) => return move_rows(run, [a], active),
        [a, b] if rows(a) && rows(b) => return move_rows(run, [a, b], active),
        [a, b, c, d] if moves.iter().all(rows) => return move_rows(run, [a, b, c, d], active),
        _ => {}
    }
    for lane in Lanes(active) {
        // All sources are read first: a destination may overlap one.
        let mut values = [0u64; 32];
        for (value, m) in values.iter_mut().zip(moves) {
            let v = run.get(m.src, m.wide, lane) >> m.src_shift;
            *value = if m.bits >= 64 { v } else { v & ((1 << m.bits) - 1) };
        }
        for (value, m) in values.iter().zip(moves) {
            let old = if m.clear { 0 } else { run.get(m.dst, false, lane) };
            run.set(m.dst, lane, old | value << m.dst_shift);
        }
    }
}

/// Splits a word, or a pair of words, into its halves in all lanes, if the moves amount to that; returns
/// false otherwise.
fn halves(run: &Run<'_>, a: &Move, b: &Move) -> bool {
    let alike = a.src == b.src && a.bits == b.bits && a.dst_shift == 0 && b.dst_shift == 0;
    let (low, high) = if a.src_shift == 0 { (a, b) } else { (b, a) };
    let narrow = |m: &Move| m.clear && m.dst & FILE_MASK == FILE_32;
    if !alike || low.src_shift != 0 || high.src_shift != low.bits || !narrow(low) || !narrow(high) {
        return false;
    }
    let [source, low_row, high_row] = [low.src, low.dst, high.dst].map(|row| run.row(row));
    // SAFETY: the rows are the frame's, and as wide as their files say. All reads precede the writes, because
    // a destination may be the source.
    unsafe {
        match (low.src & FILE_MASK, low.bits) {
            (FILE_32, 16) => {
                let words = source.cast::<[u32; 32]>().read();
                for (i, word) in words.iter().enumerate() {
                    low_row.cast::<u32>().add(i).write(word & 0xffff);
                    high_row.cast::<u32>().add(i).write(word >> 16);
                }
            }
            (FILE_64, 32) => {
                let words = source.cast::<[u64; 32]>().read();
                for (i, &word) in words.iter().enumerate() {
                    low_row.cast::<u32>().add(i).write(word as u32);
                    high_row.cast::<u32>().add(i).write((word >> 32) as u32);
                }
            }
            _ => return false,
        }
    }
    true
}

/// Performs moves on whole rows; otherwise like [`moves`].
fn move_rows<const N: usize>(run: &mut Run<'_>, moves: [&Move; N], active: LaneMask) {
    // All sources are read first: a destination may overlap one.
    let values = moves.map(|m| {
        let src = run.row(m.src);
        let mask = if m.bits >= 64 { u64::MAX } else { (1 << m.bits) - 1 };
        // SAFETY: the row is one of the frame's or a constant, and as wide as lowering says.
        let mut values = unsafe {
            if m.src & FILE_MASK == FILE_64 || (m.src & FILE_MASK == FILE_CONST && m.wide) {
                src.cast::<[u64; 32]>().read()
            } else {
                src.cast::<[u32; 32]>().read().map(u64::from)
            }
        };
        for value in &mut values {
            *value = (*value >> m.src_shift & mask) << m.dst_shift;
        }
        values
    });
    for (mut values, m) in values.into_iter().zip(moves) {
        let dst = run.row(m.dst);
        // SAFETY: the row is one of the frame's; constants are never destinations.
        unsafe {
            if m.dst & FILE_MASK == FILE_64 {
                let dst = dst.cast::<[u64; 32]>();
                if !m.clear {
                    let old = dst.read();
                    (0..32).for_each(|lane| values[lane] |= old[lane]);
                }
                blend64(dst.cast(), values.as_ptr().cast(), active);
            } else {
                let dst = dst.cast::<[u32; 32]>();
                let mut values = values.map(|v| v as u32);
                if !m.clear {
                    let old = dst.read();
                    (0..32).for_each(|lane| values[lane] |= old[lane]);
                }
                blend32(dst.cast(), values.as_ptr().cast(), active);
            }
        }
    }
}
