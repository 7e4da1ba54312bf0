//! Checks of copies and memsets. Engines `guard` and `collide` each have a kernel that checks the accessed
//! ranges before such a call.

use super::State;
use crate::call::call;
use crate::callers;
use crate::driver::{self, LaunchKernel, context};
use crate::hooks::{Code, SUCCESS};
use crate::order::Stream;
use crate::streams;
use events::task::HostCall;
use instrument::collide::{Options, ranges as watched};
use instrument::guard::launches::BYTES;
use instrument::guard::{self, ranges};
use names::Engine;
use std::collections::HashMap;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_DEVICE_POINTER`, `_IS_MANAGED`, `_DEVICE_ORDINAL`, `_RANGE_START_ADDR`,
/// `_RANGE_SIZE`: their values have four bytes, eight, one, four, eight and eight.
const MEMORY_TYPE: c_int = 2;
const DEVICE_POINTER: c_int = 3;
const IS_MANAGED: c_int = 8;
const ORDINAL: c_int = 9;
const RANGE_START: c_int = 11;
const RANGE_SIZE: c_int = 12;

/// `CU_MEMORYTYPE_DEVICE`
const ON_DEVICE: u32 = 2;

/// Limits how many calls are distinguished by their call stack.
pub(super) const PLACES: usize = 512;

/// A launch of the checking kernel before a call.
#[derive(Debug)]
pub(crate) struct Looks {
    function: usize,
    blocks: c_uint,
    threads: c_uint,
    parameters: Vec<u8>,
}

/// A range that a call accesses: address, bytes, and whether it is written.
pub(crate) type Accessed = (u64, u64, bool);

#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// The checking kernel by context; `None` if the driver refused it.
    functions: HashMap<usize, Option<usize>>,
    /// Checks by the function's name, whether it writes, and the call stack.
    checks: HashMap<(&'static str, bool, Vec<u64>), u32>,
}

impl Ranges {
    /// Forgets the kernels of destroyed contexts.
    pub(super) fn forget(&mut self) {
        self.functions.clear();
    }
}

/// Loads a module and returns its kernel.
fn load(text: &str, name: &str) -> Option<usize> {
    type Load = unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> Code;
    type Get = unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const std::ffi::c_char) -> Code;
    let (load, get) = (driver::function(c"cuModuleLoadData"), driver::function(c"cuModuleGetFunction"));
    if load.is_null() || get.is_null() {
        return None;
    }
    let (text, name) = (CString::new(text).ok()?, CString::new(name).ok()?);
    let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the driver's functions of these names have these types and write the handles; the text outlives
    // the calls.
    let code = driver::beside_captures(|| unsafe {
        match std::mem::transmute::<*mut c_void, Load>(load)(&mut module, text.as_ptr().cast()) {
            SUCCESS => std::mem::transmute::<*mut c_void, Get>(get)(&mut function, module, name.as_ptr()),
            code => code,
        }
    });
    crate::log::note(|| format!("the kernel for copies: {code}"));
    (code == SUCCESS).then_some(function as usize)
}

/// Returns whether a kernel of this thread's context may read the range: it lies in one allocation, which has
/// the same address on the device. A copy of other memory fails by itself, or needs no kernel's access
/// rights.
fn is_readable(address: u64, bytes: u64) -> bool {
    let Some((start, size)) = allocation(address) else { return false };
    // Memory of another GPU may be out of reach.
    let is_near = driver::devices() <= 1
        || attribute(IS_MANAGED, address).is_some_and(|managed| managed as u8 != 0)
        || attribute(ORDINAL, address).map(|ordinal| ordinal as c_int) == driver::device();
    is_near && address.checked_add(bytes).is_some_and(|end| end - start <= size)
}

fn attribute(which: c_int, address: u64) -> Option<u64> {
    let mut value = 0u64;
    let code = call!(c"cuPointerGetAttribute"(&mut value => *mut u64, which => c_int, address => u64));
    (code == SUCCESS).then_some(value)
}

/// Returns the begin and the bytes of the allocation that holds an address, if the device uses the same address.
pub(super) fn allocation(address: u64) -> Option<(u64, u64)> {
    type Get = unsafe extern "C" fn(c_uint, *const c_int, *const *mut u64, u64) -> Code;
    static GET: OnceLock<usize> = OnceLock::new();
    let get = *GET.get_or_init(|| driver::function(c"cuPointerGetAttributes") as usize);
    if get == 0 {
        return None;
    }
    let [mut device, mut start, mut size] = [0u64; 3];
    let wanted = [DEVICE_POINTER, RANGE_START, RANGE_SIZE];
    let into: [*mut u64; 3] = [&mut device, &mut start, &mut size];
    // SAFETY: the driver's function of this name has this type, and writes eight bytes for each of these attributes.
    let code = unsafe {
        let get = std::mem::transmute::<*mut c_void, Get>(get as *mut c_void);
        get(wanted.len() as c_uint, wanted.as_ptr(), into.as_ptr(), address)
    };
    // The driver writes zeros for memory that it does not know.
    let holds = code == SUCCESS && device == address && start <= address && address - start < size;
    (holds && start.checked_add(size).is_some()).then_some((start, size))
}

impl State {
    /// Returns whether the checking kernel has to be loaded before the first launch.
    pub(crate) fn wants_ranges(&self) -> bool {
        let known = &self.ranges.functions;
        let is_new =
            || driver::devices() > 1 && context().is_some_and(|context| !known.contains_key(&context));
        self.order.has_streams() && (known.is_empty() || is_new())
    }

    /// Loads the checking kernel if it may be needed. Callers do so while no kernel runs, since a running
    /// kernel may wait for the host's next action.
    pub(crate) fn load_ranges(&mut self, device: u32) {
        let Some(context) = context().filter(|_| super::has_order() && self.order.has_streams()) else {
            return;
        };
        if self.ranges.functions.contains_key(&context) {
            return;
        }
        let target = match device {
            90.. => "sm_90",
            80.. => "sm_80",
            _ => "sm_70",
        };
        let function = match self.options.engine {
            Engine::Guard { .. } => self.guards_range(device >= 90, target),
            engine => self
                .sink()
                .ok()
                .and_then(|sink| load(&watched::text(&Options::of(engine, sink)?, target), watched::NAME)),
        };
        self.ranges.functions.insert(context, function);
    }

    /// Returns engine `guard`'s checking kernel.
    fn guards_range(&mut self, exchange: bool, target: &str) -> Option<usize> {
        // Without room for the sink or the table no kernel is checked, which the result reports.
        let (sink, (table, lines)) = (self.sink().ok()?, self.tables.prepare().ok()?);
        self.checks.sink.as_mut()?.reserve(guard::SINK_BYTES).ok()?;
        let options = guard::Options {
            sink,
            table,
            lines,
            exchange,
            told: true,
            first_check: 0,
            prune: self.options.engine.prunes(),
        };
        load(&ranges::text(&options, target), ranges::NAME)
    }

    /// Returns the check of a call; `None` if there is no room for more.
    fn call_check(&mut self, api: &'static str, writes: bool, callers: &[u64]) -> Option<u32> {
        let known = (api, writes, callers.to_vec());
        if let Some(&number) = self.ranges.checks.get(&known) {
            return Some(number);
        }
        let sites = &mut self.report.result.sites;
        let number = self.checks.call(writes, 4, || {
            let site = callers::site(callers).map(|site| sites.push(site));
            HostCall { api: api.to_owned(), site, within: None }
        })?;
        self.ranges.checks.insert(known, number);
        self.report.dirty = true;
        Some(number)
    }

    /// Returns the launches of the checking kernel that must precede a call in a stream.
    pub(crate) fn called(&mut self, api: &'static str, stream: *mut c_void, all: &[Accessed]) -> Vec<Looks> {
        let key = streams::seen(&mut self.order, stream);
        let tells = self.tells();
        if !tells {
            // The host may have to wait for this call too.
            self.order.called(key);
        }
        if tells && driver::devices() > 1 && !self.tables.may_meet() {
            let device = self.order.device(key);
            let is_far = |address| {
                let of_device = attribute(MEMORY_TYPE, address).map(|kind| kind as u32) == Some(ON_DEVICE);
                of_device && attribute(ORDINAL, address).map(|ordinal| ordinal as c_int) != device
            };
            if all.iter().any(|(address, ..)| is_far(*address)) {
                self.meets();
            }
        }
        let Some(function) = self.range_kernel(key) else { return Vec::new() };
        let callers = match self.ranges.checks.len() < PLACES {
            true => callers::callers(),
            false => Vec::new(),
        };
        if !tells {
            let readable = all.iter().filter(|(address, bytes, _)| is_readable(*address, *bytes));
            return readable
                .filter_map(|&(address, bytes, writes)| {
                    let parameters =
                        watched::parameters((address, bytes), self.call_check(api, writes, &callers)?)
                            .to_vec();
                    let (blocks, threads) = (watched::blocks((address, bytes)), watched::THREADS);
                    Some(Looks { function, blocks, threads, parameters })
                })
                .collect();
        }
        let Some(told) = self.order.called(key).filter(|_| self.has_table(key)) else { return Vec::new() };
        let told = self.with_table(told, key);
        let memory: Option<Vec<u64>> =
            all.iter().map(|(address, ..)| Some(allocation(*address)?.0)).collect();
        self.order.leaves(key, memory.as_deref());
        all.iter()
            .filter_map(|&accessed| {
                let check = self.call_check(api, accessed.2, &callers)?;
                Some(Looks::at(function, accessed, check, &told))
            })
            .collect()
    }

    /// Returns whether launches in a stream have a table.
    pub(super) fn has_table(&self, stream: Stream) -> bool {
        self.order.device(stream).is_some_and(|device| self.tables.base(device, false).is_some())
    }

    /// Returns the checking kernel, if it can be launched in a stream from this thread's context.
    pub(super) fn range_kernel(&mut self, stream: Stream) -> Option<usize> {
        let function = context().and_then(|context| *self.ranges.functions.get(&context)?)?;
        if self.ended
            || self.checks.sink.as_mut().is_none_or(|sink| sink.register().is_err())
            || self.tables.begin().is_err()
        {
            return None;
        }
        // The checking kernel must be launched from the stream's own context.
        let device = self.order.device(stream)?;
        (driver::device_of_several() == Some(device)).then_some(function)
    }
}

impl Looks {
    /// Returns a launch of the checking kernel of engine `guard` for an access.
    pub(super) fn at(
        function: usize,
        (address, bytes, writes): Accessed,
        check: u32,
        told: &[u8; BYTES as usize],
    ) -> Looks {
        let parameters = ranges::parameters((address, bytes), writes, check, told).to_vec();
        Looks { function, blocks: ranges::blocks(bytes), threads: ranges::THREADS, parameters }
    }

    /// Launches the checking kernel. A failure does not affect the program.
    pub(crate) fn launch(&mut self, stream: *mut c_void) {
        let found = driver::function(c"cuLaunchKernel");
        if found.is_null() {
            return;
        }
        let mut bytes = self.parameters.len();
        let mut extra = [
            crate::capture::POINTER as *mut c_void,
            self.parameters.as_mut_ptr().cast(),
            crate::capture::SIZE as *mut c_void,
            (&raw mut bytes).cast(),
            std::ptr::null_mut(),
        ];
        let (function, none) = (self.function as *mut c_void, std::ptr::null_mut());
        // SAFETY: the driver's function of this name has this type; the kernel takes `bytes` bytes, which are
        // copied at the call.
        let code: c_int = unsafe {
            let launch = std::mem::transmute::<*mut c_void, LaunchKernel>(found);
            launch(function, self.blocks, 1, 1, self.threads, 1, 1, 0, stream, none, extra.as_mut_ptr())
        };
        crate::log::note(|| format!("looked before a call: {code}"));
    }
}
