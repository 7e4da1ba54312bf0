//! Makes the calls of a recorded session again, for `warprace replay`.
//!
//! Calls go the way of the façades: work through [`submit`](crate::submit), streams, events and graphs through
//! [`context`](crate::context). A [`Call`] that was recorded takes the place of one that the program makes: it has the
//! recorded source position, thread and device.

mod graphs;
mod host;
mod memory;

use super::Error;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Stream, copy_kind};
use crate::backend::copy::{Pitch, Shape};
use crate::backend::{KernelWork, Module};
use crate::call::Call;
use crate::caller::{self, Caller};
use crate::context::{EventRecord, Runtime, State, Work};
use crate::submit::copy::{End, Mode, copy};
use crate::submit::fill::{Element, fill_elements};
use crate::submit::{event, submit};
use host::Functions;
use memory::Buffer;
use snapshot::session::{self, Arguments, Kernel, Limits, PER_THREAD, Session, Side, Step, Waited};
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// Limits how many calls that could not be made again are named.
const NAMED: u32 = 8;

/// The reason why a call cannot be made again. It prints as a sentence fragment.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("CUDA says {}", .0.name().to_string_lossy())]
    Cuda(CudaError),
    #[error("{0}")]
    Unfit(String),
}

impl From<CudaError> for Failed {
    fn from(error: CudaError) -> Failed {
        Failed::Cuda(error)
    }
}

fn unfit(what: impl Into<String>) -> Failed {
    Failed::Unfit(what.into())
}

/// Makes a file's calls and waits for the end of all work.
pub(super) fn play(call: &Call, path: &Path) -> Result<(), Error> {
    let session = Session::read(BufReader::new(File::open(path)?), Limits::default())?;
    let mut state = call.runtime.lock();
    if session.header.devices > state.device_count() {
        return Err(Error::Device(session.header.devices - 1));
    }
    state.replays_host();
    for note in &session.notes {
        match note.inconclusive {
            true => state.results.inconclusive(note.text.clone()),
            false => state.results.limit(note.text.clone()),
        }
    }
    if !session.complete {
        state.results.limit("the session ends where its process was killed".into());
    }
    let callers = session.sites.iter().enumerate().map(|(at, site)| state.results.recorded(at, site.clone()));
    let callers: Vec<Caller> = callers.collect();
    drop(state);
    let functions = Functions::new(&session, &callers);
    let mut player = Player {
        runtime: call.runtime,
        texts: session.texts,
        callers,
        functions,
        conditions: name_objects(call, &session.calls)?,
        apis: HashMap::new(),
        streams: HashMap::new(),
        events: HashMap::new(),
        modules: HashMap::new(),
        graphs: HashMap::new(),
        failed: 0,
    };
    for recorded in &session.calls {
        if !player.again(recorded) {
            break;
        }
    }
    let state = call.runtime.lock();
    drop(call.runtime.wait_until(state, State::is_idle));
    Ok(())
}

/// Describes the textures and surfaces of a session to kernels, which name them by the recorded handles, and makes the
/// cells of its conditional nodes, which it returns.
fn name_objects(call: &Call, calls: &[session::Call]) -> Result<HashMap<u64, graphs::Cell>, Error> {
    let mut known: HashMap<u64, &snapshot::Object> = HashMap::new();
    let (mut named, mut cells) = (HashMap::new(), HashMap::<u64, graphs::Cell>::new());
    let mut state = call.runtime.lock();
    for recorded in calls {
        if let Step::Condition { handle, value, resets } = recorded.step {
            if cells.get(&handle).is_some_and(|known| known.of == (value, resets)) {
                continue;
            }
            let cell = graphs::Cell::new(call.runtime, &mut state, recorded.device, (value, resets))?;
            if cells.insert(handle, cell).is_some() {
                let what = "a handle denotes several conditions one after the other: the last one is taken";
                state.results.inconclusive(what.into());
            }
        }
        let Step::Image(object) = &recorded.step else { continue };
        match known.insert(object.handle, object) {
            None => {}
            Some(before) if before == object => continue,
            Some(_) => {
                let what = "a handle denotes several textures or surfaces one after the other: the first one is taken";
                state.results.inconclusive(what.into());
                continue;
            }
        }
        named.insert(
            object.handle,
            super::objects::describe(call.runtime, &mut state, recorded.device, object)?,
        );
    }
    let addresses: HashMap<u64, u64> = cells.iter().map(|(handle, cell)| (*handle, cell.at)).collect();
    if !named.is_empty() || !addresses.is_empty() {
        call.runtime.backend.name_objects(named, addresses);
    }
    Ok(cells)
}

/// The objects of this run by the recorded handles.
struct Player {
    runtime: &'static Runtime,
    texts: Vec<String>,
    callers: Vec<Caller>,
    functions: Functions,
    /// The cells of conditional nodes by the recorded handles.
    conditions: HashMap<u64, graphs::Cell>,
    apis: HashMap<String, &'static str>,
    streams: HashMap<u64, usize>,
    events: HashMap<u64, usize>,
    modules: HashMap<u32, Arc<dyn Module>>,
    graphs: HashMap<u64, graphs::Made>,
    /// The number of calls that could not be made again.
    failed: u32,
}

impl Player {
    /// Makes a call again. Returns false if a kernel has failed, as the program's own calls would have.
    fn again(&mut self, recorded: &session::Call) -> bool {
        caller::act_as(recorded.thread);
        let call = Call {
            api: self.api(&recorded.api),
            caller: recorded.site.map(|site| self.callers[site as usize]).unwrap_or_default(),
            per_thread: false,
            runtime: self.runtime,
            device: recorded.device,
        };
        let Err(why) = self.step(&call, recorded) else { return true };
        let mut state = self.runtime.lock();
        if (0..state.device_count()).any(|device| state.is_lost(device)) {
            return false;
        }
        self.failed += 1;
        if self.failed <= NAMED {
            let what = if call.api.is_empty() { "a step" } else { call.api };
            state.results.inconclusive(format!("{what} of the session could not be made again: {why}"));
        }
        true
    }

    /// Returns a function's name. A session has few of them, each of which stays for ever.
    fn api(&mut self, name: &str) -> &'static str {
        if let Some(known) = self.apis.get(name) {
            return known;
        }
        let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
        self.apis.insert(name.to_owned(), kept);
        kept
    }

    fn step(&mut self, call: &Call, recorded: &session::Call) -> Result<(), Failed> {
        let bytes = &recorded.bytes;
        match &recorded.step {
            Step::Stream { stream, blocking } => {
                let made = call.state()?.create_stream(call.device, u32::from(!blocking), 0)?;
                self.streams.insert(*stream, made);
            }
            Step::StreamDestroyed { stream } => {
                if let Some(made) = self.streams.remove(stream) {
                    call.state()?.destroy_stream(made)?;
                }
            }
            Step::StreamWaits { stream, event } => {
                // The wait for an event that was never recorded is none.
                if let Some(event) = self.events.get(event) {
                    let mut state = call.state()?;
                    let (stream, _) = call.stream(&mut state, self.stream(*stream)?)?;
                    event::wait(&mut state, stream, *event)?;
                }
            }
            Step::EventRecorded { event, stream } => self.record(call, *event, *stream)?,
            Step::EventDestroyed { event } => {
                if let Some(made) = self.events.remove(event) {
                    call.state()?.remove_event(made)?;
                }
            }
            Step::Waited(what) => self.wait(call, *what)?,
            Step::Allocated { base, bytes, kind, name, stream } => {
                let new =
                    memory::New { base: *base, bytes: *bytes, kind: memory::kind(*kind), name: name.clone() };
                memory::allocate(call, new)?;
                if *kind == session::MemoryKind::Graph {
                    call.state()?.graphs.allocated(*base);
                }
                if let Some(stream) = stream {
                    let work = Work::Allocate { address: *base, bytes: *bytes };
                    self.submit(call, *stream, work)?;
                }
            }
            Step::Freed { base, stream: Some(stream) } => {
                self.submit(call, *stream, Work::Free { address: *base })?;
            }
            Step::Freed { base, stream: None } => {
                let state = call.state()?;
                call.runtime.free(state, *base, &memory::KINDS)?;
            }
            Step::Peer { peer, access } => {
                let mut state = call.state()?;
                call.runtime.switch_peer(&mut state, call.device, *peer, *access)?;
            }
            Step::Module(module) => {
                let made = memory::load(call, module, &self.texts)?;
                self.modules.insert(module.module, made);
            }
            Step::Launched { kernel, stream, programmatic } => {
                let work = self.kernel(kernel, *programmatic)?;
                self.submit(call, *stream, Work::Kernel(Box::new(work)))?;
            }
            Step::Copied { to, from, shape, stream, synchronous } => {
                let mode = if *synchronous { Mode::Synchronous } else { Mode::Asynchronous };
                self.copy(call, (*to, *from), shape_of(*shape)?, (*stream, mode), bytes)?;
            }
            Step::Filled { fill, stream, synchronous } => {
                let (at, pitch, shape, element) = fill_of(fill)?;
                fill_elements(
                    call,
                    at as *mut _,
                    pitch,
                    shape,
                    element,
                    self.stream(*stream)?,
                    !synchronous,
                )?;
            }
            Step::Contents { at, within: None } => memory::contents(call, *at, bytes)?,
            // The function of the host has them.
            Step::Contents { within: Some(_), .. } | Step::HostAccess { within: Some(_), .. } => {}
            Step::HostAccess { address, bytes, write, within: None } => {
                host::accesses(call, recorded.thread, (*address, *bytes, *write));
            }
            Step::HostFunction { function, stream } => {
                let work = Work::HostFunction(self.functions.work(*function));
                self.submit(call, *stream, work)?;
            }
            Step::Graph { graph, nodes } => {
                let made = self.graph(call, nodes)?;
                if let Some(before) = self.graphs.remove(graph) {
                    before.replaced(&made, &mut *call.state()?);
                }
                self.graphs.insert(*graph, made);
            }
            Step::GraphLaunched { graph, stream } => self.launch_graph(call, *graph, *stream, bytes)?,
            Step::GraphDestroyed { graph } => {
                if let Some(made) = self.graphs.remove(graph) {
                    made.destroy(&mut *call.state()?);
                }
            }
            // All of these are named before the first call.
            Step::Image(_) | Step::Condition { .. } => {}
        }
        Ok(())
    }

    /// Returns this run's handle of a stream.
    fn stream(&self, recorded: u64) -> Result<Stream, Failed> {
        if recorded <= PER_THREAD {
            return Ok(recorded as Stream);
        }
        let made = self.streams.get(&recorded).ok_or_else(|| unfit("its stream was not recorded"))?;
        Ok(*made as Stream)
    }

    fn submit(&self, call: &Call, stream: u64, work: Work) -> Result<(), Failed> {
        let mut state = call.state()?;
        let (stream, device) = call.stream(&mut state, self.stream(stream)?)?;
        submit(call, &mut state, stream, device, work)?;
        Ok(())
    }

    fn record(&mut self, call: &Call, event: u64, stream: u64) -> Result<(), Failed> {
        let stream = self.stream(stream)?;
        let made = match self.events.get(&event) {
            Some(made) => *made,
            None => {
                let mut state = call.state()?;
                let (_, device) = call.stream(&mut state, stream)?;
                let made = state.handle();
                state.add_event(made, EventRecord { device, ..EventRecord::default() });
                self.events.insert(event, made);
                made
            }
        };
        Ok(event::record(call, made, stream)?)
    }

    fn wait(&self, call: &Call, what: Waited) -> CudaResult {
        let state = call.state()?;
        let (known, device) = match what {
            Waited::Stream(stream) => {
                let mut state = state;
                let Ok(stream) = self.stream(stream) else { return Ok(()) };
                let (stream, device) = call.stream(&mut state, stream)?;
                (state.submitted_to(stream), device)
            }
            Waited::Event(event) => {
                let made = self.events.get(&event).and_then(|event| state.event(*event).ok());
                let Some((recorded, device)) = made.and_then(|e| Some((e.recorded.as_ref()?, e.device)))
                else {
                    return Ok(());
                };
                (recorded.known.clone(), device)
            }
            Waited::Device => {
                let mut state = call.runtime.wait_device(state, call.device);
                return state.notice(call.device);
            }
            Waited::All => {
                drop(call.runtime.wait_devices(state));
                return Ok(());
            }
        };
        let state = call.runtime.lock();
        call.runtime.wait(state, &known).notice(device)
    }

    fn kernel(&self, kernel: &Kernel, programmatic: bool) -> Result<KernelWork, Failed> {
        let module = self.modules.get(&kernel.module).ok_or_else(|| unfit("its module was not loaded"))?;
        let index = module.kernel(&kernel.name).ok_or_else(|| unfit("its module has no such kernel"))?;
        let of = &module.kernels()[index];
        let mut params = vec![0; of.param_bytes as usize];
        match &kernel.arguments {
            Arguments::Packed(all) => {
                let bytes = all.len().min(params.len());
                params[..bytes].copy_from_slice(&all[..bytes]);
            }
            Arguments::Each(each) => {
                // An instrumented kernel has one more parameter.
                for (argument, param) in each.iter().zip(&of.params) {
                    let into =
                        params.get_mut(param.offset as usize..).and_then(|p| p.get_mut(..argument.len()));
                    let into = into.filter(|_| argument.len() == param.size as usize);
                    into.ok_or_else(|| unfit("its arguments do not fit its kernel"))?
                        .copy_from_slice(argument);
                }
            }
        }
        Ok(KernelWork {
            overlaps: programmatic && of.can_wait(),
            module: module.clone(),
            kernel: index,
            grid: kernel.grid,
            block: kernel.block,
            cluster: kernel.cluster.or(of.cluster).unwrap_or(events::Dim3::ONE),
            dynamic_shared: kernel.shared,
            cooperative: kernel.cooperative,
            has_run: true,
            chosen: true,
            params,
            checked: true,
        })
    }

    fn copy(
        &self,
        call: &Call,
        (to, from): (Side, Side),
        shape: Shape,
        (stream, mode): (u64, Mode),
        bytes: &[u8],
    ) -> Result<(), Failed> {
        let stream = self.stream(stream)?;
        let mut buffer = None;
        let mut end = |side| {
            Ok(match side {
                Side::Memory { at, row, slice } => memory::end(&*call.state()?, at, row, slice)?,
                Side::Host => {
                    let own = buffer.insert(Buffer::new(&*call.state()?, packed(shape)?)?);
                    own.write(bytes);
                    End { pointer: own.address(), pitch: shape.packed() }
                }
            })
        };
        let (to, from): (Result<End, Failed>, Result<End, Failed>) = (end(to), end(from));
        // A copy that reads or writes the buffer is complete, or staged, when the call returns.
        Ok(copy(call, to?, from?, shape, copy_kind::DEFAULT, stream, mode)?)
    }
}

fn shape_of(shape: session::Shape) -> Result<Shape, Failed> {
    let size = |n: u64| usize::try_from(n).map_err(|_| unfit("it is too large"));
    Ok(Shape { width: size(shape.width)?, height: size(shape.height)?, depth: size(shape.depth)? })
}

/// Returns the bytes of a shape.
fn packed(shape: Shape) -> Result<usize, Failed> {
    let all = shape.width.checked_mul(shape.height).and_then(|bytes| bytes.checked_mul(shape.depth));
    all.ok_or_else(|| unfit("it is too large"))
}

fn fill_of(fill: &session::Fill) -> Result<(u64, Pitch, Shape, Element), Failed> {
    let shape = shape_of(session::Shape { width: fill.width, height: fill.height, depth: 1 })?;
    let row = if fill.height <= 1 { shape.width } else { fill.row as usize };
    let pitch = Pitch { row, slice: row.saturating_mul(shape.height) };
    Ok((fill.at, pitch, shape, Element { value: fill.value, size: fill.element as usize }))
}
