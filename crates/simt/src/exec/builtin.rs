//! Functions of the device runtime: `printf`, `malloc`, `free`, `assert`.

use super::call::{argument, result};
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::builtin::printf;
use crate::conditional;
use crate::failure::FailureKind;
use crate::program::{Builtin, CallInst, Target, window};
use events::{LaneMask, Observer, Sync};
use std::sync::atomic::{AtomicU32, Ordering};

impl<O: Observer> Worker<'_, O> {
    pub(super) fn builtin(
        &mut self,
        run: &mut Run<'_>,
        builtin: Builtin,
        call: &CallInst,
        mask: LaneMask,
    ) -> Result<(), Failed> {
        let arg = |run: &Run<'_>, n: usize, lane: usize| argument(run, call.args.get(n), lane);
        // Their effects are changes of state, so a loop that contains them does not merely poll.
        self.watch_changed();
        if builtin == Builtin::Vprintf {
            return self.print(run, call, mask);
        }
        for lane in Lanes(mask) {
            let value = match builtin {
                Builtin::Vprintf => 0,
                Builtin::Malloc => {
                    let bytes = arg(run, 0, lane);
                    match self.ctx.options.heap.as_ref().and_then(|heap| heap.allocate(bytes)) {
                        Some(address) => {
                            // Pending events are judged before the allocation discards the history of its
                            // bytes.
                            self.s.observer.rest();
                            self.ctx.heap_events.alloc(address, bytes);
                            self.heap_event(run, lane, (address, bytes), false);
                            address
                        }
                        None => 0,
                    }
                }
                Builtin::Free => {
                    let address = arg(run, 0, lane);
                    if address != 0 {
                        let heap = self.ctx.options.heap.clone();
                        let bytes = heap.as_ref().and_then(|heap| heap.bytes_at(address));
                        if let Some(bytes) = bytes {
                            // The event precedes the release, after which another thread may receive the
                            // memory.
                            self.heap_event(run, lane, (address, bytes), true);
                        }
                        let freed = heap.and_then(|heap| heap.release(address));
                        let Some(bytes) = freed else {
                            return Err(self.illegal(
                                run,
                                address,
                                1 << lane,
                                1,
                                true,
                                "free of no device allocation",
                            ));
                        };
                        self.ctx.heap_events.free(address, bytes);
                    }
                    0
                }
                Builtin::SetConditional => {
                    let (handle, value) = (arg(run, 0, lane), arg(run, 1, lane) as u32);
                    self.set_conditional(run, handle, value, lane)?;
                    0
                }
                Builtin::Device(device) => self.device_call(run, device, call, lane)?,
                Builtin::AssertFail => return Err(self.assertion(run, call, mask, lane)?),
            };
            result(run, call.returns.first(), lane, value);
        }
        Ok(())
    }

    fn heap_event(&mut self, run: &Run<'_>, lane: usize, (address, bytes): (u64, u64), free: bool) {
        if self.s.observer.active() {
            let (warp, site) = (run.name(self), self.event_site(run.pc));
            self.s.observer.sync(&Sync::Heap { warp, site, lane: lane as u8, address, bytes, free });
        }
    }

    /// Executes `vprintf(format, arguments)`, lane by lane.
    fn print(&mut self, run: &mut Run<'_>, call: &CallInst, mask: LaneMask) -> Result<(), Failed> {
        let mut printer = std::mem::take(&mut self.s.printer);
        printer.said.clear();
        let done = self.print_to(&mut printer, run, call, mask);
        self.ctx.host.print(printer.said.as_bytes());
        self.s.printer = printer;
        done
    }

    fn print_to(
        &mut self,
        printer: &mut printf::Printer,
        run: &mut Run<'_>,
        call: &CallInst,
        mask: LaneMask,
    ) -> Result<(), Failed> {
        // The lanes' format is nearly always the same, and is read once; so are the strings.
        let mut known = None;
        let mut strings: Vec<(u64, Vec<u8>)> = Vec::new();
        for lane in Lanes(mask) {
            let [address, buffer] = [0, 1].map(|n| argument(run, call.args.get(n), lane));
            if known != Some(address) {
                printer.format.set(self.text(run, lane, address)?);
                printer.before.clear();
                known = Some(address);
            }
            let printf::Printer { said, format, arguments, before } = &mut *printer;
            arguments.resize(format.room, 0);
            if let Some(from) = own_buffer(run, buffer, format.room as u64, lane) {
                // SAFETY: `own_buffer` found all of the arguments in the lane's local memory, which only this
                // thread accesses.
                let from = unsafe { std::slice::from_raw_parts(from, format.room) };
                arguments.copy_from_slice(from);
            } else {
                self.read(run, lane, buffer, arguments)?;
            }
            if !format.texts.is_empty() {
                // Local memory has the same address in every thread, so its strings are not cached.
                strings.retain(|(at, _)| at >> window::SHIFT == 0);
            }
            for &at in &format.texts {
                let at = printf::read(arguments, at, 8);
                if !strings.iter().any(|(known, _)| *known == at) {
                    let text = if at == 0 { b"(null)".to_vec() } else { self.text(run, lane, at)? };
                    strings.push((at, text));
                }
            }
            let text = |at| strings.iter().find(|(known, _)| *known == at).map_or(&[][..], |(_, text)| text);
            let count = format.print(said, before, arguments, text);
            result(run, call.returns.first(), lane, count.into());
        }
        Ok(())
    }

    /// Executes `cudaGraphSetConditional(handle, value)`.
    fn set_conditional(&mut self, run: &Run<'_>, handle: u64, value: u32, lane: usize) -> Result<(), Failed> {
        let handle = self.ctx.memory.cell(handle);
        let cell = self.image_object::<{ conditional::BYTES }>(handle);
        if cell.and_then(|cell| conditional::decode(&cell)).is_none() {
            let why = format!("{handle:#x} is no handle of a conditional graph node");
            return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
        }
        if let Some(region) = self.ctx.memory.find(handle) {
            let at = region.host.wrapping_add((handle - region.base) as usize + conditional::VALUE);
            // SAFETY: the cell was decoded at this address, and the region is mapped by `crate::memory`'s
            // invariant. Memory that is not a Rust object may be viewed as atomics; cells are aligned.
            unsafe { AtomicU32::from_ptr(at.cast()) }.store(value, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Executes `__assertfail(message, file, line, function, charsize)`: prints CUDA's message for every
    /// lane.
    fn assertion(
        &mut self,
        run: &mut Run<'_>,
        call: &CallInst,
        mask: LaneMask,
        first: usize,
    ) -> Result<Failed, Failed> {
        let block = self.ctx.launch.grid.coordinates(u64::from(run.block.0));
        let mut message = String::new();
        for lane in Lanes(mask) {
            let arg = |n: usize| argument(run, call.args.get(n), lane);
            let (what, file, line, function) = (arg(0), arg(1), arg(2) as u32, arg(3));
            let mut text = |address: u64| -> Result<String, Failed> {
                Ok(String::from_utf8_lossy(&self.text(run, lane, address)?).into_owned())
            };
            let (what, file, function) = (text(what)?, text(file)?, text(function)?);
            let [x, y, z] = run.warp.tid.map(|t| t[lane]);
            let said = format!(
                "{file}:{line}: {function}: block: [{},{},{}], thread: [{x},{y},{z}] Assertion `{what}` failed.\n",
                block.x, block.y, block.z
            );
            self.ctx.host.print(said.as_bytes());
            if lane == first {
                message = what;
            }
        }
        Ok(self.fail(run, mask, FailureKind::Assert { message }))
    }

    /// Reads a zero-terminated string in generic memory.
    fn text(&mut self, run: &Run<'_>, lane: usize, address: u64) -> Result<Vec<u8>, Failed> {
        const LONGEST: u64 = 1 << 20;
        let mut out = Vec::new();
        // Literals and constants lie in global memory and usually end in the same region.
        if address >> window::SHIFT == 0
            && let Some((p, left, true)) = self.region(address)
        {
            for at in 0..left.min(LONGEST) as usize {
                // SAFETY: the region is mapped by `crate::memory`'s invariant and has `left` bytes from
                // there.
                match unsafe { p.add(at).read() } {
                    0 => return Ok(out),
                    byte => out.push(byte),
                }
            }
            out.clear();
        }
        for at in 0..LONGEST {
            let byte = self.byte(run, lane, address.wrapping_add(at))?;
            if byte == 0 {
                break;
            }
            out.push(byte);
        }
        Ok(out)
    }

    fn byte(&mut self, run: &Run<'_>, lane: usize, address: u64) -> Result<u8, Failed> {
        Ok(self.bytes::<1>(run, lane, address)?[0])
    }

    /// Reads arguments of `printf`, which are usually aligned to four bytes.
    fn read(&mut self, run: &Run<'_>, lane: usize, address: u64, out: &mut [u8]) -> Result<(), Failed> {
        for (i, out) in out.chunks_mut(4).enumerate() {
            let address = address.wrapping_add(4 * i as u64);
            match out.first_chunk_mut::<4>() {
                Some(out) if address.is_multiple_of(4) => *out = self.bytes(run, lane, address)?,
                _ => {
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = self.byte(run, lane, address.wrapping_add(i as u64))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads `N` bytes at an address that is a multiple of `N`.
    fn bytes<const N: usize>(&mut self, run: &Run<'_>, lane: usize, address: u64) -> Result<[u8; N], Failed> {
        if let Some(place) = self.find_one(run, Target::Generic, address, N as u64, lane, false) {
            // SAFETY: `find_one` checked the address.
            return Ok(unsafe { place.host.cast::<[u8; N]>().read_unaligned() });
        }
        let mut addresses = [address; 32];
        let part = self.place(run, Target::Generic, &mut addresses, 1 << lane, N as u64, false)?;
        // SAFETY: `place` checked the address.
        Ok(unsafe { part.host(addresses[lane]).cast::<[u8; N]>().read_unaligned() })
    }
}

/// Returns the host address of a buffer of `bytes` bytes in a lane's local memory, where nvcc places the
/// arguments of `printf`.
fn own_buffer(run: &Run<'_>, address: u64, bytes: u64, lane: usize) -> Option<*const u8> {
    let inside = address & window::OFFSET;
    let limit = u64::from(run.frame.local_top.max(run.stride)).checked_sub(bytes)?;
    let own = address >> window::SHIFT == 2 && inside <= limit;
    own.then(|| run.local.wrapping_add(inside as usize + lane * run.stride as usize).cast_const())
}
