//! Kernels of which there is machine code only may access the memory to which their arguments point.
//!
//! Before such a launch a stand-in checks the first bytes behind each pointer, as a copy is checked ([`super::ranges`]).
//! Its accesses are *possible* ones ([`protocol::Check::maybe`]), so that a conflict is a hazard. An argument's memory
//! counts as read. It counts as written once its contents have been seen to change while the kernel ran: they are copied
//! before and after the first launches, for which this thread then waits a little.
//!
//! Only the first [`NEAR`] bytes count, since frameworks place many arrays in one allocation.

use super::State;
use super::ranges::{Looks, allocation};
use crate::call::call;
use crate::hooks::SUCCESS;
use crate::{callers, driver, state, streams};
use events::task::HostCall;
use instrument::guard::launches::BYTES;
use names::symbol;
use std::collections::{HashMap, HashSet};
use std::ffi::{c_uint, c_void};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The bytes behind an argument that count as accessed.
const NEAR: u64 = 512;
/// Limits how many arguments of a launch count.
const MOST: usize = 16;
/// The launches of a kernel whose arguments' contents are compared.
const COMPARED: u32 = 2;
/// How long this thread waits for such a launch.
const PATIENCE: Duration = Duration::from_millis(100);
/// `CU_MEMHOSTALLOC_PORTABLE`
const PORTABLE: c_uint = 1;
/// Limits the length of a kernel's name in reports.
const NAME: usize = 80;

/// A word of a launch's arguments that may be an address, with its place in the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) place: u32,
    pub(crate) address: u64,
}

#[derive(Debug, Default)]
pub(super) struct MachineCode {
    /// The places of arguments that a kernel writes to, by the kernel's handle.
    written: HashSet<(usize, u32)>,
    compared: HashMap<usize, u32>,
    /// The offsets and sizes of each kernel's parameters.
    parameters: HashMap<usize, Arc<[(usize, usize)]>>,
    /// Checks by kernel, whether they stand for writes, and callers.
    checks: HashMap<(usize, bool, Vec<u64>), Option<u32>>,
}

/// The memory near an argument.
#[derive(Clone, Copy, Debug)]
struct Near {
    pointer: Pointer,
    bytes: u64,
}

/// A launch with the stand-ins before it, and what compares its arguments' contents behind it.
#[derive(Default)]
pub(crate) struct StandIns {
    pub(crate) looks: Vec<Looks>,
    /// Acts when it is dropped.
    _compares: Option<Compares>,
}

/// A comparison of arguments' contents before and after a launch.
struct Compares {
    function: usize,
    stream: *mut c_void,
    told: [u8; BYTES as usize],
    near: Vec<Near>,
    scratch: MutexGuard<'static, Option<Scratch>>,
}

/// Pinned memory for the contents: for each argument [`NEAR`] bytes before and as many after.
struct Scratch(usize);

static SCRATCH: Mutex<Option<Scratch>> = Mutex::new(None);

/// Returns the known memory near each argument.
fn near(pointers: &[Pointer]) -> Vec<Near> {
    let mut out: Vec<Near> = Vec::new();
    for &pointer in pointers {
        // Numbers that are no addresses seldom look like one.
        if !(1 << 32..1 << 47).contains(&pointer.address) {
            continue;
        }
        let known = || out.iter().any(|near| near.pointer.address == pointer.address);
        if out.len() >= MOST || known() {
            continue;
        }
        if let Some((start, bytes)) = allocation(pointer.address) {
            let bytes = (start + bytes - pointer.address).min(NEAR);
            out.push(Near { pointer, bytes });
        }
    }
    out
}

impl MachineCode {
    /// Forgets a handle, which the driver has given to another kernel.
    pub(super) fn forget(&mut self, handle: usize) {
        self.written.retain(|(of, _)| *of != handle);
        self.checks.retain(|(of, ..), _| *of != handle);
        self.compared.remove(&handle);
        self.parameters.remove(&handle);
    }
}

impl State {
    /// Returns whether a kernel has no checks because there is machine code only, or because its module was refused.
    pub(crate) fn is_machine_code(&self, function: usize) -> bool {
        let known = self.modules.functions.get(&function);
        known.is_some_and(|function| self.unchecked(&function.name, function.image).is_some())
    }

    /// Returns the offset and the size of each parameter of a kernel.
    fn parameters(&mut self, function: usize) -> Arc<[(usize, usize)]> {
        let ask = || (0..).map_while(|n| driver::parameter(function as *mut c_void, n)).collect();
        self.machine_code.parameters.entry(function).or_insert_with(ask).clone()
    }

    /// Records the launch of a kernel without checks in a stream, and returns what stands for its accesses.
    pub(crate) fn stand_ins(
        &mut self,
        function: usize,
        stream: *mut c_void,
        pointers: impl FnOnce(&[(usize, usize)]) -> Vec<Pointer>,
    ) -> StandIns {
        let trusted = self.modules.origin_of(function).is_some_and(|library| self.trusts(library));
        let key = streams::seen(&mut self.order, stream);
        let told = self.order.machine_code(key, trusted);
        let (Some(told), Some(range)) = (told, self.range_kernel(key)) else { return StandIns::default() };
        if !self.order.has_streams() || !self.has_table(key) {
            return StandIns::default();
        }
        let near = near(&pointers(&self.parameters(function)));
        let told = self.with_table(told, key);
        let looks = near
            .iter()
            .filter_map(|near| {
                let writes = self.machine_code.written.contains(&(function, near.pointer.place));
                self.stand_in((function, range), *near, writes, &told)
            })
            .collect();
        let compares =
            self.is_compared(function, &near).then(|| Compares::begin(function, stream, told, near));
        StandIns { looks, _compares: compares.flatten() }
    }

    fn is_compared(&mut self, function: usize, near: &[Near]) -> bool {
        let compared = self.machine_code.compared.entry(function).or_default();
        *compared += u32::from(!near.is_empty());
        !near.is_empty() && *compared <= COMPARED
    }

    fn stand_in(
        &mut self,
        (function, range): (usize, usize),
        near: Near,
        writes: bool,
        told: &[u8; BYTES as usize],
    ) -> Option<Looks> {
        let check = self.machine_code_check(function, writes)?;
        Some(Looks::at(range, (near.pointer.address, near.bytes, writes), check, told))
    }

    /// Returns the check of a kernel's possible accesses; `None` if there is no room for more.
    fn machine_code_check(&mut self, function: usize, writes: bool) -> Option<u32> {
        let callers = match self.machine_code.checks.len() < super::ranges::PLACES {
            true => callers::callers(),
            false => Vec::new(),
        };
        let key = (function, writes, callers);
        if let Some(known) = self.machine_code.checks.get(&key) {
            return *known;
        }
        let short = self.modules.functions.get(&function).map(|known| symbol::short(&known.name));
        let short: String = short.unwrap_or_default().chars().take(NAME).collect();
        let library = self.modules.origin_of(function).map_or(String::new(), |name| format!(" of {name}"));
        let sites = &mut self.report.result.sites;
        let number = self.checks.possible(writes, 4, || {
            let site = callers::site(&key.2).map(|site| sites.push(site));
            HostCall { api: format!("{short}{library}"), site, within: None }
        });
        self.machine_code.checks.insert(key, number);
        self.report.dirty = true;
        number
    }

    /// Records which arguments' memory a kernel has changed, and returns stand-ins for these writes.
    fn has_written(
        &mut self,
        function: usize,
        stream: *mut c_void,
        near: &[Near],
        told: &[u8; BYTES as usize],
    ) -> Vec<Looks> {
        let key = streams::seen(&mut self.order, stream);
        let Some(range) = self.range_kernel(key) else { return Vec::new() };
        near.iter()
            .filter_map(|near| {
                self.machine_code.written.insert((function, near.pointer.place));
                self.stand_in((function, range), *near, true, told)
            })
            .collect()
    }
}

impl Compares {
    /// Copies the contents before the launch.
    fn begin(
        function: usize,
        stream: *mut c_void,
        told: [u8; BYTES as usize],
        near: Vec<Near>,
    ) -> Option<Compares> {
        let mut scratch = SCRATCH.try_lock().ok()?;
        if scratch.is_none() {
            *scratch = Scratch::new();
        }
        scratch.as_ref()?;
        let out = Compares { function, stream, told, near, scratch };
        out.copy(0).then_some(out)
    }

    /// Returns the place of an argument's contents, before the launch or after it.
    fn place(&self, argument: usize, after: usize) -> Option<usize> {
        self.scratch.as_ref().map(|scratch| scratch.0 + (2 * argument + after) * NEAR as usize)
    }

    fn copy(&self, after: usize) -> bool {
        self.near.iter().enumerate().all(|(argument, near)| {
            let Some(to) = self.place(argument, after) else { return false };
            let (to, from, bytes) = (to as u64, near.pointer.address, near.bytes as usize);
            call!(c"cuMemcpyAsync"(
                to => u64, from => u64, bytes => usize, self.stream => *mut c_void,
            )) == SUCCESS
        })
    }

    /// Waits for the launch; returns false if that takes too long.
    fn waited(&self) -> bool {
        let until = Instant::now() + PATIENCE;
        let ended = || call!(c"cuStreamQuery"(self.stream => *mut c_void)) == SUCCESS;
        while !driver::beside_captures(ended) {
            if Instant::now() > until {
                return false;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        true
    }

    /// Returns the arguments whose contents have changed.
    fn changed(&self) -> Vec<Near> {
        let contents = |argument: usize, after: usize, bytes: u64| {
            // SAFETY: the scratch memory has room for each argument, and the copies into it have ended.
            self.place(argument, after)
                .map(|at| unsafe { std::slice::from_raw_parts(at as *const u8, bytes as usize) })
        };
        let changes = |(argument, near): &(usize, &Near)| {
            contents(*argument, 0, near.bytes) != contents(*argument, 1, near.bytes)
        };
        self.near.iter().enumerate().filter(changes).map(|(_, near)| *near).collect()
    }
}

impl Drop for Compares {
    fn drop(&mut self) {
        if !self.copy(1) || !self.waited() {
            // A copy may still write to the scratch memory, which is left to it.
            *self.scratch = None;
            return;
        }
        let changed = self.changed();
        if changed.is_empty() {
            return;
        }
        let told = self.told;
        let looks =
            state::lock().map(|mut state| state.has_written(self.function, self.stream, &changed, &told));
        looks.into_iter().flatten().for_each(|mut looks| looks.launch(self.stream));
    }
}

impl Scratch {
    fn new() -> Option<Scratch> {
        let mut at: *mut c_void = std::ptr::null_mut();
        let bytes = 2 * MOST * NEAR as usize;
        let code = driver::beside_captures(
            || call!(c"cuMemHostAlloc"(&mut at => *mut *mut c_void, bytes => usize, PORTABLE => c_uint)),
        );
        (code == SUCCESS).then_some(Scratch(at as usize))
    }
}
