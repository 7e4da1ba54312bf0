//! Loads and atomic operations that are performed late under schedule `weak`, see [`weak::postpone`].
//!
//! A lane passes such an instruction without a value in its registers. The access is performed before the
//! lane's next instruction that names one of these registers, and before any instruction but arithmetic,
//! memory accesses, fences and branches.

use super::atomic::truncate;
use super::copied::Copied;
use super::data::{extended, read, write};
use super::warp::Warp;
use super::{Failed, Stop, Worker};
use crate::num::rmw;
use crate::program::{Address, AtomInst, Code, EvalInst, FILE_64, FILE_MASK, MemInst, NO_ROW, Program, Row};
use events::{BlockId, Observer};
use ptx::ast::ScalarType;
use ptx::op::Rmw;
use weak::{Memory, Next, Ticket};

/// The weak memory of a launch, and the accesses that are late.
pub(crate) struct Weak {
    pub memory: Memory,
    late: Vec<Late>,
    pub(super) copies: Vec<Copied>,
}

/// The effect of an access on its location.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Load(Box<MemInst>),
    Atom { op: Rmw, ty: ScalarType, b: u64, c: u64, flush: bool },
}

/// A scalar access of one lane.
#[derive(Clone, Debug)]
pub(super) struct Late {
    pub block: BlockId,
    pub warp: u16,
    pub lane: usize,
    /// The destination, or `NO_ROW`.
    pub row: Row,
    /// The host address, which stays valid until the lane exits or the memory is freed.
    pub host: usize,
    pub bytes: u8,
    pub effect: Effect,
    pub ticket: Ticket,
    /// The destination's value; `None` as long as the access has not been performed.
    pub value: Option<u64>,
}

impl Effect {
    /// Returns the value that an atomic operation stores; `None` if its type is not supported.
    pub(super) fn changed(&self, old: u64, bytes: u8) -> Option<u64> {
        match *self {
            Effect::Load(_) => Some(old),
            Effect::Atom { op, ty, b, c, flush } => {
                rmw::apply(op, ty, old, b, c, flush).map(|value| truncate(value, bytes))
            }
        }
    }
}

impl Weak {
    pub(crate) fn new(memory: Memory) -> Weak {
        Weak { memory, late: Vec::new(), copies: Vec::new() }
    }

    pub(super) fn pass(&mut self, late: Late) {
        self.late.push(late);
    }

    /// Performs the late accesses that come before an operation.
    pub(super) fn perform_before(&mut self, next: Next<'_>) {
        while let Some(ticket) = self.memory.due(next) {
            match self.late.iter().position(|late| late.ticket == ticket) {
                Some(at) => self.perform(at),
                None => return,
            }
        }
    }

    fn perform(&mut self, at: usize) {
        if self.late[at].value.is_some() {
            return;
        }
        self.perform_before(Next::Late(self.late[at].ticket));
        let Late { host, bytes, ref effect, ticket, .. } = self.late[at];
        let host = std::ptr::with_exposed_provenance_mut::<u8>(host);
        // SAFETY: `place` checked the address range when the lane passed the instruction, and whatever frees
        // memory is a synchronisation before which all late accesses are performed.
        let there = unsafe { read(host, bytes) };
        let value = match *effect {
            Effect::Load(ref inst) => {
                self.memory.read_late(ticket, there).map_or(there, |value| extended(inst, value))
            }
            Effect::Atom { .. } => {
                let change = |old| effect.changed(old, bytes);
                let done = self.memory.update_late(ticket, there, change);
                if let Some(done) = done {
                    // SAFETY: as above.
                    unsafe { write(host, bytes, done.newest) };
                }
                done.map_or(there, |done| done.old)
            }
        };
        self.late[at].value = Some(value);
    }

    /// Performs the late accesses of a group that its next instruction requires, and sets their registers.
    fn settle(&mut self, program: &Program, block: BlockId, warp: &mut Warp, group: usize) {
        let (frame, mask, pc) = (warp.groups[group].frame, warp.groups[group].mask, warp.groups[group].pc);
        let code = &program.code[pc as usize].code;
        let name = (block, warp.index);
        let mine = |late: &Late| (late.block, late.warp) == name && mask >> late.lane & 1 != 0;
        while let Some(at) = self.late.iter().position(|late| mine(late) && requires(program, code, late.row))
        {
            self.perform(at);
            let Late { lane, row, value, .. } = self.late.remove(at);
            if let (Some(value), true) = (value, row != NO_ROW) {
                let [r32, r64, _] = warp.bases(&frame);
                let offset = (row & !FILE_MASK) as usize;
                // SAFETY: the row is a destination of the frame's function, as in `Run::set`.
                unsafe {
                    match row & FILE_MASK {
                        FILE_64 => r64.add(offset).cast::<u64>().add(lane).write(value),
                        _ => r32.add(offset).cast::<u32>().add(lane).write(value as u32),
                    }
                }
            }
        }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Runs one group for at most `quantum` instructions, and subtracts the number that ran.
    pub(crate) fn run_group(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        match self.s.observer.weak {
            Some(_) => self.run_weakly(slot, warp, group, quantum),
            None => self.run_here(slot, warp, group, quantum),
        }
    }

    /// Runs one group under schedule `weak`.
    #[cold]
    fn run_weakly(
        &mut self,
        slot: u32,
        warp: &mut Warp,
        group: usize,
        quantum: &mut u64,
    ) -> Result<Stop, Failed> {
        loop {
            if let Some(block) = self.block(slot).map(|block| block.id)
                && let Some(weak) = &mut self.s.observer.weak
            {
                weak.settle(self.ctx.program(), block, warp, group);
            }
            let mut one = 1.min(*quantum);
            let given = one;
            let stop = self.run_here(slot, warp, group, &mut one)?;
            *quantum -= given - one;
            if stop != Stop::Quantum || *quantum == 0 || given == one || warp.groups[group].tired {
                return Ok(stop);
            }
        }
    }
}

/// Returns whether an instruction reads or writes the row, or waits for all late accesses of its lanes.
fn requires(program: &Program, code: &Code, row: Row) -> bool {
    let address = |address: &Address| address.row == row;
    let is = |other: &Row| *other == row;
    match *code {
        Code::Alu { d, a, b, c, .. } => [d, a, b, c].contains(&row),
        Code::Load(n) | Code::Store(n) | Code::StrongStore(n) => {
            let MemInst { address: at, rows, .. } = &program.mems[n as usize];
            address(at) || rows.iter().any(is)
        }
        Code::Atom(n) => {
            let AtomInst { address: at, d, b, c, .. } = &program.atoms[n as usize];
            address(at) || d.iter().chain(b).chain(c).any(is)
        }
        Code::Eval(n) => {
            let EvalInst { sources, d, second, carry, .. } = &program.evals[n as usize];
            [*d, *second, *carry].contains(&row) || sources.iter().any(|source| source.row == row)
        }
        Code::Moves(n) => program.moves[n as usize].iter().any(|m| m.src == row || m.dst == row),
        Code::Sreg { d, .. } | Code::LocalAddress { d, .. } | Code::DynamicShared { d, .. } => d == row,
        Code::Fence(_) | Code::Nop | Code::Bra { .. } | Code::Skip { .. } => false,
        _ => true,
    }
}
