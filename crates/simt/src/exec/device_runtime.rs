//! Calls of the device runtime: launches by threads, their streams and events, and what threads ask of the device.

use super::call::argument;
use super::{Failed, Run, Worker};
use crate::configuration;
use crate::failure::FailureKind;
use crate::launch::Launch;
use crate::nested::{Buffer, Child, MAX_DEPTH, Nesting, Rows, Stream, Work};
use crate::program::{CallInst, Slot, Target, window};
use events::written::Written;
use events::{Access, AccessKind, Dim3, Observer, Proxy, Strength, Sync, ThreadId};
use kernels::device_runtime::{DeviceCall, Move};

/// Errors of the driver's functions, which the device runtime translates to those of the runtime API.
mod error {
    pub(super) const INVALID_VALUE: u64 = 1;
    pub(super) const INVALID_DEVICE: u64 = 3;
    pub(super) const INVALID_CONFIGURATION: u64 = 7;
    /// Of the runtime API, for functions that return no error.
    pub(super) const RUNTIME_MAX_DEPTH: u32 = 65;
    pub(super) const RUNTIME_PENDING: u32 = 69;
    pub(super) const RUNTIME_NO_FUNCTION: u32 = 98;
    pub(super) const RUNTIME_NO_MEMORY: u32 = 2;
    pub(super) const RUNTIME_INVALID_VALUE: u64 = 1;
}

/// `cudaStreamNonBlocking`
const NON_BLOCKING: u64 = 1;
/// `cudaEventDisableTiming`
const NO_TIMING: u64 = 2;

/// The call of one lane.
struct Caller<'a> {
    call: &'a CallInst,
    lane: usize,
    nesting: Nesting,
}

impl Caller<'_> {
    fn arg(&self, run: &Run<'_>, n: usize) -> u64 {
        argument(run, self.call.args.get(n), self.lane)
    }

    fn thread(&self, run: &Run<'_>) -> (u32, u16) {
        (run.block.0, ThreadId::of(events::WarpId(run.warp.index), self.lane as u32).0)
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Executes a function of the device runtime for one lane, and returns its result.
    pub(super) fn device_call(
        &mut self,
        run: &mut Run<'_>,
        device: DeviceCall,
        call: &CallInst,
        lane: usize,
    ) -> Result<u64, Failed> {
        let Some(nesting) = self.ctx.options.nesting.clone() else {
            let instruction = format!("a call of the device runtime ({device:?})");
            return Err(self.fail(run, 1 << lane, FailureKind::Unsupported { instruction }));
        };
        let caller = Caller { call, lane, nesting };
        match device {
            DeviceCall::ParameterBuffer => self.parameter_buffer(run, &caller),
            DeviceCall::Launch => self.launch_device(run, &caller),
            DeviceCall::StreamCreate
            | DeviceCall::StreamDestroy
            | DeviceCall::StreamWaitEvent
            | DeviceCall::EventCreate
            | DeviceCall::EventRecord
            | DeviceCall::EventDestroy => self.stream_call(run, device, &caller),
            DeviceCall::LastError => {
                Ok(self.s.nested.errors.get(&caller.thread(run)).copied().unwrap_or(0).into())
            }
            DeviceCall::SetLastError => {
                let error = caller.arg(run, 0) as u32;
                self.s.nested.errors.insert(caller.thread(run), error);
                Ok(error.into())
            }
            DeviceCall::Move(what) => self.move_async(run, what, &caller),
            _ => self.query(run, device, &caller),
        }
    }

    /// Returns the address of a buffer for the parameters of a launch; 0, with the thread's last error set, if
    /// there can be no such launch.
    fn parameter_buffer(&mut self, run: &mut Run<'_>, caller: &Caller<'_>) -> Result<u64, Failed> {
        let refused = |this: &mut Self, run: &Run<'_>, error: u32| {
            this.s.nested.errors.insert(caller.thread(run), error);
            Ok(0)
        };
        let Some(kernel) = self.kernel_at(caller.arg(run, 0)) else {
            return refused(self, run, error::RUNTIME_NO_FUNCTION);
        };
        if caller.nesting.depth >= MAX_DEPTH {
            return refused(self, run, error::RUNTIME_MAX_DEPTH);
        }
        let waiting = self.s.nested.launches + self.s.nested.buffers.len() as u32;
        if waiting >= caller.nesting.pending {
            return refused(self, run, error::RUNTIME_PENDING);
        }
        let bytes = u64::from(self.ctx.launch.module.kernels()[kernel].param_bytes).max(1);
        let address = self.ctx.options.heap.as_ref().and_then(|heap| heap.allocate(bytes));
        let Some(address) = address else { return refused(self, run, error::RUNTIME_NO_MEMORY) };
        // Pending events are judged before the buffer discards the history of its bytes.
        self.s.observer.rest();
        self.ctx.heap_events.alloc(address, bytes);
        let (grid, threads) = (extents(run, caller, 1), extents(run, caller, 2));
        let dynamic_shared = caller.arg(run, 3) as u32;
        self.s.nested.buffers.insert(address, Buffer { kernel, grid, threads, dynamic_shared });
        Ok(address)
    }

    /// Returns the index of the kernel at a function's address.
    fn kernel_at(&self, address: u64) -> Option<usize> {
        let function = usize::try_from(address ^ window::FUNCTION).ok()?;
        self.ctx.launch.module.kernels().iter().position(|kernel| kernel.function == function)
    }

    /// Launches the kernel of a parameter buffer, which is then gone.
    fn launch_device(&mut self, run: &mut Run<'_>, caller: &Caller<'_>) -> Result<u64, Failed> {
        let (address, handle) = (caller.arg(run, 0), caller.arg(run, 1));
        let Some(buffer) = self.s.nested.buffers.remove(&address) else { return Ok(error::INVALID_VALUE) };
        let Some(stream) = self.stream_at(run, caller, handle)? else { return Ok(error::INVALID_VALUE) };
        let kernel = &self.ctx.launch.module.kernels()[buffer.kernel];
        let mut params = vec![0; kernel.param_bytes as usize];
        // The buffer is mapped as long as the heap is.
        let _ = self.ctx.memory.read(address, &mut params);
        self.s.observer.rest();
        if let Some(bytes) = self.ctx.options.heap.as_ref().and_then(|heap| heap.release(address)) {
            self.ctx.heap_events.free(address, bytes);
        }
        let launch = Launch {
            kernel: buffer.kernel,
            grid: buffer.grid,
            block: buffer.threads,
            cluster: kernel.cluster.unwrap_or(Dim3::ONE),
            dynamic_shared: buffer.dynamic_shared,
            cooperative: false,
            params,
            ..self.ctx.launch.clone()
        };
        if configuration::check(&launch, kernel, self.ctx.options.device).is_err() {
            return Ok(error::INVALID_CONFIGURATION);
        }
        self.check_pointers(run, caller, &launch)?;
        let Launch { kernel, grid, block: threads, dynamic_shared, params, .. } = launch;
        let work = Work::Kernel { kernel, grid, threads, dynamic_shared, params };
        self.launched(run, caller, stream, work);
        Ok(0)
    }

    /// Places what a lane has launched in a stream.
    fn launched(&mut self, run: &mut Run<'_>, caller: &Caller<'_>, stream: Stream, work: Work) {
        let placed = self.s.nested.place(self.ctx.launch.task, stream, &caller.nesting.numbers);
        let site = self.event_site(run.pc);
        if self.s.observer.active() {
            let (warp, lane) = (run.name(self), caller.lane as u8);
            self.s.observer.sync(&Sync::Launch { warp, site, lane, task: placed.task });
        }
        self.s.nested.launches += 1;
        self.s.nested.children.push(Child {
            task: placed.task,
            chain: placed.chain,
            after: placed.after,
            tail: stream == Stream::Tail,
            site,
            block: run.block,
            thread: ThreadId(caller.thread(run).1),
            work,
        });
    }

    /// Executes `cudaMemcpyAsync`, `cudaMemsetAsync` and their forms with rows.
    fn move_async(&mut self, run: &mut Run<'_>, what: Move, caller: &Caller<'_>) -> Result<u64, Failed> {
        let arg = |n: usize| caller.arg(run, n);
        let (stream, work) = match (what.sets, what.rows) {
            (false, false) => {
                let rows = |n: usize| Rows { address: arg(n), pitch: arg(2) };
                (arg(4), Work::Copy { dst: rows(0), src: rows(1), width: arg(2), height: 1 })
            }
            (false, true) => {
                let rows = |n: usize| Rows { address: arg(n), pitch: arg(n + 1) };
                (arg(7), Work::Copy { dst: rows(0), src: rows(2), width: arg(4), height: arg(5) })
            }
            (true, false) => {
                let dst = Rows { address: arg(0), pitch: arg(2) };
                (arg(3), Work::Fill { dst, value: arg(1) as u8, width: arg(2), height: 1 })
            }
            (true, true) => {
                let dst = Rows { address: arg(0), pitch: arg(1) };
                (arg(5), Work::Fill { dst, value: arg(2) as u8, width: arg(3), height: arg(4) })
            }
        };
        let stream = if what.per_thread && stream == 0 { 2 } else { stream };
        let (ends, width, height) = match &work {
            Work::Copy { dst, src, width, height } => (vec![*dst, *src], *width, *height),
            Work::Fill { dst, width, height, .. } => (vec![*dst], *width, *height),
            Work::Kernel { .. } => return Ok(error::RUNTIME_INVALID_VALUE),
        };
        // Shared and local memory have no global address.
        let inside = |this: &mut Self, rows: &Rows| {
            let last = height.checked_sub(1).and_then(|rest| rest.checked_mul(rows.pitch));
            let bytes = last.and_then(|last| last.checked_add(width)).unwrap_or(u64::MAX);
            this.region(rows.address).is_some_and(|(_, left, accessible)| accessible && bytes <= left)
        };
        let valid = width == 0 || height == 0 || ends.iter().all(|rows| inside(self, rows));
        let stream = self.stream_at(run, caller, stream)?;
        let (Some(stream), true) = (stream, valid) else {
            self.s.nested.errors.insert(caller.thread(run), error::RUNTIME_INVALID_VALUE as u32);
            return Ok(error::RUNTIME_INVALID_VALUE);
        };
        if width != 0 && height != 0 {
            self.launched(run, caller, stream, work);
        }
        Ok(0)
    }

    /// Fails if a parameter is a pointer to the launching thread's shared or local memory, which its child does not have
    /// (Programming Guide, "Passing Pointers to Child Grids").
    fn check_pointers(&self, run: &Run<'_>, caller: &Caller<'_>, launch: &Launch) -> Result<(), Failed> {
        let kernel = &launch.module.kernels()[launch.kernel];
        let pointers = kernel.params.iter().filter(|p| p.size == 8 && p.align == 8);
        for (i, parameter) in pointers.enumerate() {
            let Some(bytes) = launch.params.get(parameter.offset as usize..).and_then(|p| p.first_chunk())
            else {
                continue;
            };
            let value = u64::from_le_bytes(*bytes);
            let (space, room) = match value & !window::OFFSET {
                window::SHARED => ("shared", run.shared_bytes),
                window::LOCAL => ("local", run.frame.local_top),
                _ => continue,
            };
            if value & window::OFFSET < room.into() {
                let why = format!(
                    "parameter {i} of a launch of `{}` is a pointer to {space} memory, which a child does not share",
                    kernel.name
                );
                return Err(self.fail(run, 1 << caller.lane, FailureKind::IllegalInstruction { why }));
            }
        }
        Ok(())
    }

    /// Returns the stream of a handle; `None` for numbers that name no stream. Streams of the host and of other grids
    /// are undefined here, and end the kernel.
    fn stream_at(&self, run: &Run<'_>, caller: &Caller<'_>, handle: u64) -> Result<Option<Stream>, Failed> {
        let (block, thread) = caller.thread(run);
        let stream = match handle {
            0 | 1 => Stream::Block(block),
            2 => Stream::Thread(block, thread),
            3 => Stream::Tail,
            4 => Stream::FireAndForget,
            5..=0xFFFF => return Ok(None),
            handle => Stream::Named(handle),
        };
        if !self.s.nested.has_stream(stream) {
            let why = format!("{handle:#x} is no stream that a thread of this grid has made");
            return Err(self.fail(run, 1 << caller.lane, FailureKind::IllegalInstruction { why }));
        }
        Ok(Some(stream))
    }

    fn stream_call(
        &mut self,
        run: &mut Run<'_>,
        device: DeviceCall,
        caller: &Caller<'_>,
    ) -> Result<u64, Failed> {
        let (a, b) = (caller.arg(run, 0), caller.arg(run, 1));
        let (task, numbers) = (self.ctx.launch.task, &caller.nesting.numbers);
        let no_event = |this: &Self, run: &Run<'_>, event: u64| {
            let why = format!("{event:#x} is no event that a thread of this grid has made");
            Err(this.fail(run, 1 << caller.lane, FailureKind::IllegalInstruction { why }))
        };
        match device {
            DeviceCall::StreamCreate if b != NON_BLOCKING => return Ok(error::INVALID_VALUE),
            DeviceCall::StreamCreate => {
                let stream = self.s.nested.create_stream(task, numbers);
                self.put(run, caller, a, stream.to_le_bytes())?;
            }
            DeviceCall::StreamDestroy => match self.stream_at(run, caller, a)? {
                Some(stream @ Stream::Named(_)) => self.s.nested.destroy_stream(stream),
                _ => return Ok(error::INVALID_VALUE),
            },
            DeviceCall::EventCreate if b != NO_TIMING => return Ok(error::INVALID_VALUE),
            DeviceCall::EventCreate => {
                let event = self.s.nested.create_event(task);
                self.put(run, caller, a, event.to_le_bytes())?;
            }
            DeviceCall::EventDestroy => {
                if !self.s.nested.destroy_event(a) {
                    return no_event(self, run, a);
                }
            }
            _ => {
                let (stream, event) = if device == DeviceCall::EventRecord { (b, a) } else { (a, b) };
                if !self.s.nested.has_event(event) {
                    return no_event(self, run, event);
                }
                match self.stream_at(run, caller, stream)? {
                    None | Some(Stream::Tail | Stream::FireAndForget) => return Ok(error::INVALID_VALUE),
                    Some(stream) if device == DeviceCall::EventRecord => self.s.nested.record(event, stream),
                    Some(stream) => self.s.nested.wait(stream, event, numbers),
                }
            }
        }
        Ok(0)
    }

    /// Answers a question about the device or a kernel, at the address that the first argument names.
    fn query(&mut self, run: &mut Run<'_>, device: DeviceCall, caller: &Caller<'_>) -> Result<u64, Failed> {
        let (to, a, b) = (caller.arg(run, 0), caller.arg(run, 1), caller.arg(run, 2));
        let answer = match device {
            DeviceCall::Device => Some(self.ctx.launch.device as i32),
            DeviceCall::DeviceCount => Some(caller.nesting.devices as i32),
            DeviceCall::CacheConfig => Some(0),
            DeviceCall::DeviceAttribute if b >= caller.nesting.devices.into() => {
                return Ok(error::INVALID_DEVICE);
            }
            DeviceCall::DeviceAttribute => self.ctx.host.device_attribute(a as i32, b as u32),
            DeviceCall::FunctionAttribute => self.function_attribute(a as u32, b),
            DeviceCall::Occupancy => {
                let shared = caller.arg(run, 3) as u32;
                self.kernel_at(a).map(|kernel| {
                    let module = &self.ctx.launch.module;
                    let (described, registers) =
                        (&module.kernels()[kernel], module.resources(kernel).registers);
                    let device = self.ctx.options.device;
                    kernels::limits::resident_blocks(device, described, registers, b as u32, shared) as i32
                })
            }
            DeviceCall::Limit => {
                let value = match a {
                    0 => u64::from(self.ctx.options.stack_limit),
                    2 => self.ctx.options.heap.as_ref().map_or(0, |heap| heap.bytes()),
                    4 => caller.nesting.pending.into(),
                    _ => return Ok(error::INVALID_VALUE),
                };
                self.put(run, caller, to, value.to_le_bytes())?;
                return Ok(0);
            }
            _ => None,
        };
        let Some(answer) = answer else { return Ok(error::INVALID_VALUE) };
        self.put(run, caller, to, answer.to_le_bytes())?;
        Ok(0)
    }

    /// Returns an attribute of a kernel, by its number in `CUfunction_attribute`.
    fn function_attribute(&self, attribute: u32, function: u64) -> Option<i32> {
        let index = self.kernel_at(function)?;
        let module = &self.ctx.launch.module;
        let (kernel, resources) = (&module.kernels()[index], module.resources(index));
        Some(match attribute {
            0 => kernel.max_threads as i32,
            1 => kernel.static_shared as i32,
            2 => 0,
            3 => resources.local_bytes as i32,
            4 => resources.registers as i32,
            5 | 6 => self.ctx.options.device.sm as i32,
            _ => return None,
        })
    }

    /// Writes a result where the lane wants it.
    fn put<const N: usize>(
        &mut self,
        run: &mut Run<'_>,
        caller: &Caller<'_>,
        address: u64,
        bytes: [u8; N],
    ) -> Result<(), Failed> {
        let lane = caller.lane;
        let Some(place) = self.find_one(run, Target::Generic, address, N as u64, lane, true) else {
            let why = "the device runtime has no result there";
            return Err(self.illegal(run, address, 1 << lane, N as u64, true, why));
        };
        // SAFETY: `find_one` checked the address.
        unsafe { place.host.cast::<[u8; N]>().write_unaligned(bytes) };
        if let Some(space) = place.space
            && self.s.observer.active()
        {
            let addresses = [place.address; 32];
            self.s.observer.access(&Access {
                warp: run.name(self),
                site: self.event_site(run.pc),
                space,
                kind: AccessKind::Write,
                strength: Strength::Weak,
                proxy: Proxy::Generic,
                size: N as u32,
                elements: 1,
                mask: 1 << lane,
                addresses: &addresses,
                stride: None,
                stored: 1 << lane,
                values: None,
                written: Written::default(),
            });
        }
        Ok(())
    }
}

/// Reads an argument of type `dim3`.
fn extents(run: &Run<'_>, caller: &Caller<'_>, n: usize) -> Dim3 {
    let part = |at: u32| match caller.call.args.get(n) {
        Some(Slot::Frame { offset, bytes }) if at + 4 <= *bytes => {
            argument(run, Some(&Slot::Frame { offset: offset + at, bytes: 4 }), caller.lane) as u32
        }
        _ => 1,
    };
    Dim3::new(part(0), part(4), part(8))
}
