//! A launch between its count and the driver: its place in the order of launches, and what it passes to its kernel.

use super::super::Handle;
use super::Arguments;
use crate::order::Repeated;
use crate::reclaim::Launching;
use crate::state::{self, Pointer, State};
use crate::{capture, driver, timing, watch};
use instrument::guard::groups::LeftOut;
use instrument::guard::launches::{Launched, Launches};
use std::sync::MutexGuard;

/// A launch that is counted, with its arguments: those of this kernel.
pub(super) struct Counted {
    pub(super) function: Handle,
    /// The stream, unless it is captured.
    pub(super) stream: Option<Handle>,
    pub(super) overlaps: bool,
    pub(super) parameters: *const Handle,
    pub(super) extra: *const Handle,
    /// The checks that the launch leaves out.
    pub(super) left_out: LeftOut,
    /// The launch, if it makes its checks of global memory and others may repeat it.
    pub(super) repeated: Option<Repeated>,
    /// The allocations that the launch accesses; `None` if it may access any memory.
    pub(super) memory: Option<Vec<u64>>,
    pub(super) launching: Launching,
}

impl Counted {
    /// Returns the arguments, whose lifetime is that of the launch. The state is not locked.
    pub(super) fn with(self, arguments: Arguments) -> Arguments {
        // Events would end the overlap of programmatic launches.
        let stream = self.stream.filter(|_| !self.overlaps);
        let _measured = stream.and_then(|stream| timing::before(self.function as usize, stream));
        Arguments { _measured, _launching: self.launching, ..arguments }
    }

    /// Records the launch in the order of launches, and returns its arguments.
    pub(super) fn prepared(self, mut state: MutexGuard<'_, State>) -> Arguments {
        if self.overlaps {
            state.overlaps();
        }
        if !state::has_order() {
            drop(state);
            return self.with(Arguments::default());
        }
        if !state.tells() {
            return self.untold(state);
        }
        match self.stream.filter(|_| state.is_machine_code(self.function as usize)) {
            Some(stream) => self.machine_code(state, stream),
            None => self.told(state),
        }
    }

    /// Prepares a launch without the launch parameter.
    fn untold(self, mut state: MutexGuard<'_, State>) -> Arguments {
        let kernel = state.untold(self.function as usize, self.stream, self.overlaps);
        drop(state);
        if let Some(kernel) = kernel.filter(|_| watch::has_shared()) {
            flies(&self.words(kernel));
        }
        self.with(Arguments::default())
    }

    /// Prepares a launch of a kernel without PTX.
    fn machine_code(self, mut state: MutexGuard<'_, State>, stream: Handle) -> Arguments {
        // SAFETY: the arguments of a launch of this kernel.
        let all = |sizes: &[(usize, usize)]| unsafe { pointers(sizes, self.parameters, self.extra) };
        let mut stand_ins = state.stand_ins(self.function as usize, stream, all);
        drop(state);
        std::mem::take(&mut stand_ins.looks).into_iter().for_each(|mut looks| looks.launch(stream));
        self.with(Arguments { _stand_ins: stand_ins, ..Arguments::default() })
    }

    /// Prepares a launch with the launch parameter, if the kernel has it.
    fn told(mut self, mut state: MutexGuard<'_, State>) -> Arguments {
        let Counted { function, stream, overlaps, .. } = self;
        // A stand-in before a launch would end the launch's overlap with the kernel before it.
        let constants = stream
            .filter(|_| !overlaps)
            .map(|stream| (stream, state.constant_reads(function as usize, stream)));
        let parameter = |at| driver::parameter(function, at);
        if state.looks_for_meetings()
            && let Some(own) = state.added(function as usize, parameter)
        {
            state.reaches(&self.words(Launched::plain(own as u32)));
        }
        let Some((told, kernel)) = state.told(function as usize, stream, overlaps, parameter) else {
            drop(state);
            return self.with(Arguments::default());
        };
        if let Some(stream) = stream {
            state.leaves(stream, self.memory.as_deref());
            if let Some(repeated) = self.repeated.take() {
                state.checked(stream, repeated);
            }
        }
        if self.left_out.groups != 0 {
            state.runs_in_part(function as usize, self.left_out);
        }
        drop(state);
        if let Some((stream, looks)) = constants {
            looks.into_iter().for_each(|mut looks| looks.launch(stream));
        }
        // Kernels that may synchronise with the host while they run are taken as ordered with it.
        if watch::has_shared() && told != Launches::UNKNOWN && !kernel.acquires && !kernel.tells {
            flies(&self.words(kernel));
        }
        let told = Launches::without(told, self.left_out.groups);
        // SAFETY: the arguments of a launch of this kernel.
        let arguments = unsafe { Arguments::new(told, kernel, self.parameters, self.extra) };
        self.with(arguments)
    }

    /// Returns the words of the arguments, each of which may be an address.
    fn words(&self, kernel: Launched) -> Vec<u64> {
        // SAFETY: the arguments of a launch of this kernel.
        unsafe { words(self.function, kernel, self.parameters, self.extra) }
    }
}

/// Returns the eight-byte words of a launch's arguments, each of which may be an address, with their places.
///
/// # Safety
/// The pointers are those of a launch of this kernel, whose parameters have these offsets and sizes.
unsafe fn pointers(
    sizes: &[(usize, usize)],
    parameters: *const Handle,
    extra: *const Handle,
) -> Vec<Pointer> {
    let mut out = Vec::new();
    let mut add = |from: usize, bytes: &[u8]| {
        let words = bytes.chunks_exact(8).filter_map(|word| word.try_into().ok());
        let place = |n: usize| (from + 8 * n) as u32;
        let all = words.enumerate();
        out.extend(all.map(|(n, word)| Pointer { place: place(n), address: u64::from_le_bytes(word) }));
    };
    if !parameters.is_null() {
        for (i, &(at, bytes)) in sizes.iter().enumerate().filter(|(_, (_, bytes))| *bytes >= 8) {
            // SAFETY: the caller passes a pointer to each argument, of its parameter's size.
            add(at, unsafe { std::slice::from_raw_parts((*parameters.add(i)).cast::<u8>(), bytes) });
        }
    } else if !extra.is_null()
        // SAFETY: the caller's promise.
        && let Some(given) = unsafe { capture::buffer(extra) }
    {
        add(0, given);
    }
    out.retain(|pointer| pointer.address != 0);
    out
}

/// Protects the memory that a kernel with these arguments may access, just before the kernel begins.
fn flies(words: &[u64]) {
    if let Some(state) = state::lock() {
        state.flies(words, true);
    }
}

/// Returns the eight-byte words of a launch's arguments, each of which may be an address.
///
/// # Safety
/// The pointers are those of a launch of this kernel.
unsafe fn words(
    function: Handle,
    kernel: Launched,
    parameters: *const Handle,
    extra: *const Handle,
) -> Vec<u64> {
    let mut out = Vec::new();
    let mut add = |bytes: &[u8]| {
        let words = bytes.chunks_exact(8).filter_map(|word| word.try_into().ok());
        out.extend(words.map(u64::from_le_bytes));
    };
    if !parameters.is_null() {
        for i in 0..kernel.parameters as usize {
            if let Some((_, bytes)) = driver::parameter(function, i).filter(|(_, bytes)| *bytes >= 8) {
                // SAFETY: the caller passes a pointer to each argument, of its parameter's size.
                add(unsafe { std::slice::from_raw_parts((*parameters.add(i)).cast::<u8>(), bytes) });
            }
        }
    } else if !extra.is_null()
        // SAFETY: the caller's promise.
        && let Some(given) = unsafe { capture::buffer(extra) }
    {
        add(given);
    }
    out
}
