//! Launches that are proved free of races, so that their original kernels run in the place of those with checks.
//!
//! * This module asks the prover, which is a process of its own ([`protocol::proofs`]), on a thread beside the program.
//!   A launch waits for its answer for a moment; it is instrumented if the answer is late. Answers are kept for later
//!   launches with the same facts, and on disk for later runs.
//! * [`facts`] are those of a launch, as the driver tells them.
//! * [`original`] loads the kernels that the program brought.
//! * `state::proofs` decides whether a launch may run without checks: a proof is about the launch's own accesses, so
//!   nothing may run beside it.
//!
//! A proof assumes nothing but the facts that were asked about (`prove::launches::whole`). The library does not look
//! into memory, and a proof holds for all of its contents.

pub(crate) mod facts;
pub(crate) mod original;

use crate::log;
use compilers::keep::{Answers, build_of, hash};
use names::Volatile;
use protocol::RunOptions;
use protocol::proofs::{Answer, AskedLaunch, COMMAND, Parts, Question};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Limits the size of a module's text: the prover takes seconds to read larger ones.
pub(crate) const MOST_TEXT: usize = 4 << 20;
/// Limits the time of a launch that waits for an answer, and that of all launches of the process.
const ONE: Duration = Duration::from_millis(200);
const ALL: Duration = Duration::from_secs(1);
/// Limits the prover's time for one launch.
const LIMIT: Duration = Duration::from_secs(2);
/// A kernel of which so many launches were not proved, and none was, is not asked about again.
const HOPELESS: u32 = 4;
/// Limits the questions about one kernel.
const MOST_QUESTIONS: u32 = 64;
/// Limits how many launches are remembered.
const MOST_ANSWERS: usize = 1 << 14;

/// A module's PTX.
#[derive(Debug)]
pub(crate) struct Module {
    texts: Vec<String>,
    /// A hash of the texts, made when it is first needed.
    hash: OnceLock<u128>,
}

impl Module {
    /// Returns the module; `None` if it is too large for the prover, or kernels may begin before others have ended.
    pub(crate) fn new(texts: &[String]) -> Option<Module> {
        let is_small = texts.iter().map(String::len).sum::<usize>() <= MOST_TEXT;
        let overlaps = || texts.iter().any(|text| text.contains("griddepcontrol"));
        (is_small && !overlaps()).then(|| Module { texts: texts.to_vec(), hash: OnceLock::new() })
    }

    /// Returns whether kernels of the module may ask for the shape of their cluster, which a node gets when it is in its graph.
    pub(crate) fn asks_for_clusters(&self) -> bool {
        self.texts.iter().any(|text| text.contains("cluster"))
    }

    fn hash(&self) -> u128 {
        *self.hash.get_or_init(|| hash(&self.texts.iter().map(String::as_bytes).collect::<Vec<_>>()))
    }
}

/// The prover's answer about a launch.
#[derive(Clone, Debug)]
enum Verdict {
    /// It is not proved, but these of its accesses are.
    Open(Arc<Parts>),
    /// It is proved, and may read these variables in constant memory.
    Proved(Arc<[String]>),
}

impl Verdict {
    fn open() -> Verdict {
        Verdict::Open(Arc::default())
    }

    /// Returns what is proved.
    fn found(&self) -> Option<Found> {
        match self {
            Verdict::Proved(constants) => Some(Found::Whole(Arc::clone(constants))),
            Verdict::Open(parts) => (**parts != Parts::default()).then(|| Found::Parts(Arc::clone(parts))),
        }
    }
}

/// A proof about a launch.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// No two of its accesses race, and it may read these variables in constant memory.
    Whole(Arc<[String]>),
    /// These of its accesses race with none of the launch.
    Parts(Arc<Parts>),
}

/// A launch to be asked about.
struct Pending {
    module: Arc<Module>,
    launch: AskedLaunch,
}

/// The module's hash and the launch.
type Key = (u128, AskedLaunch);

#[derive(Default)]
struct Known {
    /// The answers; `None` while a launch is asked about.
    answers: HashMap<Key, Option<Verdict>>,
    /// The answers that hold for all addresses, by the names of launches.
    general: HashMap<u128, Verdict>,
    /// For each kernel, the questions and the proofs.
    kernels: HashMap<(u128, String), (u32, u32)>,
    waiting: VecDeque<Pending>,
    /// The process whose thread asks, or 0. The child of a fork has none.
    asking: u32,
    /// The time that launches have waited.
    waited: Duration,
}

/// How to ask.
pub(crate) struct Prover {
    program: PathBuf,
    volatile_weak: bool,
    /// Whether each launch waits for its answer, as long as that takes.
    patient: bool,
    /// The answers of earlier processes, if they count.
    answers: Option<Answers>,
    known: Mutex<Known>,
    answered: Condvar,
}

static PROVER: OnceLock<Prover> = OnceLock::new();

/// Sets the program that answers, by the options of the run.
pub(crate) fn start(program: PathBuf, options: &RunOptions) {
    let volatile_weak = options.volatile == Volatile::Weak;
    let patient = options.prune.waits();
    let answers = options.proof_cache.clone().and_then(|folder| Answers::at(folder).ok());
    let (known, answered) = (Mutex::default(), Condvar::new());
    let _ = PROVER.set(Prover { program, volatile_weak, patient, answers, known, answered });
}

/// Returns whether proofs are used.
pub(crate) fn are_used() -> bool {
    PROVER.get().is_some()
}

/// Returns what is proved of a launch, which may wait for the answer.
pub(crate) fn found(module: &Arc<Module>, launch: &AskedLaunch) -> Option<Found> {
    PROVER.get()?.found(module, launch)
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Prover {
    fn found(&'static self, module: &Arc<Module>, launch: &AskedLaunch) -> Option<Found> {
        let key = (module.hash(), launch.clone());
        let mut known = lock(&self.known);
        if !known.answers.contains_key(&key) {
            let known_before = self.named(&key).and_then(|name| known.kept(name, self.answers.as_ref()));
            if known_before.is_none() {
                if !known.may_ask(&key) {
                    return None;
                }
                known.waiting.push_back(Pending { module: Arc::clone(module), launch: launch.clone() });
                self.begin(&mut known);
            }
            known.remember(key.clone(), known_before);
        }
        let begun = Instant::now();
        let patience = match self.patient {
            true => Duration::from_secs(60),
            false => ONE.min(ALL.saturating_sub(known.waited)),
        };
        while let Some(None) = known.answers.get(&key)
            && known.asking == std::process::id()
            && let Some(rest) = patience.checked_sub(begun.elapsed()).filter(|rest| !rest.is_zero())
        {
            known = self.answered.wait_timeout(known, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        known.waited += begun.elapsed();
        known.answers.get(&key)?.as_ref()?.found()
    }

    /// Starts the thread that asks, if none does.
    fn begin(&'static self, known: &mut Known) {
        let own = std::process::id();
        if known.asking == own {
            return;
        }
        // SAFETY: all-zero is a valid `sigset_t`, and the mask is this thread's. The new thread inherits a mask that
        // blocks the program's signals.
        let before = unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            before
        };
        let started = std::thread::Builder::new().name("warprace-proofs".into()).spawn(|| self.run());
        // SAFETY: restores the mask that was read above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
        known.asking = if started.is_ok() { own } else { 0 };
    }

    /// Asks about the waiting launches, and ends when there is none.
    fn run(&self) {
        loop {
            let mut known = lock(&self.known);
            let Some(first) = known.waiting.front().map(|pending| Arc::clone(&pending.module)) else {
                known.asking = 0;
                drop(known);
                self.answered.notify_all();
                return;
            };
            let (asked, others): (VecDeque<Pending>, _) =
                known.waiting.drain(..).partition(|pending| Arc::ptr_eq(&pending.module, &first));
            known.waiting = others;
            drop(known);
            let launches: Vec<AskedLaunch> = asked.into_iter().map(|pending| pending.launch).collect();
            let answers = self.ask(&first, &launches);
            log::note(|| format!("{answers} of {} launches were decided", launches.len()));
            let mut known = lock(&self.known);
            for launch in launches {
                let of = known.answers.entry((first.hash(), launch)).or_default();
                of.get_or_insert_with(Verdict::open);
            }
            drop(known);
            self.answered.notify_all();
        }
    }

    /// Asks about launches of a module in a process of the prover, and returns the number of answers.
    fn ask(&self, module: &Arc<Module>, launches: &[AskedLaunch]) -> usize {
        let question = Question {
            texts: module.texts.clone(),
            volatile_weak: self.volatile_weak,
            launches: launches.to_vec(),
            limit: LIMIT.as_millis() as u64,
        };
        let mut command = Command::new(&self.program);
        command.arg(COMMAND).env_remove("LD_PRELOAD").env_remove(protocol::OPTIONS_VARIABLE);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = processes::exec::starting_own(|| command.spawn()) else { return 0 };
        let mut answers = 0;
        if let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) {
            let written = serde_json::to_vec(&question).is_ok_and(|bytes| input.write_all(&bytes).is_ok());
            drop(input);
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            for (launch, line) in launches.iter().zip(lines.take(if written { launches.len() } else { 0 })) {
                let Ok(answer) = serde_json::from_str::<Answer>(&line) else { break };
                log::note(|| {
                    format!("launch of {}: proved {}, {:?}", launch.kernel, answer.proved, answer.why)
                });
                self.answer((module.hash(), launch.clone()), &answer);
                answers += 1;
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        answers
    }

    /// Takes an answer over, for launches that wait for it and for later runs.
    fn answer(&self, key: Key, answer: &Answer) {
        let verdict = match answer.proved {
            true => Verdict::Proved(answer.constants.as_slice().into()),
            false => Verdict::Open(Arc::new(answer.parts.clone())),
        };
        let name = self.named(&key).filter(|_| answer.is_general);
        if let (Some(name), Some(answers)) = (name, &self.answers) {
            write(answers, name, &verdict);
        }
        let mut known = lock(&self.known);
        known.general.extend(name.map(|name| (name, verdict.clone())));
        known.remember(key, Some(verdict));
        drop(known);
        self.answered.notify_all();
    }

    /// Returns the name of a launch among those that differ from it in addresses alone.
    fn named(&self, (module, launch): &Key) -> Option<u128> {
        static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| build_of(&self.program, env!("CARGO_PKG_VERSION")));
        let program = program.as_ref()?;
        let facts = launch.without_addresses()?;
        let weak = [u8::from(self.volatile_weak)];
        Some(hash(&[program.as_bytes(), &module.to_le_bytes(), facts.as_bytes(), &weak]))
    }
}

impl Known {
    /// Returns an answer that holds for other addresses, too: one of this process or of an earlier one.
    fn kept(&mut self, name: u128, answers: Option<&Answers>) -> Option<Verdict> {
        if let Some(verdict) = self.general.get(&name) {
            return Some(verdict.clone());
        }
        let verdict = read(answers?, name)?;
        self.general.insert(name, verdict.clone());
        Some(verdict)
    }

    /// Records the answer about a launch; `None` while it is asked about.
    fn remember(&mut self, key: Key, verdict: Option<Verdict>) {
        if self.answers.len() > MOST_ANSWERS {
            self.answers.retain(|_, verdict| verdict.is_none());
        }
        let (module, kernel) = (key.0, key.1.kernel.clone());
        let is_proved = verdict.as_ref().is_some_and(|verdict| verdict.found().is_some());
        self.kernels.entry((module, kernel)).or_default().1 += u32::from(is_proved);
        self.answers.insert(key, verdict);
    }

    /// Returns whether a launch is worth a question, and counts it.
    fn may_ask(&mut self, (module, launch): &Key) -> bool {
        let (asked, proved) = self.kernels.entry((*module, launch.kernel.clone())).or_default();
        let is_hopeless = *proved == 0 && *asked >= HOPELESS;
        let may = !is_hopeless && *asked < MOST_QUESTIONS;
        *asked += u32::from(may);
        may
    }
}

/// The first word of a stored answer. The names of constants follow that of a proof, and what else is proved that of none.
const PROVED: &str = "proved";
const OPEN: &str = "open";

/// Reads an answer of an earlier process.
fn read(answers: &Answers, name: u128) -> Option<Verdict> {
    let body = answers.read(name)?;
    match std::str::from_utf8(&body).ok()?.split_once(' ')? {
        (PROVED, constants) => {
            Some(Verdict::Proved(constants.split_ascii_whitespace().map(str::to_owned).collect()))
        }
        (OPEN, parts) => Some(Verdict::Open(Arc::new(serde_json::from_str(parts).ok()?))),
        _ => None,
    }
}

/// Keeps an answer. A failure is ignored; the next process asks again.
fn write(answers: &Answers, name: u128, verdict: &Verdict) {
    let text = match verdict {
        Verdict::Proved(constants) => format!("{PROVED} {}", constants.join(" ")),
        Verdict::Open(parts) => format!("{OPEN} {}", serde_json::to_string(&**parts).unwrap_or_default()),
    };
    if let Err(why) = answers.write(name, text.as_bytes()) {
        log::note(|| format!("an answer of the prover could not be kept: {why}"));
    }
}
