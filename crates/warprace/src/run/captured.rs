//! Engine `capture`: runs each launch that the program's process saves on the virtual GPU with the exact
//! lens, while the program goes on.

use super::saved_launch::{Done, Ran, again};
use super::signals;
use crate::options::RunArgs;
use crate::terminal;
use names::{Engine, symbol};
use protocol::RunResult;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The time after the program's end during which saved launches are still started.
const LINGER: Duration = Duration::from_secs(120);
const PULSE: Duration = Duration::from_millis(20);
/// Limits how many unchecked launches are named.
const NAMED: usize = 8;

/// A folder in which a program that has not started yet will save launches.
pub(super) struct Watched {
    folder: PathBuf,
    /// Files of earlier runs, which do not belong to this run.
    before: BTreeSet<PathBuf>,
}

impl Watched {
    pub(super) fn new(folder: PathBuf) -> Watched {
        let before = launches(&folder).into_iter().collect();
        Watched { folder, before }
    }

    /// Returns the launches that the program has saved so far.
    fn launches(&self) -> Vec<PathBuf> {
        launches(&self.folder).into_iter().filter(|file| !self.before.contains(file)).collect()
    }
}

/// The thread that runs saved launches beside the program.
pub(super) struct Beside<'scope> {
    over: Arc<AtomicBool>,
    thread: ScopedJoinHandle<'scope, Done>,
}

impl<'scope> Beside<'scope> {
    /// Starts the thread, which runs the launches that the program's process saves.
    pub(super) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        args: &'env RunArgs,
        watched: Watched,
    ) -> Beside<'scope> {
        let over = Arc::new(AtomicBool::new(false));
        let told = over.clone();
        let thread = scope.spawn(move || {
            let (mut done, mut since) = (Done::new(), None::<Instant>);
            loop {
                // The flag is read before the folder, so the folder then has everything that was saved before
                // the end.
                let ended = told.load(Ordering::SeqCst);
                let mut left = watched.launches();
                left.retain(|file| !done.contains_key(file));
                let Some(file) = left.first() else {
                    if ended {
                        return done;
                    }
                    std::thread::sleep(PULSE);
                    continue;
                };
                if ended && since.is_none() {
                    since = Some(Instant::now());
                    say(left.len(), args.outputs.quiet);
                }
                let outcome = match since {
                    Some(_) if signals::is_asked_to_end() => Err("the run was ended before".into()),
                    Some(since) if since.elapsed() > LINGER => {
                        Err(format!("there was no time for it within {} seconds", LINGER.as_secs()))
                    }
                    _ => again(args, file),
                };
                done.insert(file.clone(), outcome);
            }
        });
        Beside { over, thread }
    }

    /// Signals the program's end and waits for the thread.
    pub(super) fn finish(self) -> Done {
        self.over.store(true, Ordering::SeqCst);
        self.thread.join().unwrap_or_default()
    }
}

/// Tells a waiting user how many launches remain.
fn say(launches: usize, quiet: bool) {
    if !quiet && std::io::stderr().is_terminal() {
        let what = if launches == 1 { "launch" } else { "launches" };
        terminal::complain(format_args!(
            "warprace: checking {launches} more saved {what} on the virtual GPU\n"
        ));
    }
}

/// Returns the saved launches of a folder, in the order in which each process has saved them.
fn launches(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut out: Vec<((u32, u64, u64), PathBuf)> =
        files.filter_map(|path| Some((numbers(&path)?, path))).collect();
    out.sort_unstable();
    out.into_iter().map(|(_, path)| path).collect()
}

/// Parses `PID-NUMBER.launch`, or `PID-NUMBER-WHICH.launch` for the launches of a graph after launch NUMBER.
fn numbers(file: &Path) -> Option<(u32, u64, u64)> {
    (file.extension()? == OsStr::new("launch")).then_some(())?;
    let (pid, number) = file.file_stem()?.to_str()?.split_once('-')?;
    let (number, which) = number.split_once('-').unwrap_or((number, "0"));
    Some((pid.parse().ok()?, number.parse().ok()?, which.parse().ok()?))
}

/// Adds the checked launches and their findings to the results of the program's processes.
pub(super) fn add(done: &mut Done, processes: &mut Vec<RunResult>) {
    let mut shown = Vec::new();
    for result in processes.iter_mut() {
        // If kernels also check themselves, each launch has been counted already.
        let alone = result.replay.as_ref().is_some_and(|replay| replay.engine == Engine::Capture);
        let mut ran = Ran::default();
        let mut failed: Vec<(String, String)> = Vec::new();
        let mut good = BTreeSet::new();
        let lost = result.launches.iter().filter(|launch| !done.contains_key(&launch.file));
        failed.extend(lost.map(|launch| (launch.kernel.clone(), "its file was not found".into())));
        let own: Vec<PathBuf> = done
            .keys()
            .filter(|file| numbers(file).is_some_and(|(pid, ..)| pid == result.pid))
            .cloned()
            .collect();
        for file in own {
            let saved = result.launches.iter().find(|launch| launch.file == file);
            match done.remove(&file) {
                Some(Ok(exact)) => {
                    ran.add(exact.ran);
                    result.counters.thread_instructions += exact.counters.thread_instructions;
                    result.counters.warp_instructions += exact.counters.warp_instructions;
                    if let Some(kernel) = result.kernels.iter_mut().find(|k| k.name == exact.kernel) {
                        kernel.checked += u64::from(alone);
                        kernel.accesses += exact.counters.accesses;
                        kernel.thread_instructions += exact.counters.thread_instructions;
                    }
                    good.insert(exact.kernel);
                    shown.extend(exact.results);
                }
                Some(Err(why)) => {
                    failed.push((saved.map(|launch| launch.kernel.clone()).unwrap_or_default(), why));
                }
                None => {}
            }
        }
        result.counters.checked += if alone { ran.launches } else { 0 };
        result.counters.accesses += ran.accesses;
        for (kernel, why) in failed {
            let name = symbol::short(&kernel);
            let (said, to) = match good.contains(&kernel) {
                true => (format!("a saved launch of `{name}` was not checked: {why}"), &mut result.limits),
                false => (format!("kernel `{name}` was not checked: {why}"), &mut result.inconclusive),
            };
            if to.len() < NAMED && !to.contains(&said) {
                to.push(said);
            }
        }
        if result.uses_cuda {
            let all = result.counters.launches;
            result.limits.push(ran.told(all));
        }
    }
    processes.append(&mut shown);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches that were saved before the folder was first read counted as an earlier run's and were not
    /// checked.
    #[test]
    fn what_is_saved_as_soon_as_a_program_begins_is_its_own() {
        let folder = std::env::temp_dir().join(format!("warprace-watched-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("7-1.launch"), "").unwrap();
        let watched = Watched::new(folder.clone());
        std::fs::write(folder.join("8-1.launch"), "").unwrap();
        assert_eq!(watched.launches(), [folder.join("8-1.launch")]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn files_are_read_in_the_order_of_launches() {
        let folder = std::env::temp_dir().join(format!("warprace-captured-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in [
            "7-10.launch",
            "7-9.launch",
            "7-9-10.launch",
            "7-9-2.launch",
            "6-12.launch",
            "7-11.launch.partial",
            "x-1.launch",
            "notes",
        ] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let names: Vec<String> =
            launches(&folder).iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["6-12.launch", "7-9.launch", "7-9-2.launch", "7-9-10.launch", "7-10.launch"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
