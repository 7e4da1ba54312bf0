//! Decides which launches run without checks, because they are proved.
//!
//! A proof is about one launch by itself. What else may access the same memory must be ordered with the launch, or the
//! launch must leave its accesses in the table. So a launch runs without checks only if
//!
//! * all streams that the program has are ordered with the launch's, by the rule of the legacy default stream; or, under
//!   `guard`, the launch repeats one that has made its checks ([`repeats`](super::repeats));
//! * no launch of the process may begin before the kernel before it has ended;
//! * its arguments lead to memory of the device alone, which the host does not access;
//! * it is not part of a graph.
//!
//! Accesses of shared memory are the launch's own. Their checks are left out wherever they are proved ([`left_out`]).
//!
//! [`left_out`]: super::left_out

use super::State;
use super::left_out::{Outcomes, Reason};
use super::modules::ImageId;
use crate::capture::Call;
use crate::order::Repeated;
use crate::proofs::facts::{self, Place};
use crate::proofs::original::{self, Original, Twin};
use crate::proofs::{self, Found, Module};
use crate::{driver, streams, watch};
use compilers::Texts;
use instrument::guard::groups::LeftOut;
use protocol::proofs::AskedLaunch;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

/// Limits how many addresses are remembered.
const ADDRESSES: usize = 1 << 16;
/// The number of launches that run with their checks where a program sees several devices.
const CHECKED_FIRST: u64 = 64;
/// Limits the parameters of a kernel that is asked about.
const PARAMETERS: usize = 256;
/// Names of functions by which kernels change nodes begin so (device runtime, "Device-side Kernel Node Update").
const CHANGES_NODES: &str = "cudaGraphKernelNode";
/// Up to this size, dynamic shared memory needs no permission.
const SMALL: u32 = 16 << 10;

/// An image whose kernels have checks.
#[derive(Debug)]
struct Brought {
    module: Arc<Module>,
    original: Original,
    /// The modules of the original image by context; `None` if the driver refused it.
    loaded: HashMap<usize, Option<usize>>,
}

/// An original kernel.
#[derive(Clone, Debug)]
struct Kernel {
    function: usize,
    /// The bytes of dynamic shared memory that it is allowed.
    shared: u32,
    /// The constants that it may read.
    twins: Arc<[Twin]>,
}

#[derive(Debug, Default)]
pub(super) struct Proofs {
    images: HashMap<ImageId, Brought>,
    /// The original kernels by handle and context; `None` if there is none.
    functions: HashMap<(usize, usize), Option<Kernel>>,
    /// The sizes of kernels' own parameters, by handle.
    sizes: HashMap<usize, Arc<[usize]>>,
    /// The memory at addresses, until memory is allocated or freed.
    places: HashMap<u64, Place>,
    /// Whether some launch may have begun before the kernel before it had ended.
    overlaps: bool,
    /// Whether the program has registered memory of its own.
    registered: bool,
    /// Whether kernels of the program may change nodes of graphs.
    changes_nodes: bool,
    /// The number of launches so far.
    launches: u64,
    pub(super) outcomes: Outcomes,
}

/// A launch of which a proof may be used.
pub(crate) struct Provable {
    /// The question for the prover, if its answer can be used.
    question: Option<(Arc<Module>, AskedLaunch)>,
    /// The launch, if others may repeat it beside streams that are not ordered with its own.
    repeated: Option<Repeated>,
}

/// The checks that a launch does without, since it is proved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Without {
    /// The program's own kernel, if the launch runs without any check.
    pub(crate) original: Option<*mut c_void>,
    /// The checks that the kernel with checks leaves out.
    pub(crate) left_out: LeftOut,
    /// The launch, if it makes its checks of global memory and others may repeat it.
    pub(crate) repeated: Option<Repeated>,
    /// The allocations that the launch accesses; `None` if it may access any memory.
    pub(crate) memory: Option<Vec<u64>>,
}

impl Proofs {
    /// Forgets what is at addresses.
    pub(super) fn moved(&mut self) {
        self.places.clear();
    }

    /// Forgets a handle, which the driver has given to another kernel.
    pub(super) fn forget_kernel(&mut self, handle: usize) {
        self.functions.retain(|(of, _), _| *of != handle);
        self.sizes.remove(&handle);
    }

    /// Forgets the modules of destroyed contexts.
    pub(super) fn forget(&mut self) {
        self.functions.clear();
        self.sizes.clear();
        self.places.clear();
        self.images.values_mut().for_each(|image| image.loaded.clear());
    }
}

impl State {
    /// Keeps an image that is loaded with checks.
    ///
    /// # Safety
    /// That of [`compilers::image::texts`].
    pub(super) unsafe fn brought(&mut self, image: ImageId, at: *const c_void, texts: &Texts, device: u32) {
        if !proofs::are_used() {
            return;
        }
        self.proofs.changes_nodes |= texts.texts.iter().any(|text| text.contains(CHANGES_NODES));
        let Some(module) = Module::new(&texts.texts) else { return };
        // SAFETY: the caller's promise.
        let Some(original) = (unsafe { Original::new(at, texts, device) }) else { return };
        let brought = Brought { module: Arc::new(module), original, loaded: HashMap::new() };
        self.proofs.images.insert(image, brought);
    }

    /// Records a launch that may begin before the kernel before it has ended.
    pub(crate) fn overlaps(&mut self) {
        self.proofs.overlaps = true;
    }

    /// Counts a launch of which no proof can be used.
    fn refuses<T>(&mut self, why: Reason) -> Option<T> {
        self.proofs.outcomes.refused(why);
        None
    }

    /// Returns the facts of a launch that a proof would let run without checks, or without some of them.
    ///
    /// # Safety
    /// The call's arguments are those of a launch of this kernel.
    pub(crate) unsafe fn provable(
        &mut self,
        function: *mut c_void,
        call: &Call,
        is_node: bool,
    ) -> Option<Provable> {
        // A program that uses several devices does so early.
        self.proofs.launches = self.proofs.launches.saturating_add(1);
        if driver::devices() > 1 && (self.proofs.launches <= CHECKED_FIRST || self.tables.may_meet()) {
            return self.refuses(Reason::Devices);
        }
        let handle = function as usize;
        let known = self.modules.functions.get(&handle)?;
        let (name, image) = (known.name.clone(), known.image?);
        if self.ended || self.unchecked(&name, Some(image)).is_some() || !self.is_wanted(&name) {
            return None;
        }
        let beside = if is_node { Some(Reason::Graph) } else { self.beside(call) };
        let may_repeat = beside == Some(Reason::Streams) && self.may_repeat(function, &name);
        // Shared memory is not accessed by what runs beside the launch.
        let is_shared = self.tells() && self.proofs.outcomes.has_shared(&name);
        if let Some(why) = beside.filter(|_| !may_repeat) {
            self.proofs.outcomes.refused(why);
            if why == Reason::Cluster || !is_shared {
                return None;
            }
        }
        let Some(brought) = self.proofs.images.get(&image) else { return self.refuses(Reason::Image) };
        if is_node && (self.proofs.changes_nodes || brought.module.asks_for_clusters()) {
            return None;
        }
        let module = Arc::clone(&brought.module);
        let sizes = self.parameter_sizes(function)?;
        let places = &mut self.proofs.places;
        if places.len() > ADDRESSES {
            places.clear();
        }
        let place = |address: u64| {
            *places.entry(address).or_insert_with(|| Place::of(address, super::ranges::allocation(address)))
        };
        // SAFETY: the caller's promise.
        let Some(launch) = (unsafe { facts::of(&name, &sizes, call, place) }) else {
            return self.refuses(Reason::Memory);
        };
        if !may_repeat {
            return Some(Provable { question: Some((module, launch)), repeated: None });
        }
        let repeated = Repeated { function: handle, launch: launch.clone() };
        let is_repeat = self.is_repeat(call, &repeated);
        if !is_repeat {
            self.proofs.outcomes.refused(Reason::Streams);
            self.loads_for_repeats(image);
        }
        let question = (is_repeat || is_shared).then_some((module, launch));
        Some(Provable { question, repeated: Some(repeated) })
    }

    /// Returns the sizes of a kernel's own parameters.
    fn parameter_sizes(&mut self, function: *mut c_void) -> Option<Arc<[usize]>> {
        let handle = function as usize;
        if let Some(known) = self.proofs.sizes.get(&handle) {
            return Some(Arc::clone(known));
        }
        let parameter = |n| driver::parameter(function, n);
        let own = self.modules.launch_parameter(handle, parameter).map(|added| added.parameters as usize);
        let all = (0..own.unwrap_or(PARAMETERS)).map_while(|n| Some(parameter(n)?.1));
        let sizes: Arc<[usize]> = all.collect();
        if !driver::tells_parameters() || own.is_some_and(|own| own != sizes.len()) {
            return None;
        }
        self.proofs.sizes.insert(handle, Arc::clone(&sizes));
        Some(sizes)
    }

    /// Returns whether everything that accesses memory is ordered with a launch, or told by the launch's arguments.
    pub(super) fn is_alone(&mut self, call: &Call) -> bool {
        !self.ended && self.beside(call).is_none()
    }

    /// Returns why something may access a launch's memory beside it; `None` if nothing may.
    fn beside(&mut self, call: &Call) -> Option<Reason> {
        match () {
            () if call.cluster != [1; 3] => Some(Reason::Cluster),
            // When a graph runs is not known.
            () if streams::is_captured(call.stream) => Some(Reason::Graph),
            () if self.proofs.overlaps => Some(Reason::Early),
            () => {
                let stream = streams::seen(&mut self.order, call.stream);
                (!self.order.is_alone(stream)).then_some(Reason::Streams)
            }
        }
    }

    /// Loads the original kernels of an image, if no kernel runs: those of repeats begin while others do.
    fn loads_for_repeats(&mut self, image: ImageId) {
        if let Some(context) = driver::context().filter(|_| self.order.is_idle())
            && let Some(brought) = self.proofs.images.get_mut(&image)
        {
            let Brought { original, loaded, .. } = brought;
            loaded.entry(context).or_insert_with(|| original.load());
        }
    }

    /// Returns the original kernel of a launch that is proved and may run without checks.
    pub(crate) fn original(
        &mut self,
        function: *mut c_void,
        call: &Call,
        constants: &[String],
    ) -> Option<*mut c_void> {
        let key = (function as usize, driver::context()?);
        let found = match self.proofs.functions.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = self.load_original(function, key.1, constants)?;
                self.proofs.functions.insert(key, found.clone());
                found
            }
        };
        let mut kernel = found?;
        if call.shared > kernel.shared {
            if !original::allows_shared(function, kernel.function, call.shared) {
                return None;
            }
            kernel.shared = call.shared;
            self.proofs.functions.insert(key, Some(kernel.clone()));
        }
        original::copies(&kernel.twins, call.stream).then_some(kernel.function as *mut c_void)
    }

    /// Records that the program has registered memory of its own.
    pub(super) fn shares_memory(&mut self) {
        self.proofs.registered = true;
    }

    /// Returns whether every launch was proved, all work was in streams that are ordered with each other, and the host
    /// shared no memory with the device: then nothing has raced.
    pub(super) fn proves_all(&self) -> bool {
        let counters = &self.report.result.counters;
        counters.launches > 0
            && counters.proved == counters.launches
            && self.order.is_serial()
            && driver::devices() == 1
            && !self.proofs.overlaps
            && !self.proofs.registered
            && !watch::has_shared()
            && !self.ended
    }

    /// Returns the original kernel in this context, or that there is none; `None` if that cannot be known while kernels run.
    fn load_original(
        &mut self,
        function: *mut c_void,
        context: usize,
        constants: &[String],
    ) -> Option<Option<Kernel>> {
        let handle = function as usize;
        // The module of such a kernel is the program's own, with the program's variables.
        let own = self.parts.own(handle);
        if own != handle {
            return Some(Some(Kernel { function: own, shared: SMALL, twins: Arc::default() }));
        }
        let known = self.modules.functions.get(&handle)?;
        let (name, image) = (known.name.clone(), known.image?);
        let is_idle = self.order.is_idle();
        let brought = self.proofs.images.get_mut(&image)?;
        // A module is loaded while no kernel runs, since a running kernel may wait for the host's next action.
        if !is_idle && !brought.loaded.contains_key(&context) {
            return None;
        }
        let original = &brought.original;
        let module = *brought.loaded.entry(context).or_insert_with(|| original.load());
        Some(module.and_then(|module| {
            let original = original::function(module, &name)?;
            let twins = original::twins(function, original, constants)?.into();
            Some(Kernel { function: original, shared: SMALL, twins })
        }))
    }

    /// Records the launch of an original kernel in the order of launches.
    pub(crate) fn runs_proved(&mut self, function: usize, stream: *mut c_void) {
        match self.tells() {
            true => drop(
                self.told(function, Some(stream), false, |at| driver::parameter(function as *mut c_void, at)),
            ),
            false => drop(self.untold(function, Some(stream), false)),
        }
        self.report.result.counters.proved += 1;
    }

    /// Returns the note about launches that ran without checks.
    pub(super) fn proved(&self) -> Option<String> {
        let (proved, checked) = (self.report.result.counters.proved, self.report.result.counters.checked);
        let what =
            format!("{proved} of {checked} launches were proved free of races, and ran without checks");
        (proved > 0).then_some(what)
    }
}

/// Returns what a launch does without: all checks, if it is proved and nothing runs beside it that is not ordered with it,
/// else those of accesses that are proved. This may wait for the prover for a moment. The stream of a node is not used. A
/// node's new parameters, in a graph or an executable graph, are those of another launch.
///
/// # Safety
/// The call's arguments are those of a launch of this kernel.
pub(crate) unsafe fn without(function: *mut c_void, call: &Call, is_node: bool) -> Without {
    if !proofs::are_used() {
        return Without::default();
    }
    // SAFETY: the caller's promise.
    let asked = super::lock().and_then(|mut state| unsafe { state.provable(function, call, is_node) });
    let Some(Provable { question, repeated }) = asked else { return Without::default() };
    let found = question.and_then(|(module, launch)| proofs::found(&module, &launch));
    let memory = repeated.as_ref().map(Repeated::memory);
    let Some(mut state) = super::lock() else { return Without::default() };
    let is_repeat = repeated.as_ref().is_some_and(|repeated| state.is_repeat(call, repeated));
    let is_free = !is_node && (is_repeat || state.is_alone(call));
    let original = match &found {
        Some(Found::Whole(constants)) if is_free => state.original(function, call, constants),
        _ => None,
    };
    if original.is_some() {
        return Without { original, ..Without::default() };
    }
    let left_out = found.map(|found| state.left_out((function as usize, call), &found, is_free));
    let left_out = left_out.unwrap_or_default();
    Without { original, left_out, repeated: repeated.filter(|_| !is_repeat), memory }
}
