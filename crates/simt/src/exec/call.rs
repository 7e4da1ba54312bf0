//! Calls, returns, and indexed branches.

use super::flow::Flow;
use super::lanes::alike32;
use super::run::split;
use super::{Failed, Run, Stop, Worker};
use crate::alu::row::Lanes;
use crate::exec::frame::{Frame, Return};
use crate::failure::FailureKind;
use crate::program::{BrxInst, CallInst, CallTarget, FILE_32, FILE_CONST, FILE_MASK, Row, Slot, window};
use events::{LaneMask, Observer};

/// The call depth beyond which the kernel fails with a stack overflow.
const MAX_DEPTH: usize = 10_000;

impl<O: Observer> Worker<'_, O> {
    /// Returns the operand's value in the first lane. Lanes with another value are removed from `mask` and
    /// continue as a group of their own at the same instruction.
    pub(super) fn uniform(&self, run: &mut Run<'_>, row: Row, wide: bool, mask: &mut LaneMask) -> u64 {
        let first = mask.trailing_zeros() as usize & 31;
        let value = run.get(row, wide, first);
        let alike = match row & FILE_MASK {
            FILE_CONST => true,
            // SAFETY: the row is one of the frame's.
            FILE_32 => alike32(unsafe { &*run.row(row).cast() }, *mask),
            _ => false,
        };
        if alike {
            return value;
        }
        let others =
            Lanes(*mask).filter(|&lane| run.get(row, wide, lane) != value).fold(0, |m, lane| m | 1 << lane);
        if others != 0 {
            let pc = run.pc;
            split(run, others, pc);
            *mask &= !others;
        }
        value
    }

    pub(super) fn brx(
        &mut self,
        run: &mut Run<'_>,
        inst: &BrxInst,
        mut mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let index = self.uniform(run, inst.index, false, &mut mask);
        let Some(&target) = inst.targets.get(index as usize) else {
            let why = format!("branch index {index} in a table of {}", inst.targets.len());
            return Err(self.fail(run, mask, FailureKind::IllegalInstruction { why }));
        };
        run.pc = target;
        Ok(Flow::Jump)
    }

    pub(super) fn call(
        &mut self,
        run: &mut Run<'_>,
        inst: &CallInst,
        mut mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let program = self.ctx.program();
        let callee = match &inst.target {
            CallTarget::Function(index) => *index,
            CallTarget::Indirect(row) => {
                let address = self.uniform(run, *row, true, &mut mask);
                let index = address ^ window::FUNCTION;
                if index >= program.functions.len() as u64 {
                    let why = format!("call of {address:#x}, which is no function");
                    return Err(self.fail(run, mask, FailureKind::IllegalInstruction { why }));
                }
                index as u32
            }
            CallTarget::Builtin(builtin) => {
                self.builtin(run, *builtin, inst, mask)?;
                return Ok(Flow::Next);
            }
            CallTarget::Undefined(name) => {
                let instruction = match ptx::feature(name) {
                    Some(feature) => format!("call of {name} ({feature} are not implemented)"),
                    None => format!("call of {name}, which is not defined"),
                };
                return Err(self.fail(run, mask, FailureKind::Unsupported { instruction }));
            }
        };
        let function = &program.functions[callee as usize];
        let caller = run.frame;
        let here = &program.functions[caller.function as usize];
        let local = caller.local_top.next_multiple_of(16);
        let frame = Frame {
            r32: caller.r32 + here.bytes_32,
            r64: caller.r64 + here.bytes_64,
            pred: caller.pred + here.bytes_pred,
            local,
            local_top: local.saturating_add(function.frame_bytes),
            function: callee,
        };
        let depth = run.warp.groups[run.group].stack.len();
        if frame.local_top > self.ctx.options.stack_limit || depth >= MAX_DEPTH {
            let bytes = frame.local_top.into();
            return Err(self.fail(run, mask, FailureKind::StackOverflow { bytes }));
        }
        run.warp.reserve(&frame, function);
        for (from, to) in inst.args.iter().zip(&function.params) {
            copy(run, &caller, from, &frame, to, mask);
        }
        let group = &mut run.warp.groups[run.group];
        group.stack.push(Return { call: run.pc, frame: caller });
        group.frame = frame;
        group.pc = function.entry;
        run.frame = frame;
        run.pc = function.entry;
        run.refresh();
        // Groups with deeper calls run first, so that shallower groups wait for them.
        let alone = run.warp.groups.len() == 1;
        Ok(if alone { Flow::Jump } else { Flow::Stop(Stop::Groups) })
    }

    pub(super) fn ret(&mut self, run: &mut Run<'_>, mask: LaneMask) -> Result<Flow, Failed> {
        let program = self.ctx.program();
        let Some(back) = run.warp.groups[run.group].stack.pop() else {
            return self.exit(run, mask, mask);
        };
        let callee = run.frame;
        let Some(crate::program::Code::Call(n)) = program.code.get(back.call as usize).map(|i| &i.code)
        else {
            return self.exit(run, mask, mask);
        };
        let call = &program.calls[*n as usize];
        let function = &program.functions[callee.function as usize];
        for (from, to) in function.returns.iter().zip(&call.returns) {
            copy(run, &callee, from, &back.frame, to, mask);
        }
        run.pc = back.call + 1;
        run.frame = back.frame;
        run.refresh();
        let pc = run.pc;
        let group = &mut run.warp.groups[run.group];
        group.frame = back.frame;
        group.pc = pc;
        let alone = run.warp.groups.len() == 1;
        Ok(if alone { Flow::Jump } else { Flow::Stop(Stop::Groups) })
    }
}

/// Copies an argument or result between two frames of a warp.
fn copy(run: &mut Run<'_>, from: &Frame, src: &Slot, to: &Frame, dst: &Slot, mask: LaneMask) {
    let consts = run.files[2];
    let files = |run: &mut Run<'_>, frame: &Frame| {
        let [r32, r64, preds] = run.warp.bases(frame);
        [r32, r64, consts, preds]
    };
    let (src_files, dst_files) = (files(run, from), files(run, to));
    let (local, stride) = run.warp.local();
    run.local = local;
    run.stride = stride;
    let saved = run.files;
    for lane in Lanes(mask) {
        let lane_local = local.wrapping_add(lane * stride as usize);
        match (src, dst) {
            (Slot::Frame { offset: a, bytes: n }, Slot::Frame { offset: b, bytes: m }) => {
                let n = (*n).min(*m) as usize;
                // SAFETY: both ranges lie in the lane's local memory, which `Warp::reserve` sized for both
                // frames; frames do not overlap.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        lane_local.add((from.local + a) as usize),
                        lane_local.add((to.local + b) as usize),
                        n,
                    );
                }
            }
            (Slot::Row { row, .. }, Slot::Frame { offset, bytes }) => {
                run.files = src_files;
                let value = run.get(*row, *bytes == 8, lane).to_le_bytes();
                let n = (*bytes as usize).min(8);
                // SAFETY: the slot lies in the lane's local memory, which `Warp::reserve` sized for the
                // frame.
                unsafe {
                    let p = lane_local.add((to.local + offset) as usize);
                    std::ptr::copy_nonoverlapping(value.as_ptr(), p, n);
                }
            }
            (Slot::Frame { offset, bytes }, Slot::Row { row, .. }) => {
                let mut value = [0u8; 8];
                // SAFETY: the slot lies in the lane's local memory, which `Warp::reserve` sized for the
                // frame.
                unsafe {
                    let p = lane_local.add((from.local + offset) as usize);
                    std::ptr::copy_nonoverlapping(p, value.as_mut_ptr(), (*bytes as usize).min(8));
                }
                run.files = dst_files;
                run.set(*row, lane, u64::from_le_bytes(value));
            }
            (Slot::Row { row: a, bytes }, Slot::Row { row: b, .. }) => {
                run.files = src_files;
                let value = run.get(*a, *bytes == 8, lane);
                run.files = dst_files;
                run.set(*b, lane, value);
            }
        }
    }
    run.files = saved;
}

/// Reads an argument of a built-in function.
pub(super) fn argument(run: &Run<'_>, slot: Option<&Slot>, lane: usize) -> u64 {
    match slot {
        Some(Slot::Row { row, bytes }) => run.get(*row, *bytes == 8, lane),
        Some(Slot::Frame { offset, bytes }) => {
            let mut value = [0u8; 8];
            let at = lane * run.stride as usize + (run.frame.local + offset) as usize;
            // SAFETY: the frame's local memory was reserved when it was entered.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    run.local.add(at),
                    value.as_mut_ptr(),
                    (*bytes as usize).min(8),
                );
            }
            u64::from_le_bytes(value)
        }
        None => 0,
    }
}

/// Writes the result of a built-in function.
pub(super) fn result(run: &mut Run<'_>, slot: Option<&Slot>, lane: usize, value: u64) {
    match slot {
        Some(Slot::Row { row, .. }) => run.set(*row, lane, value),
        Some(Slot::Frame { offset, bytes }) => {
            let at = lane * run.stride as usize + (run.frame.local + offset) as usize;
            // SAFETY: as in `argument`.
            unsafe {
                let value = value.to_le_bytes();
                std::ptr::copy_nonoverlapping(value.as_ptr(), run.local.add(at), (*bytes as usize).min(8));
            }
        }
        None => {}
    }
}
