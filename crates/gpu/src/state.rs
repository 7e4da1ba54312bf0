//! The library's knowledge of the process, and the result file that reports it.
//!
//! **Size:** one lock protects the whole state, since a launch, a module or an allocation changes many parts
//! of it together.

mod graphs;
mod hosts;
mod ranges;

pub(crate) use graphs::PickedNode;
pub(crate) use ranges::Accessed;

use crate::driver;
use crate::graphs::Graphs;
use crate::hooks::{Code, UNKNOWN};
use crate::images::{Described, Images};
use crate::replacement::{self, Image};
use crate::order::Order;
use crate::sink::Sink;
use crate::table::Tables;
use crate::writer::Writer;
use crate::{active, capture, log, stack, streams, watch};
use compilers::Texts;
use events::task::HostCall;
use events::{AllocKind, Allocation};
use instrument::collide::{IN_ORDER, Options, Unchecked};
use instrument::guard;
use instrument::guard::launches::{BYTES, Launched, Launches};
use instrument::pass::{Instrumented, Pass, Table};
use instrument::prune::Pruned;
use names::{Engine, EqualValues, symbol};
use protocol::{
    Check, KernelSummary, Obstacle, PROTOCOL_VERSION, RESULT_EXTENSION, RunOptions, RunResult, SavedLaunch,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Limits how many allocations the result lists. Programs with more of them get fewer names in their reports.
const ALLOCATIONS: usize = 1 << 16;
/// Limits how many unchecked kernels the result lists by name.
const NAMED: usize = 20;
/// Interval between two writes of the result if nothing but launches has happened.
const PULSE: Duration = Duration::from_secs(1);
/// Writing the result counts as quick below this duration.
const QUICK: Duration = Duration::from_millis(5);
/// Writing takes at most one `SHARE`th of the time.
const SHARE: u32 = 20;

/// The note for a table that does not fit into the device's memory.
const ON_HOST: &str = "the GPU's memory is full: engine guard's table is in the host's, which is slower";

static STATE: OnceLock<Mutex<State>> = OnceLock::new();
/// Whether an engine uses the order of launches.
static ORDERED: AtomicBool = AtomicBool::new(false);
/// Whether launches are saved.
static SAVES: AtomicBool = AtomicBool::new(false);

/// Index into [`State::images`], to which handles of the driver refer.
pub(crate) type ImageId = usize;

/// An image that the program has loaded.
#[derive(Debug)]
struct Loaded {
    /// Its PTX, if launches are to be saved.
    texts: Option<Texts>,
    /// Why its kernels have no checks, if they have none.
    unchecked: Option<String>,
}

/// A kernel, found by its handle.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The mangled name.
    pub(crate) name: String,
    pub(crate) image: Option<ImageId>,
    /// The launch parameter that was added, if one was. `None`: the driver was not asked yet.
    pub(crate) launched: Option<Option<Launched>>,
}

/// The properties of a launch that the state needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) function: usize,
    pub(crate) blocks: u64,
    pub(crate) threads: u64,
    /// The call, for a launch that begins at once and belongs to no graph.
    pub(crate) call: Option<capture::Call>,
}

pub(crate) struct State {
    options: RunOptions,
    result: RunResult,
    begun: u128,
    images: Vec<Loaded>,
    /// Image ids by the handles of modules and libraries.
    handles: HashMap<usize, ImageId>,
    functions: HashMap<usize, Function>,
    /// Indices into `result.kernels`, by name.
    kernels: HashMap<String, usize>,
    /// Instrumented entry points by name, and whether they were to be checked.
    instrumented: HashMap<String, bool>,
    /// Kernels of texts that the driver links. The linked image comes back as machine code.
    linked: HashSet<String>,
    sink: Option<Sink>,
    /// The tables of engine `guard`, one for each device.
    tables: Tables,
    /// Notes about kernels that engine `guard` cannot check on this machine, and about devices without a
    /// table.
    unseen: BTreeSet<String>,
    /// Kernels to which engine `guard` has added the launch parameter, by name.
    launched: HashMap<String, Vec<Launched>>,
    /// Kernels of engine `collide` that synchronise with the host by launch and end only, with the number of
    /// their parameters; `None` for all other kernels.
    quiet: HashMap<String, Option<u32>>,
    order: Order,
    ranges: ranges::Ranges,
    /// Checks that stand for instructions of the host.
    hosts: hosts::Hosts,
    /// Whether engine `guard` has stopped checking because it cannot distinguish launches.
    ended: bool,
    checks: Vec<Check>,
    /// The driver calls for which some of the checks stand.
    calls: Vec<HostCall>,
    /// The numbers of the checks in each kernel.
    by_kernel: HashMap<String, Vec<u32>>,
    allocations: Vec<Allocation>,
    live: capture::Live,
    saved: capture::Saved,
    graphs: Graphs,
    images_of: Images,
    /// Counts of instructions without a check, by reason.
    without: BTreeMap<Unchecked, u32>,
    /// Counts of instructions whose checks were proven unnecessary.
    pruned: Pruned,
    left_out: BTreeMap<String, String>,
    /// Kernels none of whose launches could be saved, each with the reason for the first failure.
    without_launch: BTreeMap<String, String>,
    /// Notes about saved launches, and about requested launches that could not be saved.
    notes: Vec<String>,
    unsaved: Vec<String>,
    dirty: bool,
    written: Option<Instant>,
    writer: Writer,
}

pub(crate) fn start(options: RunOptions) {
    let looks_at_calls = looks_at_calls(options.engine);
    if looks_at_calls {
        watch::looks_again();
    }
    ORDERED.store(looks_at_calls || matches!(options.engine, Engine::Guard { .. }), Ordering::Relaxed);
    SAVES.store(options.save_launch.is_some() || options.capture.is_some(), Ordering::Relaxed);
    let _ = STATE.set(Mutex::new(State::new(options)));
}

/// Returns whether launches of this process are saved.
pub(crate) fn saves() -> bool {
    active::is_active() && SAVES.load(Ordering::Relaxed)
}

/// Returns whether engine `collide` also checks copies and the host's accesses. Its sampling preset for
/// production does not.
fn looks_at_calls(engine: Engine) -> bool {
    matches!(engine, Engine::Collide { preset, .. } if preset.name() != Options::SAMPLED)
}

/// Locks the state; `None` if this process is not checked.
pub(crate) fn lock() -> Option<MutexGuard<'static, State>> {
    if !active::is_active() {
        return None;
    }
    STATE.get().map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns whether an engine uses [`State::order`].
pub(crate) fn has_order() -> bool {
    ORDERED.load(Ordering::Relaxed)
}

/// Writes the final result when the process ends.
pub(crate) fn finish() {
    // `try_lock`, since a thread that was stopped in the middle of its work never releases the lock.
    if active::is_active()
        && let Some(mut state) = STATE.get().and_then(|state| state.try_lock().ok())
    {
        state.host_saw();
        state.write(true);
    }
}

/// Resets the state in the child of a fork.
pub(crate) fn forked() {
    watch::forked();
    if let Some(mut state) = STATE.get().and_then(|state| state.try_lock().ok()) {
        let options = state.options.clone();
        *state = State::new(options);
    }
}

impl State {
    fn new(options: RunOptions) -> State {
        let result = RunResult {
            version: PROTOCOL_VERSION,
            pid: std::process::id(),
            // SAFETY: has no preconditions.
            parent: unsafe { libc::getppid() } as u32,
            program: std::fs::read_link("/proc/self/exe").unwrap_or_default(),
            replay: Some(options.replay()),
            ..RunResult::default()
        };
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let name = format!("{}-{begun:x}.{RESULT_EXTENSION}", result.pid);
        let writer = Writer::new(options.results.join(name));
        State {
            options,
            result,
            begun,
            images: Vec::new(),
            handles: HashMap::new(),
            functions: HashMap::new(),
            kernels: HashMap::new(),
            instrumented: HashMap::new(),
            linked: HashSet::new(),
            sink: None,
            tables: Tables::default(),
            unseen: BTreeSet::new(),
            launched: HashMap::new(),
            quiet: HashMap::new(),
            order: Order::default(),
            ranges: ranges::Ranges::default(),
            hosts: hosts::Hosts::default(),
            ended: false,
            checks: Vec::new(),
            calls: Vec::new(),
            by_kernel: HashMap::new(),
            allocations: Vec::new(),
            live: capture::Live::default(),
            saved: capture::Saved::default(),
            graphs: Graphs::default(),
            images_of: Images::default(),
            without: BTreeMap::new(),
            pruned: Pruned::default(),
            left_out: BTreeMap::new(),
            without_launch: BTreeMap::new(),
            notes: Vec::new(),
            unsaved: Vec::new(),
            dirty: false,
            written: None,
            writer,
        }
    }

    /// Reports that the driver could not be initialised.
    pub(crate) fn no_driver(&mut self, code: Code) {
        let name = match code {
            34 => "CUDA_ERROR_STUB_LIBRARY".to_owned(),
            100 => "CUDA_ERROR_NO_DEVICE".to_owned(),
            803 => "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH".to_owned(),
            code => format!("error {code}"),
        };
        let what = format!("the CUDA driver could not be initialised: {name}");
        self.result.obstacle.get_or_insert(Obstacle::Unsupported { what });
        self.write(false);
    }

    /// Returns the id of an image, and the image to load in its place on a device of this compute capability.
    ///
    /// # Safety
    /// That of [`compilers::image::texts`].
    pub(crate) unsafe fn load(&mut self, at: *const c_void, device: u32) -> (ImageId, Option<Image>) {
        self.result.uses_cuda = true;
        self.dirty = true;
        // SAFETY: the caller's promise.
        let read = unsafe { compilers::image::texts(at, device) };
        let made = match &read {
            Ok(_) if self.only_saves() => Ok(None),
            Ok(texts) => self.replace(texts, device).map(Some),
            Err(why) => Err(why.clone()),
        };
        let (unchecked, image) = match made {
            Ok(image) => (None, image),
            Err(why) => {
                log::note(|| format!("an image is not checked: {why}"));
                (Some(why), None)
            }
        };
        self.ready();
        self.images.push(Loaded { texts: read.ok().filter(|_| self.saves()), unchecked });
        self.result.counters.modules += 1;
        self.write(false);
        self.writer.start();
        (self.images.len() - 1, image)
    }

    /// Prepares the sink and the table if there is a context already, so that the first launch need not wait
    /// for them.
    fn ready(&mut self) {
        if let Some(sink) = self.sink.as_mut().filter(|_| driver::has_context()) {
            // A failure recurs at the launch, which reports it.
            let _ = sink.register();
            // With several devices a table is made only for those that launch a kernel.
            if driver::devices() == 1 {
                let _ = self.tables.begin();
            }
        }
    }

    /// What to load in the place of these texts.
    fn replace(&mut self, texts: &Texts, device: u32) -> Result<Image, String> {
        let module = self.instrument(texts, true)?;
        let image = replacement::image(&module.texts, texts, device)?;
        stack::loads(&texts.texts, self.options.engine);
        self.take(module);
        Ok(image)
    }

    /// What to link in the place of one text; `None` if it has to be linked as it is.
    pub(crate) fn replace_text(&mut self, texts: &Texts) -> Option<String> {
        self.result.uses_cuda = true;
        if self.only_saves() {
            return None;
        }
        // Other inputs of the link, and whether they launch kernels, are unknown here.
        let mut module = self.instrument(texts, false).ok()?;
        let text = module.texts.pop();
        stack::loads(&texts.texts, self.options.engine);
        self.linked.extend(module.kernels.iter().map(|kernel| kernel.name.clone()));
        self.take(module);
        text
    }

    fn instrument(&mut self, texts: &Texts, alone: bool) -> Result<Instrumented, String> {
        let sink = self.sink()?;
        let first_check = self.checks.len() as u32;
        let equal_values = self.options.equal_values == EqualValues::Race;
        let table = || {
            let (address, lines) = self.tables.prepare()?;
            // The launch parameter is used only if the driver can confirm that it exists.
            let asks = !driver::function(c"cuFuncGetParamInfo").is_null();
            let told = alone && asks && !texts.texts.iter().any(|text| guard::launches::launches(text));
            Ok::<_, String>(Table { address, lines, told })
        };
        let pass = Pass::of(self.options.engine, sink, equal_values, table)?
            .ok_or("its engine puts no checks into kernels")?;
        let wanted = |name: &str| self.options.lets_through(name);
        let module = Instrumented::of(&texts.texts, &pass, first_check, &mut self.result.sites, &wanted)
            .map_err(|e| e.to_string())?;
        let all = first_check + module.checks.len() as u32;
        if let Some(sink) = &mut self.sink {
            let room = match pass {
                Pass::Guard(..) => sink.reserve(guard::SINK_BYTES),
                Pass::Collide(_) => Ok(()),
            };
            room.and_then(|()| sink.grow(all))
                .map_err(|e| format!("there is no room for what kernels see: {e}"))?;
        }
        Ok(module)
    }

    /// Takes over the checks and kernels of an instrumented module.
    fn take(&mut self, module: Instrumented) {
        log::note(|| format!("{} checks in {} kernels", module.checks.len(), module.kernels.len()));
        for (why, count) in &module.unchecked {
            *self.without.entry(*why).or_default() += count;
        }
        self.pruned.add(module.pruned);
        if module.in_order && !self.notes.iter().any(|note| note == IN_ORDER) {
            self.notes.push(IN_ORDER.into());
        }
        let check = |c: &instrument::collide::Check| Check::of_instruction(c.site, c.writes, c.size);
        for (number, check) in (self.checks.len() as u32..).zip(&module.checks) {
            if let Some(site) = self.result.sites.get(check.site) {
                self.by_kernel.entry(site.function.clone()).or_default().push(number);
            }
        }
        self.checks.extend(module.checks.iter().map(check));
        for (kernel, launched) in module.launched {
            let all = self.launched.entry(kernel).or_default();
            if !all.contains(&launched) {
                all.push(launched);
            }
        }
        for (kernel, parameters) in module.quiet {
            // All kernels with one name must agree.
            self.quiet
                .entry(kernel)
                .and_modify(|known| *known = known.filter(|_| *known == parameters))
                .or_insert(parameters);
        }
        self.left_out.extend(module.left_out.into_iter().map(|(kernel, why)| (kernel, why.to_owned())));
        for kernel in module.kernels {
            let at = self.kernel(&kernel.name);
            self.result.kernels[at].has_line_info |= kernel.has_line_info;
            self.instrumented.insert(kernel.name, kernel.checked);
        }
    }

    /// Records that the driver refused an instrumented image.
    pub(crate) fn refused(&mut self, image: ImageId, code: Code) {
        if let Some(image) = self.images.get_mut(image) {
            image.unchecked = Some(format!("the driver refused it with checks (error {code})"));
        }
    }

    fn sink(&mut self) -> Result<u64, String> {
        if let Some(sink) = &self.sink {
            return Ok(sink.base());
        }
        let path = self.options.results.join(format!("{}-{:x}.sink", self.result.pid, self.begun));
        let sink = Sink::new(&path).map_err(|e| format!("there is no memory for what kernels see: {e}"))?;
        Ok(self.sink.insert(sink).base())
    }

    /// Resets the grid number in the table, before a graph is launched in the stream.
    pub(crate) fn repeats(&mut self, stream: *mut c_void) {
        if self.tables.forget_launch(stream).is_err() {
            self.repeats_alone();
        }
    }

    /// Ends engine `guard`, since kernels may be launched repeatedly without the host.
    pub(crate) fn repeats_alone(&mut self) {
        if let Engine::Guard { .. } = self.options.engine {
            self.ended = true;
            self.tables.end();
        }
    }

    /// Associates a handle of a module or library with an image.
    pub(crate) fn named(&mut self, handle: usize, image: ImageId) {
        self.handles.insert(handle, image);
    }

    pub(crate) fn image_of(&self, handle: usize) -> Option<ImageId> {
        self.handles.get(&handle).copied()
    }

    pub(crate) fn function(&mut self, handle: usize, function: Function) {
        self.functions.insert(handle, function);
    }

    pub(crate) fn function_of(&self, handle: usize) -> Option<Function> {
        self.functions.get(&handle).cloned()
    }

    fn kernel(&mut self, name: &str) -> usize {
        if let Some(&at) = self.kernels.get(name) {
            return at;
        }
        self.result.kernels.push(KernelSummary { name: name.to_owned(), ..KernelSummary::default() });
        self.kernels.insert(name.to_owned(), self.result.kernels.len() - 1);
        self.result.kernels.len() - 1
    }

    /// Prepares a launch: makes sure that the kernel can write to the sink and to the table. Fails with the
    /// code that the program receives.
    pub(crate) fn launch(
        &mut self,
        launch: Launch,
        name: impl FnOnce() -> Option<String>,
    ) -> Result<(), Code> {
        self.result.uses_cuda = true;
        if let Some(sink) = &mut self.sink
            && let Err(code) = sink.register()
        {
            let what = format!("the driver does not let kernels write to memory of the host (error {code})");
            self.result.obstacle.get_or_insert(Obstacle::Unsupported { what });
            self.write(false);
            return Err(code);
        }
        match self.tables.begin() {
            Ok(()) => {}
            // The launch parameter reports to such launches that there is no table.
            Err(what) if driver::devices() > 1 => {
                self.unseen.insert(format!("launches on one of the GPUs were not checked: {what}"));
            }
            Err(what) => {
                self.result.obstacle.get_or_insert(Obstacle::Unsupported { what });
                self.write(false);
                return Err(UNKNOWN);
            }
        }
        let function = self.functions.entry(launch.function).or_insert_with(|| Function {
            name: name().unwrap_or_else(|| "a kernel without a name".into()),
            image: None,
            launched: None,
        });
        let Function { name, image, .. } = function.clone();
        let unchecked = self.unchecked(&name, image);
        if let Some(why) = &unchecked
            && !self.left_out.contains_key(&name)
        {
            self.left_out.insert(name.clone(), why.clone());
        }
        let is_checked = unchecked.is_none() && self.is_wanted(&name);
        let first = self.count(&name, &launch, is_checked);
        match (launch.call, image) {
            (Some(call), Some(image)) if is_checked => self.save_launch(launch.function, &name, image, call),
            // The kernel is a node of a graph.
            (None, _) if is_checked => self.in_graph(&name),
            _ => {}
        }
        // A kernel may never end, so its launch is reported at once if writing is quick. The program does not
        // wait for the write, since it may be measuring time.
        let cost = self.writer.cost();
        let rest = match first {
            true if cost < QUICK => Duration::ZERO,
            true => cost * SHARE,
            false => (cost * SHARE).max(PULSE),
        };
        if self.written.is_none_or(|at| at.elapsed() >= rest) && self.tell(false) {
            // A failure to write is reported at the end of the process.
            let _ = self.writer.soon(&self.result);
        }
        Ok(())
    }

    /// Returns the reason why a kernel has no checks, or cannot be saved.
    fn unchecked(&self, name: &str, image: Option<ImageId>) -> Option<String> {
        match image.and_then(|image| self.images.get(image)) {
            Some(Loaded { unchecked: Some(why), .. }) if !self.linked.contains(name) => Some(why.clone()),
            Some(_) if self.only_saves() => None,
            _ if self.instrumented.contains_key(name) => None,
            _ => Some("nobody saw it being loaded".into()),
        }
    }

    /// Returns whether a kernel's launches are to be checked or saved.
    fn is_wanted(&self, name: &str) -> bool {
        match self.only_saves() {
            true => self.options.lets_through(name),
            false => self.instrumented.get(name).copied().unwrap_or(false),
        }
    }

    /// Returns whether launches of a kernel may be saved.
    fn is_saved(&self, name: &str, image: ImageId) -> bool {
        self.is_wanted(name) && self.unchecked(name, Some(image)).is_none()
    }

    /// Counts a launch, and returns whether it is the first one of its kernel.
    fn count(&mut self, name: &str, launch: &Launch, is_checked: bool) -> bool {
        // A launch that is only saved counts as checked where it is replayed.
        let checked = is_checked && !self.only_saves();
        let at = self.kernel(name);
        let kernel = &mut self.result.kernels[at];
        kernel.launches += 1;
        kernel.checked += u64::from(checked);
        kernel.blocks += launch.blocks;
        kernel.threads += launch.threads;
        let first = kernel.launches == 1;
        let sum = &mut self.result.counters;
        sum.launches += 1;
        sum.checked += u64::from(checked);
        sum.threads += launch.threads;
        self.dirty = true;
        first
    }

    /// Returns the order of launches.
    pub(crate) fn order(&mut self) -> &mut Order {
        &mut self.order
    }

    /// Returns the launch parameter of a kernel. `parameter` asks the driver for a parameter's offset and
    /// size.
    fn launched(
        &mut self,
        handle: usize,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<Launched> {
        let function = self.functions.get_mut(&handle)?;
        if let Some(known) = function.launched {
            return known;
        }
        let is_there = |launched: &&Launched| {
            parameter(launched.parameters as usize) == Some((launched.at as usize, BYTES as usize))
        };
        let found = self.launched.get(&function.name).and_then(|all| all.iter().find(is_there).copied());
        // The driver may reuse a handle whose origin was not observed, so nothing is cached for it.
        if function.image.is_some() {
            function.launched = Some(found);
        }
        found
    }

    /// Returns the index of the launch parameter that was added to a kernel, if one was.
    pub(crate) fn added(
        &mut self,
        handle: usize,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<usize> {
        Some(self.launched(handle, parameter)?.parameters as usize)
    }

    /// Returns the value of the launch parameter for a launch into a stream or a graph, if the kernel has
    /// one.
    pub(crate) fn told(
        &mut self,
        handle: usize,
        stream: Option<*mut c_void>,
        overlaps: bool,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<([u8; BYTES as usize], Launched)> {
        let launched = self.launched(handle, parameter);
        let Some(stream) = stream else {
            if launched.is_some() && driver::devices() > 1 {
                let what = "kernels of graphs were not checked: engine guard looks at them where a program sees one GPU";
                self.unseen.insert(what.into());
            }
            return launched.map(|launched| (Launches::UNKNOWN, launched));
        };
        let key = streams::seen(&mut self.order, stream);
        let Some(launched) = launched else {
            self.order.passed(key);
            return None;
        };
        let told = self.order.launched(key, launched, overlaps);
        let table = self.order.device(key).and_then(|device| self.tables.base(device));
        Some((Launches::with_table(told, table.unwrap_or(0)), launched))
    }

    /// Returns whether launches carry the launch parameter. Otherwise kernels have the program's own
    /// signature.
    pub(crate) fn tells(&self) -> bool {
        matches!(self.options.engine, Engine::Guard { .. })
    }

    /// Returns the description of a kernel that is launched without the launch parameter, if it synchronises
    /// with the host and other kernels by its end only.
    pub(crate) fn untold(
        &mut self,
        handle: usize,
        stream: Option<*mut c_void>,
        overlaps: bool,
    ) -> Option<Launched> {
        let Some(stream) = stream else {
            watch::doubts();
            return None;
        };
        let key = streams::seen(&mut self.order, stream);
        let function = self.functions.get(&handle);
        let is_checked = |f: &&Function| {
            f.image.and_then(|image| self.images.get(image)).is_some_and(|image| image.unchecked.is_none())
        };
        let parameters = function.filter(is_checked).and_then(|f| *self.quiet.get(&f.name)?);
        let Some(parameters) = parameters else {
            watch::doubts();
            self.order.passed(key);
            return None;
        };
        let kernel = Launched::plain(parameters);
        (self.order.launched(key, kernel, overlaps) != Launches::UNKNOWN).then_some(kernel)
    }

    /// Records a managed variable, which host and device access.
    pub(crate) fn managed_variable(&mut self, base: u64, bytes: u64, name: String) {
        if !has_order() || self.allocations.iter().any(|known| known.base == base) {
            return;
        }
        watch::allocated(base, bytes, true, true);
        if self.allocations.len() < ALLOCATIONS {
            let (kind, call) = (AllocKind::Managed, HostCall::default());
            self.allocations.push(Allocation { base, bytes, kind, name: Some(name), call, device: 0 });
        }
    }

    /// Protects the memory that a launch with these argument words may access, or that a copy accesses.
    pub(crate) fn flies(&self, words: &[u64], kernel: bool) {
        // The table is consulted only on programs that see one device.
        if (driver::devices() == 1 || !self.tells()) && !self.ended {
            watch::flies(words, kernel, self.order.host(), self.order.so_far());
        }
    }

    /// Returns whether the table of the current device is in the device's memory.
    pub(crate) fn may_make_room(&self) -> bool {
        self.tables.may_leave()
    }

    /// Moves the table to the host's memory and returns whether that may have made room. No kernel runs
    /// meanwhile.
    pub(crate) fn makes_room(&mut self) -> bool {
        self.tables.leave()
    }

    pub(crate) fn allocated(&mut self, base: u64, bytes: u64, kind: AllocKind, api: &str) {
        self.ready();
        self.order.allocated(base, bytes);
        let managed = kind == AllocKind::Managed;
        if has_order() && (managed || kind == AllocKind::HostMapped) {
            watch::allocated(base, bytes, managed, false);
        }
        let call = HostCall { api: api.to_owned(), site: None };
        let allocation = Allocation { base, bytes, kind, name: None, call, device: 0 };
        if self.saves() {
            self.live.add(allocation.clone());
        }
        if self.allocations.len() < ALLOCATIONS {
            self.allocations.push(allocation);
            self.result.counters.allocations += 1;
            self.dirty = true;
        }
    }

    pub(crate) fn freed(&mut self, base: u64) {
        self.order.freed(base);
        watch::freed(base);
        self.live.remove(base);
    }

    /// Associates a handle with a texture or surface of the program.
    pub(crate) fn image(&mut self, handle: u64, described: Option<Described>) {
        self.images_of.insert(handle, described);
    }

    pub(crate) fn image_gone(&mut self, handle: u64) {
        self.images_of.remove(&handle);
    }

    /// Returns whether launches are saved.
    fn saves(&self) -> bool {
        self.options.save_launch.is_some() || self.options.capture.is_some()
    }

    /// Returns whether launches are only saved, while kernels stay uninstrumented.
    fn only_saves(&self) -> bool {
        self.options.engine == Engine::Capture
    }

    /// Records why no launch of a kernel may have been saved.
    fn not_saved(&mut self, kernel: &str, why: &str) {
        self.without_launch.entry(kernel.to_owned()).or_insert_with(|| why.to_owned());
    }

    /// Saves a checked launch that is about to begin, if the options ask for it.
    fn save_launch(&mut self, function: usize, name: &str, image: ImageId, call: capture::Call) {
        let number = self.result.counters.launches;
        if let Some(path) = self.picked(name, (call.grid, call.block), &number.to_string()) {
            let which = format!("launch {number} (`{}`)", symbol::short(name));
            self.save(function, (name, &which), image, call, path);
        }
    }

    /// Returns the path at which a launch of a kernel is to be saved, or `None`.
    fn picked(&mut self, name: &str, geometry: ([u32; 3], [u32; 3]), label: &str) -> Option<PathBuf> {
        let number = self.result.counters.launches;
        match (&self.options.save_launch, &self.options.capture) {
            (Some(path), _) if self.saved.files == 0 && number > self.options.launch_skip => {
                Some(path.clone())
            }
            (None, Some(folder)) => {
                let path = folder.join(format!("{}-{label}.launch", self.result.pid));
                let pick = (self.options.capture_pick, self.options.plan.run.seed);
                let (sink, checks) = (&self.sink, self.by_kernel.get(name));
                // Records that running kernels write at this moment are found at the next launch.
                let flagged = || {
                    let mut numbers = checks.into_iter().flatten();
                    sink.as_ref().is_some_and(|sink| numbers.any(|check| sink.is_written(*check)))
                };
                self.saved.takes(pick, number, name, geometry, flagged).then_some(path)
            }
            _ => None,
        }
    }

    /// Saves a launch that is about to begin. `which` names it in messages.
    fn save(
        &mut self,
        function: usize,
        (name, which): (&str, &str),
        image: ImageId,
        call: capture::Call,
        path: PathBuf,
    ) {
        let (number, asked) = (self.result.counters.launches, self.options.save_launch.is_some());
        let Some(texts) = self.images.get(image).and_then(|image| image.texts.as_ref()) else { return };
        let room = capture::MOST_TOGETHER.saturating_sub(self.saved.bytes);
        let most = (!asked).then_some(capture::MOST_BYTES.min(room));
        let done = if most == Some(0) {
            Err(format!("{} MiB have been saved already", self.saved.bytes >> 20))
        } else {
            let function = function as *mut c_void;
            let wanted = capture::Wanted {
                function,
                kernel: name,
                number,
                texts,
                call,
                live: &self.live,
                images: &self.images_of,
                most,
            };
            // SAFETY: the pointers are the arguments of a launch that has not begun.
            unsafe { capture::save(&wanted, &path) }
        };
        match done {
            Ok(bytes) => {
                self.saved.files += 1;
                self.saved.bytes += bytes;
                if asked {
                    let shown = path.display();
                    let what = format!("saved {which} in {shown}; `warprace replay {shown}` runs it again");
                    self.notes.push(what);
                }
                self.result.launches.push(SavedLaunch { kernel: name.to_owned(), file: path });
            }
            Err(why) => self.unsaved(name, which, &why),
        }
    }

    /// Records why a launch that was to be saved is not.
    fn unsaved(&mut self, name: &str, which: &str, why: &str) {
        if self.options.save_launch.is_some() {
            self.unsaved.push(format!("{which} could not be saved: {why}"));
        } else if self.only_saves() {
            self.not_saved(name, why);
        } else {
            self.notes.push(format!("{which} was not saved: {why}"));
        }
    }

    /// Forgets a destroyed context, or all contexts of a device that was reset.
    pub(crate) fn context_gone(&mut self, device: Option<c_int>) {
        if device.is_some() {
            self.live.clear();
        }
        if let Some(sink) = &mut self.sink {
            sink.forget();
        }
        self.tables.forget(device);
        self.ranges.forget();
        stack::forget();
    }

    /// Writes the result file, if there is anything to report.
    fn write(&mut self, finished: bool) {
        let first = self.written.is_none();
        if self.tell(finished)
            && let Err(error) = self.writer.now(&self.result)
            && (first || finished)
        {
            // The command line also reports a missing file.
            let file = self.options.results.display();
            log::complain(format_args!("warprace: cannot write what was seen to {file}: {error}\n"));
        }
    }

    /// Fills in the result; returns false if there is nothing to report.
    fn tell(&mut self, finished: bool) -> bool {
        let told = self.result.uses_cuda || self.result.obstacle.is_some();
        if !told || (!self.dirty && !finished && self.written.is_some()) {
            return false;
        }
        self.result.finished = finished;
        self.result.serial += 1;
        self.result.sink = self.sink.as_ref().map(|sink| protocol::Sink {
            file: sink.name(),
            checks: self.checks.clone(),
            calls: self.calls.clone(),
            allocations: self.allocations.clone(),
        });
        self.result.inconclusive = self.doubts();
        self.result.limits = self.limits();
        self.written = Some(Instant::now());
        self.dirty = false;
        true
    }

    /// Returns notes about kernels that ran without checks.
    fn doubts(&self) -> Vec<String> {
        let is_saved = |kernel: &str| self.result.launches.iter().any(|launch| launch.kernel == kernel);
        let unsaved = self.without_launch.iter().filter(|(kernel, _)| !is_saved(kernel));
        let mut out: Vec<String> = self
            .left_out
            .iter()
            .chain(unsaved)
            .take(NAMED)
            .map(|(kernel, why)| format!("kernel `{}` was not checked: {why}", symbol::short(kernel)))
            .collect();
        out.extend(self.unsaved.iter().chain(&self.unseen).cloned());
        if self.ended {
            let why = "engine guard cannot tell launches apart that graphs make by themselves, and looked at nothing";
            out.push(why.into());
        }
        if self.left_out.len() > NAMED {
            out.push(format!("{} more kernels were not checked", self.left_out.len() - NAMED));
        }
        out
    }

    /// Returns notes about unchecked instructions in checked kernels.
    fn limits(&self) -> Vec<String> {
        let named = |(why, count): (&Unchecked, &u32)| format!("{count} {}", why.name());
        let all: Vec<String> = self.without.iter().map(named).collect();
        let unchecked =
            (!all.is_empty()).then(|| format!("instructions without a check: {}", all.join(", ")));
        unchecked
            .into_iter()
            .chain(self.pruned.describe())
            .chain(self.notes.iter().take(NAMED).cloned())
            .chain(self.tables.on_host().then(|| ON_HOST.into()))
            .collect()
    }
}
