//! The choice of the running group in a warp, and of the running warp in a block.

use super::spin::{Ends, Watch};
use super::{Failed, Stop, Worker, lap};
use crate::exec::frame::Registers;
use crate::exec::warp::{Group, PATIENCE, POLL_COST, Wait, Warp};
use events::Observer;

/// The number of consecutive watched turns after which a loop that polls in vain counts as waiting, though it
/// may end on its own.
const FUTILE: u32 = 64;

/// The number of turns that a woken polling loop runs before it is watched again.
const POLLS: i32 = 4;

/// The largest number of instructions from the wake-up of a loop to its next read of the polled memory.
const LONGEST_LOOK: u64 = 256;

/// The largest number of instructions in a watched turn of a loop.
const LONGEST_TURN: u64 = 10_000;

/// The reason why a warp or block stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The fuel is used up.
    Fuel,
    /// No group in it can run.
    Blocked,
    /// It has looped long enough to let others run.
    Tired,
    /// Barriers of its block must be checked for completion.
    Check,
    /// All its threads have exited.
    Done,
}

impl<O: Observer> Worker<'_, O> {
    /// Runs a warp, converged first: repeatedly chooses, among its runnable groups, the one with the deepest
    /// call stack, then the lowest program counter, until none can run.
    pub(crate) fn run_warp(&mut self, slot: u32, warp: &mut Warp, fuel: &mut u64) -> Result<Turn, Failed> {
        loop {
            if self.s.check != 0 {
                return Ok(Turn::Check);
            }
            if *fuel == 0 {
                return Ok(Turn::Fuel);
            }
            let Some(group) = choose(warp) else {
                let mut rested = false;
                for group in warp.groups.iter_mut().filter(|g| g.runnable()) {
                    group.tired = false;
                    rested = true;
                }
                return Ok(match (rested, warp.groups.is_empty()) {
                    (true, _) => Turn::Tired,
                    (false, true) => Turn::Done,
                    (false, false) => Turn::Blocked,
                });
            };
            self.step(slot, warp, group, fuel)?;
        }
    }

    /// Runs one group until it stops, and handles the reason.
    pub(crate) fn step(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        let waits = warp.groups[group].futile > 0;
        let before = self.s.stats.warp_instructions;
        let looks = std::mem::take(&mut warp.groups[group].looks) && self.s.converged_first;
        let result = match looks {
            true => self.look(slot, warp, group, quantum),
            false => self.step_and_watch(slot, warp, group, quantum),
        };
        if waits {
            self.s.stats.waiting_instructions += self.s.stats.warp_instructions - before;
        }
        result
    }

    /// Runs a woken group until it has read the memory that it waited for. All groups that wait for one
    /// location do so before one of them continues, since that one might change the location again, and the
    /// others would acquire more than the change they waited for.
    fn look(&mut self, slot: u32, warp: &mut Warp, group: usize, quantum: &mut u64) -> Result<Stop, Failed> {
        for _ in 0..LONGEST_LOOK.min(*quantum) {
            let mut one = 1;
            let stop = self.run_group(slot, warp, group, &mut one)?;
            *quantum -= 1 - one;
            if stop == Stop::Groups {
                warp.merge();
            }
            let Some(g) = warp.groups.get_mut(group).filter(|_| stop == Stop::Quantum) else {
                return Ok(stop);
            };
            g.tired |= g.polled;
            if g.tired {
                break;
            }
        }
        Ok(Stop::Quantum)
    }

    fn step_and_watch(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        let stop = self.run_to_stop(slot, warp, group, quantum)?;
        match stop {
            Stop::Patience => {
                let registers = self.registers_of(warp, group);
                let g = &mut warp.groups[group];
                g.patience = PATIENCE;
                // Watches the next turn at once.
                let (pc, frame, again) = (g.pc, g.frame, g.futile > 0);
                self.s.watch = Some(Box::new(Watch::new(pc, frame, registers, again)));
                // Runs a whole turn, however short the quantum is.
                let mut turn = LONGEST_TURN;
                let again = if again {
                    self.run_traced(slot, warp, group, &mut turn)
                } else {
                    self.run_to_stop(slot, warp, group, &mut turn)
                };
                *quantum = quantum.saturating_sub(LONGEST_TURN - turn);
                let watch = self.s.watch.take();
                match again {
                    Ok(Stop::Lap) => {
                        if let Some(watch) = watch {
                            self.judge(slot, warp, group, *watch);
                        }
                    }
                    Ok(Stop::Groups) => {
                        if let Some(g) = warp.groups.get_mut(group) {
                            g.tired = true;
                        }
                        warp.merge();
                    }
                    // A loop that contains a barrier also yields from time to time.
                    Ok(Stop::Patience | Stop::Quantum | Stop::Wait) => warp.groups[group].tired = true,
                    Ok(_) => {}
                    Err(failed) => return Err(failed),
                }
            }
            Stop::Groups => {
                warp.merge();
            }
            Stop::Quantum | Stop::Wait | Stop::Gone | Stop::Lap => {}
        }
        Ok(stop)
    }

    /// Runs a group at most up to the next instruction at which the policy must choose; otherwise like
    /// `run_group`.
    #[inline]
    fn run_to_stop(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        if self.s.stops.is_empty() {
            return self.run_group(slot, warp, group, quantum);
        }
        while *quantum > 0 {
            let mut one = 1;
            let stop = self.run_group(slot, warp, group, &mut one)?;
            *quantum -= 1 - one;
            let next = warp.groups.get(group).and_then(|g| self.site(g.pc));
            if stop != Stop::Quantum || next.is_some_and(|site| self.s.stops.contains(&site)) {
                return Ok(stop);
            }
        }
        Ok(Stop::Quantum)
    }

    /// Runs a group and records the instructions of the watched turn; otherwise like `run_to_stop`.
    fn run_traced(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        while *quantum > 0 {
            let pc = warp.groups.get(group).map_or(0, |g| g.pc);
            if let Some(trace) = self.s.watch.as_mut().and_then(|watch| watch.trace.as_mut()) {
                trace.push(pc);
            }
            let mut one = 1;
            let stop = self.run_group(slot, warp, group, &mut one)?;
            *quantum -= 1 - one;
            let next = warp.groups.get(group).and_then(|g| self.site(g.pc));
            if stop != Stop::Quantum || next.is_some_and(|site| self.s.stops.contains(&site)) {
                return Ok(stop);
            }
        }
        Ok(Stop::Quantum)
    }

    /// Decides from a completed watched turn whether the loop waits.
    fn judge(&mut self, slot: u32, warp: &mut Warp, group: usize, watch: Watch) {
        let now = self.registers_of(warp, group);
        let g = &mut warp.groups[group];
        g.tired = true;
        let same = !watch.timed && !watch.private && watch.registers.same(&now, g.mask);
        // A loop that reads no memory does not wait for any: it computes, or lets time pass.
        if !watch.idle() || g.frame != watch.frame || !(watch.polls() || same) {
            g.futile = 0;
            return;
        }
        let places = watch.places();
        if g.futile == 0 || g.polls != places {
            (g.futile, g.polls) = (0, places);
            if let Some(block) = self.block(slot) {
                block.waited = 0;
            }
        }
        if self.s.converged_first {
            self.s.awaited.add(&watch);
        }
        g.futile += 1;
        let ends = match same {
            true => Ends::Never,
            false => lap::ends(self.ctx.program(), &watch, &now, g.mask),
        };
        if ends != Ends::Perhaps || g.futile > FUTILE {
            g.wait = Wait::Spin(Box::new(watch.into_spin(ends)));
        } else {
            g.looks = true;
        }
    }

    fn registers_of(&self, warp: &Warp, group: usize) -> Registers {
        let g = &warp.groups[group];
        warp.registers(&g.frame, &self.ctx.program().functions[g.frame.function as usize])
    }

    /// Runs a block until none of its groups can run, or all have had their turn.
    pub(crate) fn run_block(&mut self, slot: u32, fuel: &mut u64) -> Result<Turn, Failed> {
        let mut ever = false;
        loop {
            let (mut ran, mut tired) = (false, false);
            let Some(block) = self.block(slot) else { return Ok(Turn::Done) };
            if block.alive == 0 {
                return Ok(Turn::Done);
            }
            let (n, first) = (block.warps.len(), block.next_warp);
            for k in 0..n {
                let w = (first + k) % n;
                let Some(mut warp) = self.take_ready(slot, w) else { continue };
                let turn = self.run_warp(slot, &mut warp, fuel);
                if let Some(block) = self.block(slot) {
                    block.warps[w] = Some(warp);
                }
                let turn = turn?;
                ran = true;
                tired |= turn == Turn::Tired;
                if self.s.check != 0 {
                    self.check_barriers(slot);
                }
                if turn == Turn::Fuel || *fuel == 0 {
                    if let Some(block) = self.block(slot) {
                        block.next_warp = w;
                    }
                    return Ok(Turn::Fuel);
                }
            }
            if !ran {
                // The block's progress may have made other groups runnable.
                return Ok(if ever { Turn::Tired } else { Turn::Blocked });
            }
            ever = true;
            if tired {
                return Ok(Turn::Tired);
            }
        }
    }

    /// Takes a warp out of its block if one of its groups can run.
    pub(crate) fn take_ready(&mut self, slot: u32, w: usize) -> Option<Box<Warp>> {
        self.wake(slot, w);
        let warp = self.block(slot)?.warps.get_mut(w)?;
        if warp.as_ref()?.groups.iter().any(|g| g.runnable()) { warp.take() } else { None }
    }

    /// Wakes groups whose wait has ended for reasons outside the warp.
    pub(super) fn wake(&mut self, slot: u32, w: usize) {
        let Some(warp) = self.block(slot).and_then(|b| b.warps.get_mut(w)).and_then(|w| w.as_mut()) else {
            return;
        };
        let (mut remote, mut object, mut products, mut tensor, mut woken) = (false, false, false, false, 0);
        for group in &mut warp.groups {
            match &group.wait {
                Wait::Spin(spin) if spin.wakes() => {
                    resume(group);
                    group.looks = true;
                    woken |= group.mask;
                }
                Wait::ClusterBarrier { .. } => remote = true,
                Wait::Object { .. } => object = true,
                Wait::Warpgroup { .. } => products = true,
                Wait::Tensor { .. } => tensor = true,
                _ => {}
            }
        }
        // Woken groups read their memory before other groups of the warp continue.
        if woken != 0 {
            warp.groups.iter_mut().filter(|g| g.mask & woken == 0).for_each(|g| g.tired = true);
        }
        if object {
            self.wake_at_objects(slot, w);
        }
        if products {
            self.wake_at_warpgroup(slot, w);
        }
        if tensor {
            self.wake_at_tensor_memory(slot, w);
        }
        if remote {
            self.wake_remote(slot, w);
        }
    }
}

/// Makes a group runnable with full patience.
pub(crate) fn rouse(group: &mut Group) {
    group.wait = Wait::No;
    group.patience = PATIENCE;
    group.tired = false;
    group.futile = 0;
}

/// Wakes a waiting loop with little patience: if it still polls in vain, it waits again soon.
pub(crate) fn resume(group: &mut Group) {
    group.wait = Wait::No;
    group.patience = POLLS * POLL_COST;
    group.tired = false;
}

fn choose(warp: &Warp) -> Option<usize> {
    if let [only] = warp.groups.as_slice() {
        return (only.runnable() && !only.tired).then_some(0);
    }
    warp.groups
        .iter()
        .enumerate()
        .filter(|(_, g)| g.runnable() && !g.tired)
        .min_by_key(|(_, g)| (usize::MAX - g.stack.len(), g.pc))
        .map(|(i, _)| i)
}
