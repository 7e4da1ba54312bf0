//! The NVTX ranges of this process.
//!
//! A range that is pushed belongs to its thread until the thread pops it; one that is started belongs to the process until
//! any thread ends it. Both belong to a domain. Handles that the program receives are numbers, so that none that it makes up
//! can lead to memory.

mod calls;
mod message;

use names::RangeFilter;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use calls::{GetExportTable, initialise};

/// A domain: 0 is the default one, others are an index from 1.
type Domain = usize;

#[derive(Clone, Debug)]
struct Range {
    domain: Domain,
    name: String,
}

/// What is known of the whole process.
#[derive(Debug)]
struct Process {
    /// The names of domains from 1, and of registered strings from 1.
    domains: Vec<String>,
    strings: Vec<String>,
    /// By the id that the program was given.
    started: BTreeMap<u64, Range>,
    last: u64,
}

static PROCESS: Mutex<Process> =
    Mutex::new(Process { domains: Vec::new(), strings: Vec::new(), started: BTreeMap::new(), last: 0 });

/// The number of ranges that are open in the process, so that programs without any pay one load.
static OPEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static PUSHED: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
}

fn process() -> MutexGuard<'static, Process> {
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `then` with the ranges that the thread has pushed; with none while the thread ends.
fn with_pushed<R>(then: impl FnOnce(&mut Vec<Range>) -> R) -> R {
    let mut then = Some(then);
    let done = PUSHED.try_with(|pushed| match pushed.try_borrow_mut() {
        Ok(mut pushed) => then.take().map(|then| then(&mut pushed)),
        Err(_) => None,
    });
    match (done, then) {
        (Ok(Some(done)), _) => done,
        (_, Some(then)) => then(&mut Vec::new()),
        (_, None) => unreachable!("the closure was called, and its result returned"),
    }
}

/// Pushes a range, and returns the number of ranges of its domain below it.
fn push(domain: Domain, name: String) -> usize {
    OPEN.fetch_add(1, Ordering::Relaxed);
    with_pushed(|pushed| {
        let level = pushed.iter().filter(|range| range.domain == domain).count();
        pushed.push(Range { domain, name });
        level
    })
}

/// Pops the innermost range of a domain, and returns the number of those below it; `None` if the domain has none.
fn pop(domain: Domain) -> Option<usize> {
    with_pushed(|pushed| {
        let innermost = pushed.iter().rposition(|range| range.domain == domain)?;
        pushed.remove(innermost);
        OPEN.fetch_sub(1, Ordering::Relaxed);
        Some(pushed.iter().filter(|range| range.domain == domain).count())
    })
}

/// Starts a range, and returns its id.
fn start(domain: Domain, name: String) -> u64 {
    OPEN.fetch_add(1, Ordering::Relaxed);
    let mut process = process();
    process.last += 1;
    let id = process.last;
    process.started.insert(id, Range { domain, name });
    id
}

/// Ends a range that was started.
fn end(id: u64) {
    if process().started.remove(&id).is_some() {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the number of a name in a list that begins at 1, and adds it if it is not there.
fn numbered(names: &mut Vec<String>, name: String) -> usize {
    match names.iter().position(|known| *known == name) {
        Some(at) => at + 1,
        None => {
            names.push(name);
            names.len()
        }
    }
}

/// Returns the open ranges: started ones in the order of their starts, then the thread's, outermost first. A range of a
/// named domain is `DOMAIN@RANGE`.
pub(crate) fn open() -> Vec<String> {
    if OPEN.load(Ordering::Relaxed) == 0 {
        return Vec::new();
    }
    let process = process();
    let shown = |range: &Range| match process.domain(range.domain) {
        "" => range.name.clone(),
        domain => format!("{domain}@{}", range.name),
    };
    let started = process.started.values().map(shown).collect::<Vec<_>>();
    let pushed = with_pushed(|pushed| pushed.iter().map(shown).collect::<Vec<_>>());
    started.into_iter().chain(pushed).collect()
}

/// Returns whether a launch of this thread is to be checked: it is in ranges that one of `include` describes, or there are
/// none of these, and in none that one of `exclude` describes.
pub fn in_ranges(include: &[RangeFilter], exclude: &[RangeFilter]) -> bool {
    if include.is_empty() && exclude.is_empty() {
        return true;
    }
    let process = process();
    let hits = |filter: &RangeFilter| with_pushed(|pushed| process.hits(filter, pushed));
    (include.is_empty() || include.iter().any(hits)) && !exclude.iter().any(hits)
}

impl Process {
    fn domain(&self, domain: Domain) -> &str {
        let named = domain.checked_sub(1).and_then(|at| self.domains.get(at));
        named.map_or("", String::as_str)
    }

    fn hits(&self, filter: &RangeFilter, pushed: &[Range]) -> bool {
        (0..=self.domains.len()).filter(|domain| filter.is_about(self.domain(*domain))).any(|domain| {
            let of = |range: &&Range| range.domain == domain;
            let pushed: Vec<&str> = pushed.iter().filter(of).map(|range| range.name.as_str()).collect();
            let started: Vec<&str> =
                self.started.values().filter(of).map(|range| range.name.as_str()).collect();
            filter.matches(&pushed, &started)
        })
    }
}

/// Forgets the ranges of other threads, in the child of a fork: those threads do not exist there.
pub fn forked() {
    // Another thread may have held the lock during the fork.
    if let Ok(process) = PROCESS.try_lock() {
        OPEN.store(process.started.len() + with_pushed(|pushed| pushed.len()), Ordering::Relaxed);
    }
}
