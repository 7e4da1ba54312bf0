//! Records the process's calls to the driver in a file, in their order, with all that they were given
//! (`snapshot::session`).
//!
//! The wrappers call this module, as they call [`order`](crate::order). A call that submits work is recorded before
//! the driver makes it, a call for which the host waits after it. The virtual GPU makes the calls again when the
//! program has ended, or on another machine.
//!
//! * [`copies`]: copies and memsets; [`memory`]: allocations, and arrays, which get an address of their own.
//! * [`launches`]: modules and launches; [`graphs`]: executable graphs.
//! * [`streams`]: streams, events, and what the host has waited for.
//! * [`shared`]: what the host's own instructions do with memory that host and device share; [`functions`]: functions
//!   of the host that the driver calls.
//!
//! The lock of this module may be taken while that of [`state`](crate::state) is held, never the other way round.

mod copies;
mod functions;
mod graphs;
mod launches;
mod memory;
mod shared;
mod streams;

pub(crate) use copies::{copied, copied_3d, filled};
pub(crate) use functions::{callback, host_function, host_node};
pub(crate) use graphs::{
    Branches, CONDITIONAL, branches, condition, graph_changed, graph_gone, graph_launched, graph_made,
};
pub(crate) use launches::{Loading, launched, loads, not_launched};
pub(crate) use memory::{allocated, array_gone, device_gone, freed, image, peer};
pub(crate) use streams::{
    begun, destroyed, event_destroyed, made, recorded, returned, synchronized, synchronized_all,
    synchronized_event, waits,
};

use crate::{active, callers, driver, watch};
use events::Site;
use names::symbol;
use protocol::SessionOptions;
use snapshot::session::{Call, Header, Note, Step, Waited, Writer};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether calls are recorded.
static ON: AtomicBool = AtomicBool::new(false);
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

/// Whether a thread of the driver's could not record what a function has done.
static LOST: AtomicBool = AtomicBool::new(false);
/// How long a thread of the driver's waits for this module's lock.
const PATIENCE: Duration = Duration::from_secs(1);

/// Limits how many different notes a session has.
const NOTES: usize = 64;

/// The session of this process.
pub(super) struct Recorder {
    writer: Writer<BufWriter<File>>,
    options: SessionOptions,
    /// Source positions of calls by their return addresses, and of the host's instructions.
    sites: HashMap<Vec<u64>, Option<u32>>,
    notes: BTreeSet<String>,
    launches: u64,
    memory: memory::Memories,
    modules: launches::Modules,
    graphs: graphs::Graphs,
    streams: streams::Streams,
    shared: shared::Contents,
    functions: u64,
    /// Whether the last call has reset a device.
    reset: bool,
}

/// Returns whether calls are recorded.
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed) && active::is_active()
}

/// Begins to record, if the options ask for it. The file is made with the first call.
/// `alone` means that no engine looks at the host's accesses itself.
pub(crate) fn start(options: Option<&SessionOptions>, alone: bool) {
    ALONE.store(alone, Ordering::Relaxed);
    if options.is_some() {
        watch::passes_on(shared::touched);
    }
    *lock() = None;
    OPTIONS.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&options.cloned());
    ON.store(options.is_some(), Ordering::Relaxed);
}

/// Whether no engine looks at the host's accesses itself.
static ALONE: AtomicBool = AtomicBool::new(false);
static OPTIONS: Mutex<Option<SessionOptions>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Completes the file.
pub(crate) fn finish() {
    // A thread that was stopped in the middle of its work never releases the lock.
    let Ok(mut recorder) = RECORDER.try_lock() else { return };
    ON.store(false, Ordering::Relaxed);
    if let Some(mut recorder) = recorder.take() {
        recorder.drain();
        // The file without its end tells as much as it has.
        let _ = recorder.writer.finish().and_then(|mut file| file.flush());
    }
}

/// Stops recording in the child of a fork, whose calls the driver rejects.
pub(crate) fn forked() {
    ON.store(false, Ordering::Relaxed);
    if let Ok(mut recorder) = RECORDER.try_lock() {
        // The buffered part of the file is the parent's.
        std::mem::forget(recorder.take());
    }
}

/// Returns the calling thread's number, from 1.
fn thread() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    thread_local! {
        static NUMBER: Cell<u32> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// Changes the session, if there is one.
fn with(what: impl FnOnce(&mut Recorder) -> io::Result<()>) {
    if !is_on() {
        return;
    }
    let mut recorder = lock();
    if recorder.is_none() {
        *recorder = begin();
    }
    let Some(session) = recorder.as_mut() else { return };
    session.drain();
    if LOST.swap(false, Ordering::Relaxed) {
        let _ = session.lacks("what a function of the host did is not in the session".into());
    }
    let done = what(session).and_then(|()| session.writer.flush());
    let why = match done {
        Ok(()) if session.writer.written() > session.options.bytes => {
            format!("it has more than {} MiB (`--session-bytes`)", session.options.bytes >> 20)
        }
        Ok(()) if session.launches >= session.options.launches => "it has enough".into(),
        Ok(()) => return,
        Err(error) => format!("it cannot be written: {error}"),
    };
    ON.store(false, Ordering::Relaxed);
    let Some(mut session) = recorder.take() else { return };
    let text = format!("the session ends after {} launches: {why}", session.launches);
    let _ = session.writer.note(&Note { text, inconclusive: false }).and_then(|()| {
        let mut file = session.writer.finish()?;
        file.flush()
    });
}

/// Does what [`with`] does, for a thread of the driver's. Another thread may be in a call for which this one has to end,
/// so that this one does not wait for it for ever.
fn soon(what: impl FnOnce(&mut Recorder) -> io::Result<()>) {
    let begun = Instant::now();
    while is_on() {
        let Ok(mut recorder) = RECORDER.try_lock() else {
            if begun.elapsed() > PATIENCE {
                LOST.store(true, Ordering::Relaxed);
                return;
            }
            std::thread::sleep(Duration::from_micros(100));
            continue;
        };
        if let Some(session) = recorder.as_mut() {
            session.drain();
            // The next call meets the same error.
            let _ = what(session);
        }
        return;
    }
}

/// Makes the file.
fn begin() -> Option<Recorder> {
    let options = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let process = std::process::id();
    let devices = u32::try_from(driver::devices()).unwrap_or(1).max(1);
    let file = File::create(options.folder.join(format!("{process}.{}", protocol::SESSION_EXTENSION)));
    let writer =
        file.and_then(|file| Writer::new(BufWriter::new(file), &Header { program, process, devices }));
    match writer {
        Ok(writer) => Some(Recorder {
            writer,
            options,
            sites: HashMap::new(),
            notes: BTreeSet::new(),
            launches: 0,
            memory: Default::default(),
            modules: Default::default(),
            graphs: Default::default(),
            streams: Default::default(),
            shared: Default::default(),
            functions: 0,
            reset: false,
        }),
        Err(error) => {
            crate::log::complain(format_args!("warprace: no session can be recorded: {error}\n"));
            ON.store(false, Ordering::Relaxed);
            None
        }
    }
}

impl Recorder {
    /// Adds a call of this thread's.
    fn call(&mut self, api: &str, step: Step, bytes: Vec<u8>) -> io::Result<()> {
        let site = self.site(callers::callers(), callers::site)?;
        self.add(api, site, step, bytes)
    }

    fn add(&mut self, api: &str, site: Option<u32>, step: Step, bytes: Vec<u8>) -> io::Result<()> {
        let device = driver::device_of_several().and_then(|device| u32::try_from(device).ok());
        let (api, device) = (api.to_owned(), device.unwrap_or(0));
        // Most programs that reset a device end then.
        if self.reset && !matches!(step, Step::Waited(Waited::All)) {
            self.reset = false;
            self.lacks("what the program does after it has reset a device is not in the session".into())?;
        }
        self.writer.call(&Call { api, site, thread: thread(), device, step, bytes })
    }

    /// Returns the number of a source position; `None` if it is not known.
    fn site(&mut self, key: Vec<u64>, find: impl FnOnce(&[u64]) -> Option<Site>) -> io::Result<Option<u32>> {
        if let Some(known) = self.sites.get(&key) {
            return Ok(*known);
        }
        let number = find(&key).map(|site| self.writer.site(&site)).transpose()?;
        self.sites.insert(key, number);
        Ok(number)
    }

    /// Adds a sentence about what the session lacks.
    fn lacks(&mut self, text: String) -> io::Result<()> {
        self.note(text, true)
    }

    /// Adds a sentence about what is missed as by any sample.
    fn limit(&mut self, text: String) -> io::Result<()> {
        self.note(text, false)
    }

    fn note(&mut self, text: String, inconclusive: bool) -> io::Result<()> {
        if self.notes.len() >= NOTES || !self.notes.insert(text.clone()) {
            return Ok(());
        }
        self.writer.note(&Note { text, inconclusive })
    }

    /// Adds that a call was not recorded.
    fn not_recorded(&mut self, api: &str, why: &str) -> io::Result<()> {
        self.lacks(format!("a call of `{api}` is not in the session: {why}"))
    }

    /// Adds what the host's own instructions have done since the last call.
    fn drain(&mut self) {
        // The next call meets the same error.
        let _ = self.host_did();
    }
}

/// Adds that the process does something that sessions do not have.
pub(crate) fn unseen(what: &str) {
    with(|session| session.lacks(format!("{what} is not in the session")));
}

/// Returns the text for a kernel that is missing.
fn missing(kernel: &str, why: &str) -> String {
    format!("kernel `{}` is not in the session: {why}", symbol::short(kernel))
}
