//! What is known of the process, and the file that tells it.
//!
//! **Size:** one lock is around all that is known, and what a launch, a module or an allocation changes is told together.

mod graphs;
mod hosts;
mod ranges;

pub(crate) use graphs::PickedNode;
pub(crate) use ranges::Accessed;

use crate::driver;
use crate::graphs::Graphs;
use crate::hooks::{Code, UNKNOWN};
use crate::images::{Described, Images};
use crate::instrumented::{Image, Module, Pass};
use crate::order::Order;
use crate::sink::Sink;
use crate::table::Tables;
use crate::writer::Writer;
use crate::{active, capture, image, log, stack, streams, watch};
use events::task::HostCall;
use events::{AllocKind, Allocation, Engine};
use instrument::collide::{IN_ORDER, Options, Unchecked};
use instrument::guard;
use instrument::guard::launches::{BYTES, Launched, Launches};
use instrument::prune::Pruned;
use protocol::names;
use protocol::{
    Check, EqualValues, KernelSummary, Obstacle, PROTOCOL_VERSION, RESULT_EXTENSION, RunOptions, RunResult,
    SavedLaunch,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Allocations that are told; programs that make more of them get fewer names in their reports.
const ALLOCATIONS: usize = 1 << 16;
/// Kernels without a check that are told by name.
const NAMED: usize = 20;
/// Launches alone are told so often.
const PULSE: Duration = Duration::from_secs(1);
/// Writing is quick if it takes less.
const QUICK: Duration = Duration::from_millis(5);
/// Writing takes at most one of so many parts of the time.
const SHARE: u32 = 20;

/// What is said of a table that the device has no room for.
const ON_HOST: &str = "the GPU's memory is full: engine guard's table is in the host's, which is slower";

static STATE: OnceLock<Mutex<State>> = OnceLock::new();
/// Is the order of launches of interest?
static ORDERED: AtomicBool = AtomicBool::new(false);
/// Are launches saved?
static SAVES: AtomicBool = AtomicBool::new(false);

/// What a handle of the driver's names, by [`State::images`].
pub(crate) type ImageId = usize;

/// An image that was loaded.
#[derive(Debug)]
struct Loaded {
    /// Its PTX, if launches are to be saved.
    texts: Option<image::Texts>,
    /// Why its kernels have no checks, if they have none.
    unchecked: Option<String>,
}

/// A kernel by its handle.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Mangled.
    pub(crate) name: String,
    pub(crate) image: Option<ImageId>,
    /// Was a parameter added to it? `None`: nobody has asked yet.
    pub(crate) launched: Option<Option<Launched>>,
}

/// A launch, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) function: usize,
    pub(crate) blocks: u64,
    pub(crate) threads: u64,
    /// Of one that begins now, and is no part of a graph.
    pub(crate) call: Option<capture::Call>,
}

pub(crate) struct State {
    options: RunOptions,
    result: RunResult,
    begun: u128,
    images: Vec<Loaded>,
    /// Of modules and libraries.
    handles: HashMap<usize, ImageId>,
    functions: HashMap<usize, Function>,
    /// Of `result.kernels`, by name.
    kernels: HashMap<String, usize>,
    /// Entry points that were instrumented, by name, and whether they were to be checked.
    instrumented: HashMap<String, bool>,
    /// Those of texts that the driver links: what it makes of them comes back as machine code.
    linked: HashSet<String>,
    sink: Option<Sink>,
    /// Engine `guard`'s.
    tables: Tables,
    /// Kernels that it does not look at on this machine, and devices without a table.
    unseen: BTreeSet<String>,
    /// Its kernels to which a parameter was added, by name.
    launched: HashMap<String, Vec<Launched>>,
    /// Engine `collide`'s that are ordered with the host by launches and ends alone, and the number of their parameters; `None` for others.
    quiet: HashMap<String, Option<u32>>,
    order: Order,
    ranges: ranges::Ranges,
    /// Checks that stand for instructions of the host.
    hosts: hosts::Hosts,
    /// Does it look at nothing, since it could not tell launches apart?
    ended: bool,
    checks: Vec<Check>,
    /// Calls of the program that some of them are.
    calls: Vec<HostCall>,
    /// Their numbers, by the kernel that they are in.
    by_kernel: HashMap<String, Vec<u32>>,
    allocations: Vec<Allocation>,
    live: capture::Live,
    saved: capture::Saved,
    graphs: Graphs,
    images_of: Images,
    /// Instructions without a check.
    without: BTreeMap<Unchecked, u32>,
    /// Those that need none.
    pruned: Pruned,
    left_out: BTreeMap<String, String>,
    /// Kernels of which a launch was to be saved and is not, and why the first one is not.
    without_launch: BTreeMap<String, String>,
    /// What is said of saved launches, and of those that were asked for and are not.
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

/// Are launches of this process saved?
pub(crate) fn saves() -> bool {
    active::is_active() && SAVES.load(Ordering::Relaxed)
}

/// Does engine `collide` look at what copies and the host access, too? Not in production.
fn looks_at_calls(engine: Engine) -> bool {
    matches!(engine, Engine::Collide { preset, .. } if preset.name() != Options::SAMPLED)
}

/// The state, if this process is checked.
pub(crate) fn lock() -> Option<MutexGuard<'static, State>> {
    if !active::is_active() {
        return None;
    }
    STATE.get().map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Does anybody want to know of [`State::order`]?
pub(crate) fn has_order() -> bool {
    ORDERED.load(Ordering::Relaxed)
}

/// The process ends.
pub(crate) fn finish() {
    // A thread that holds it does not let go any more if this one was ended in the middle.
    if active::is_active()
        && let Some(mut state) = STATE.get().and_then(|state| state.try_lock().ok())
    {
        state.host_saw();
        state.write(true);
    }
}

/// This is the child of a fork.
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

    /// The driver could not be initialised.
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

    /// What to load in the place of an image for a device of such a compute capability, and its id.
    ///
    /// # Safety
    /// That of [`image::texts`].
    pub(crate) unsafe fn load(&mut self, at: *const c_void, device: u32) -> (ImageId, Option<Image>) {
        self.result.uses_cuda = true;
        self.dirty = true;
        // SAFETY: the caller's promise.
        let read = unsafe { image::texts(at, device) };
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

    /// Makes ready what kernels write to, if there is a context already: a first launch need not wait for that then.
    fn ready(&mut self) {
        if let Some(sink) = self.sink.as_mut().filter(|_| driver::has_context()) {
            // What fails fails again at the launch, which says so.
            let _ = sink.register();
            // Of several devices only those get a table that launch something.
            if driver::devices() == 1 {
                let _ = self.tables.begin();
            }
        }
    }

    /// What to load in the place of these texts.
    fn replace(&mut self, texts: &image::Texts, device: u32) -> Result<Image, String> {
        let module = self.instrument(texts, true)?;
        let image = module.image(texts, device)?;
        stack::loads(&texts.texts, self.options.engine);
        self.take(module);
        Ok(image)
    }

    /// What to link in the place of one text; `None` if it has to be linked as it is.
    pub(crate) fn replace_text(&mut self, texts: &image::Texts) -> Option<String> {
        self.result.uses_cuda = true;
        if self.only_saves() {
            return None;
        }
        // What else is linked, and whether that launches kernels, is not known here.
        let mut module = self.instrument(texts, false).ok()?;
        let text = module.texts.pop();
        stack::loads(&texts.texts, self.options.engine);
        self.linked.extend(module.kernels.iter().map(|kernel| kernel.name.clone()));
        self.take(module);
        text
    }

    fn instrument(&mut self, texts: &image::Texts, alone: bool) -> Result<Module, String> {
        let sink = self.sink()?;
        let first_check = self.checks.len() as u32;
        let prune = self.options.engine.prunes();
        let equal_values = self.options.equal_values == EqualValues::Race;
        let beside = Options::beside(self.options.engine, sink).map(|o| Options { equal_values, ..o });
        let pass = match self.options.engine {
            Engine::Guard { .. } => {
                let (table, lines) = self.tables.prepare()?;
                // Whether the parameter is there is asked of the driver.
                let asks = !driver::function(c"cuFuncGetParamInfo").is_null();
                let told = alone && asks && !texts.texts.iter().any(|text| guard::launches::launches(text));
                let options = guard::Options { sink, table, lines, exchange: true, told, first_check, prune };
                Pass::Guard(options, beside)
            }
            engine => {
                let options = Options::of(engine, sink).ok_or("its engine puts no checks into kernels")?;
                Pass::Collide(Options { first_check, equal_values, ..options })
            }
        };
        let wanted = |name: &str| self.options.lets_through(name);
        let module = Module::of(&texts.texts, &pass, &mut self.result.sites, &wanted)?;
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

    /// Its checks will be made.
    fn take(&mut self, module: Module) {
        log::note(|| format!("{} checks in {} kernels", module.checks.len(), module.kernels.len()));
        for (why, count) in &module.unchecked {
            *self.without.entry(*why).or_default() += count;
        }
        self.pruned.add(module.pruned);
        if module.in_order && !self.notes.iter().any(|note| note == IN_ORDER) {
            self.notes.push(IN_ORDER.into());
        }
        let check = |c: &instrument::collide::Check| Check {
            site: c.site,
            writes: c.writes,
            size: c.size,
            call: None,
        };
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
            // Of those with one name all have to be.
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

    /// The driver would not have what was to take an image's place.
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

    /// A graph is about to be launched in that stream.
    pub(crate) fn repeats(&mut self, stream: *mut c_void) {
        if self.tables.forget_launch(stream).is_err() {
            self.repeats_alone();
        }
    }

    /// Kernels may be launched again and again without the host.
    pub(crate) fn repeats_alone(&mut self) {
        if let Engine::Guard { .. } = self.options.engine {
            self.ended = true;
            self.tables.end();
        }
    }

    /// A module or library has this handle.
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

    /// Before a launch: makes sure that its kernel can write what it sees. Fails with the code that the program gets.
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
            // Its launches are told that there is none.
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
            // A node of a graph.
            (None, _) if is_checked => self.in_graph(&name),
            _ => {}
        }
        // A kernel that has begun may never end: what is quickly told is told at once. Nobody waits for that: the program may
        // be about to look at the time.
        let cost = self.writer.cost();
        let rest = match first {
            true if cost < QUICK => Duration::ZERO,
            true => cost * SHARE,
            false => (cost * SHARE).max(PULSE),
        };
        if self.written.is_none_or(|at| at.elapsed() >= rest) && self.tell(false) {
            // What cannot be written is complained of at the end.
            let _ = self.writer.soon(&self.result);
        }
        Ok(())
    }

    /// Why a kernel has no checks, or cannot be saved.
    fn unchecked(&self, name: &str, image: Option<ImageId>) -> Option<String> {
        match image.and_then(|image| self.images.get(image)) {
            Some(Loaded { unchecked: Some(why), .. }) if !self.linked.contains(name) => Some(why.clone()),
            Some(_) if self.only_saves() => None,
            _ if self.instrumented.contains_key(name) => None,
            _ => Some("nobody saw it being loaded".into()),
        }
    }

    /// Are a kernel's launches to be checked?
    fn is_wanted(&self, name: &str) -> bool {
        match self.only_saves() {
            true => self.options.lets_through(name),
            false => self.instrumented.get(name).copied().unwrap_or(false),
        }
    }

    /// May launches of a kernel be saved?
    fn is_saved(&self, name: &str, image: ImageId) -> bool {
        self.is_wanted(name) && self.unchecked(name, Some(image)).is_none()
    }

    /// Counts a launch: is it the first one of its kernel?
    fn count(&mut self, name: &str, launch: &Launch, is_checked: bool) -> bool {
        // What is only saved counts where it is checked.
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

    /// The order of launches, as far as it is known.
    pub(crate) fn order(&mut self) -> &mut Order {
        &mut self.order
    }

    /// The parameter that was added to a kernel; `parameter` asks the driver where one stands, and for its bytes.
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
        // A handle of which nobody saw where it comes from may come to mean something else.
        if function.image.is_some() {
            function.launched = Some(found);
        }
        found
    }

    /// Which parameter was added to a kernel, if one was.
    pub(crate) fn added(
        &mut self,
        handle: usize,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<usize> {
        Some(self.launched(handle, parameter)?.parameters as usize)
    }

    /// What a launch into a stream, or a graph, is told, if its kernel has a parameter for it.
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

    /// Are launches told which one they are? Otherwise kernels are as the program knows them.
    pub(crate) fn tells(&self) -> bool {
        matches!(self.options.engine, Engine::Guard { .. })
    }

    /// A launch into a stream, or a graph, that is told nothing: its kernel, if the host and others know of it by its end alone.
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

    /// A variable that host and device access.
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

    /// Something was launched that was given these words, or that accesses memory there itself.
    pub(crate) fn flies(&self, words: &[u64], kernel: bool) {
        // Tables are looked up where there is one.
        if (driver::devices() == 1 || !self.tells()) && !self.ended {
            watch::flies(words, kernel, self.order.host(), self.order.so_far());
        }
    }

    /// Has the GPU a table in its memory?
    pub(crate) fn may_make_room(&self) -> bool {
        self.tables.may_leave()
    }

    /// Has it in the host's from now on; true if there may be more room now. No kernel runs.
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

    /// A texture or surface of the program has this handle.
    pub(crate) fn image(&mut self, handle: u64, described: Option<Described>) {
        self.images_of.insert(handle, described);
    }

    pub(crate) fn image_gone(&mut self, handle: u64) {
        self.images_of.remove(&handle);
    }

    /// Are launches saved?
    fn saves(&self) -> bool {
        self.options.save_launch.is_some() || self.options.capture.is_some()
    }

    /// Are launches only saved, and kernels as they were?
    fn only_saves(&self) -> bool {
        self.options.engine == Engine::Capture
    }

    /// Why no launch of a kernel may have been saved.
    fn not_saved(&mut self, kernel: &str, why: &str) {
        self.without_launch.entry(kernel.to_owned()).or_insert_with(|| why.to_owned());
    }

    /// Saves a launch that is checked and about to begin, if that was asked for.
    fn save_launch(&mut self, function: usize, name: &str, image: ImageId, call: capture::Call) {
        let number = self.result.counters.launches;
        if let Some(path) = self.picked(name, (call.grid, call.block), &number.to_string()) {
            let which = format!("launch {number} (`{}`)", names::short(name));
            self.save(function, (name, &which), image, call, path);
        }
    }

    /// Where a launch of a kernel that begins now is to be saved, if it is.
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
                // What others write now is seen at the next launch.
                let flagged = || {
                    let mut numbers = checks.into_iter().flatten();
                    sink.as_ref().is_some_and(|sink| numbers.any(|check| sink.is_written(*check)))
                };
                self.saved.takes(pick, number, name, geometry, flagged).then_some(path)
            }
            _ => None,
        }
    }

    /// Saves a launch that begins now; `which` names it in messages.
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
            // SAFETY: the arguments of a launch that has not begun.
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

    /// Of a launch that was to be saved, why it is not.
    fn unsaved(&mut self, name: &str, which: &str, why: &str) {
        if self.options.save_launch.is_some() {
            self.unsaved.push(format!("{which} could not be saved: {why}"));
        } else if self.only_saves() {
            self.not_saved(name, why);
        } else {
            self.notes.push(format!("{which} was not saved: {why}"));
        }
    }

    /// A context is gone, or all of a device.
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

    /// Writes the result file, if there is anything to say.
    fn write(&mut self, finished: bool) {
        let first = self.written.is_none();
        if self.tell(finished)
            && let Err(error) = self.writer.now(&self.result)
            && (first || finished)
        {
            // The command line will miss the file, too.
            let file = self.options.results.display();
            log::complain(format_args!("warprace: cannot write what was seen to {file}: {error}\n"));
        }
    }

    /// Puts into the result what is to be written; false if there is nothing to say.
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

    /// Kernels that ran without a check.
    fn doubts(&self) -> Vec<String> {
        let is_saved = |kernel: &str| self.result.launches.iter().any(|launch| launch.kernel == kernel);
        let unsaved = self.without_launch.iter().filter(|(kernel, _)| !is_saved(kernel));
        let mut out: Vec<String> = self
            .left_out
            .iter()
            .chain(unsaved)
            .take(NAMED)
            .map(|(kernel, why)| format!("kernel `{}` was not checked: {why}", names::short(kernel)))
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

    /// What has no check in kernels that have.
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
