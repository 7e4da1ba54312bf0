//! Engine `session`: when the program has ended, the virtual GPU makes the calls that its processes have recorded again,
//! with the exact lens.

use super::{Folder, prepare, start};
use crate::options::{ReplayArgs, RunArgs};
use crate::refusal::Refusal;
use crate::terminal;
use names::symbol;
use protocol::{RunResult, SESSION_EXTENSION, SessionOptions};
use snapshot::session::{Limits, Session};
use std::fs::File;
use std::io::{BufReader, IsTerminal};
use std::path::{Path, PathBuf};

/// Time limit of a replay in seconds, unless `--timeout` gives the run more.
const PATIENCE: u64 = 120;
/// The bytes of a session unless `--session-bytes` says otherwise.
const BYTES: u64 = 256 << 20;
/// The launches of a session.
const LAUNCHES: u64 = 20_000;
/// Limits how many unchecked kernels are named.
const NAMED: usize = 8;

/// Returns how sessions are recorded, if they are.
pub(super) fn options(args: &RunArgs, results: &Folder) -> Option<SessionOptions> {
    let bytes = args.session_bytes.unwrap_or(BYTES);
    args.sessions().then(|| SessionOptions { folder: results.path().to_owned(), bytes, launches: LAUNCHES })
}

/// Returns the contents of a file that is valid. The error is a sentence fragment.
pub(crate) fn read(file: &Path) -> Result<Session, String> {
    let file = File::open(file).map_err(|e| terminal::plain(&e))?;
    Session::read(BufReader::new(file), Limits::default()).map_err(|e| e.to_string())
}

/// Returns whether a file begins as a session does.
pub(crate) fn is_one(file: &Path) -> bool {
    let mut head = [0; 8];
    let read = File::open(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    read.is_ok() && Session::is_one(&head)
}

/// Makes the calls of the program's processes again, and adds what that finds to their results. `main` is the
/// process that was started.
pub(super) fn check(args: &RunArgs, results: &Folder, main: u32, processes: &mut Vec<RunResult>) {
    let mut found = Vec::new();
    for result in processes.iter_mut().filter(|result| result.uses_cuda) {
        let file = results.path().join(format!("{}.{SESSION_EXTENSION}", result.pid));
        let saved = args.save_session.as_deref().map(|path| kept(path, result.pid, main));
        if let Some(path) = &saved
            && let Err(error) = std::fs::copy(&file, path)
        {
            result.limits.push(format!("the session could not be saved in {}: {error}", path.display()));
        }
        match replay(args, &file) {
            Ok(again) => add(result, again, saved, &mut found),
            Err(why) => result.inconclusive.push(format!("the session was not checked: {why}")),
        }
    }
    processes.append(&mut found);
}

/// Returns the path at which a process's session stays.
fn kept(path: &Path, process: u32, main: u32) -> PathBuf {
    if process == main {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{process}"));
    PathBuf::from(name)
}

/// Makes the calls of a session again. The error is a sentence fragment.
fn replay(args: &RunArgs, file: &Path) -> Result<Vec<RunResult>, String> {
    let session = read(file)?;
    if !args.outputs.quiet && std::io::stderr().is_terminal() {
        let calls = session.calls.len();
        terminal::complain(format_args!(
            "warprace: checking the session of {calls} calls on the virtual GPU\n"
        ));
    }
    let program = std::env::current_exe().map_err(|e| e.to_string())?.into_os_string();
    // The kernels' output is suppressed, since the program's own launches have printed it.
    let words = vec![program, "launch".into(), "--silent".into(), file.as_os_str().to_owned()];
    let mut run = ReplayArgs::plain(file.to_owned()).run(words, session.header.devices);
    (run.execution.jobs, run.timeout) = (args.execution.jobs, Some(args.timeout.unwrap_or(0).max(PATIENCE)));
    run.execution.seed = args.execution.seed;
    run.execution.check.clone_from(&args.execution.check);
    (run.execution.volatile, run.execution.equal_values) =
        (args.execution.volatile, args.execution.equal_values);
    (run.kernel_name, run.kernel_name_exclude) = (args.kernel_name.clone(), args.kernel_name_exclude.clone());
    // The terminal belongs to the program.
    run.outputs.quiet = true;
    let refused = |refusal: Refusal| refusal.line();
    let (folder, program, how): (Folder, _, _) = prepare(&run).map_err(refused)?;
    let child = start(&run, how, &program, &folder, None).map_err(refused)?;
    let (_, in_time) = child.wait(run.timeout).map_err(|e| e.to_string())?;
    let mut results = RunResult::read_all(folder.path()).map_err(|e| e.to_string())?.processes;
    if let Some(first) = results.first_mut().filter(|_| !in_time) {
        let seconds = run.timeout.unwrap_or_default();
        first.inconclusive.push(format!("the session's replay took more than {seconds} seconds"));
    }
    match results.is_empty() {
        true => Err("its replay said nothing".into()),
        false => Ok(results),
    }
}

/// Adds a replay's counts to the result of the process that recorded the session.
fn add(result: &mut RunResult, again: Vec<RunResult>, saved: Option<PathBuf>, found: &mut Vec<RunResult>) {
    let launches = result.counters.launches;
    let mut checked = 0;
    for mut replayed in again {
        let counters = std::mem::take(&mut replayed.counters);
        checked += counters.checked;
        result.counters.accesses += counters.accesses;
        result.counters.thread_instructions += counters.thread_instructions;
        result.counters.warp_instructions += counters.warp_instructions;
        for kernel in std::mem::take(&mut replayed.kernels) {
            if let Some(own) = result.kernels.iter_mut().find(|own| own.name == kernel.name) {
                own.checked = (own.checked + kernel.checked).min(own.launches);
                own.accesses += kernel.accesses;
                own.thread_instructions += kernel.thread_instructions;
            }
        }
        for failure in &replayed.failures {
            let kernel = symbol::short(&failure.kernel);
            let what =
                format!("the session's replay ended at `{kernel}`, which failed with {}", failure.error);
            result.inconclusive.push(what);
        }
        replayed.failures.clear();
        replayed.saved.clone_from(&saved);
        found.push(replayed);
    }
    result.counters.checked = (result.counters.checked + checked).min(launches);
    result.limits.push(format!("the session on the virtual GPU: {checked} of {launches} launches checked"));
    let lost: Vec<String> = result
        .kernels
        .iter()
        .filter(|kernel| kernel.launches > 0 && kernel.checked == 0)
        .map(|kernel| symbol::short(&kernel.name).to_string())
        .collect();
    for kernel in lost.iter().take(NAMED) {
        result.inconclusive.push(format!("kernel `{kernel}` was not checked: no launch of it ran again"));
    }
}
