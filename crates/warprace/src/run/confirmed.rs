//! What kernels on a GPU have seen, once more on the virtual GPU: launches of flagged kernels that were saved run there with the
//! exact lens, which names both sides, says why nothing orders them, and can be repeated.

use super::captured::Done;
use super::{Folder, prepare, start};
use crate::options::{ReplayArgs, RunArgs};
use crate::{exit, terminal};
use events::{Finding, Site, SiteTable, TaskKind};
use protocol::{Counters, RunResult, SavedLaunch, names};
use snapshot::{Launch, Limits, Range, Target};
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A saved launch may run so long, in seconds.
const PATIENCE: u64 = 60;
/// So many of one kernel are run.
const MOST: usize = 3;

/// Runs saved launches of kernels with findings, and puts what they show in the place of what it confirms.
pub(super) fn confirm(args: &RunArgs, done: &mut Done, processes: &mut Vec<RunResult>) {
    let mut shown = Vec::new();
    for result in processes.iter_mut() {
        let mut flagged: Vec<String> =
            result.findings.iter().filter_map(|f| kernel(result, &f.finding)).collect();
        flagged.sort_unstable();
        flagged.dedup();
        for kernel in flagged {
            let saved: Vec<SavedLaunch> =
                result.launches.iter().filter(|l| l.kernel == kernel).take(MOST).cloned().collect();
            let (mut exact, mut why) = (Vec::new(), Vec::new());
            for launch in &saved {
                // What is checked anyway is.
                let outcome = match done.get_mut(&launch.file) {
                    Some(Ok(known)) => Ok(std::mem::take(&mut known.results)),
                    Some(Err(why)) => Err(why.clone()),
                    None => again(args, &launch.file).map(|exact| exact.results),
                };
                match outcome {
                    Ok(mut again) => exact.append(&mut again),
                    Err(error) => why.push(error),
                }
            }
            let before = result.findings.len();
            let sites = &result.sites;
            let tasks = &result.tasks;
            result.findings.retain(|reported| {
                let of = tasks.iter().find(|t| t.id == reported.finding.sides[0].task);
                let own = of.is_some_and(|t| matches!(&t.kind, TaskKind::Launch(l) if l.kernel == kernel));
                let alone = reported.finding.sides[0].task == reported.finding.sides[1].task;
                !own || !alone || !exact.iter().any(|e| confirms(e, sites, &reported.finding))
            });
            let left = result
                .findings
                .iter()
                .filter(|f| self::kernel(result, &f.finding).as_ref() == Some(&kernel))
                .count();
            let confirmed = before - result.findings.len();
            let name = names::short(&kernel);
            let launches = if saved.len() == 1 { "launch" } else { "launches" };
            let told = match (saved.is_empty(), why.first()) {
                (true, _) => {
                    format!("no launch of `{name}` was saved: what is reported of it is unconfirmed")
                }
                (false, Some(why)) if left > 0 => {
                    format!(
                        "{left} of `{name}` is unconfirmed: its saved launch did not run on the virtual GPU: {why}"
                    )
                }
                (false, _) if left > 0 => format!(
                    "{confirmed} of {} pairs of `{name}` confirmed on the virtual GPU, {left} not seen in its {} saved {launches}",
                    confirmed + left,
                    saved.len(),
                ),
                (false, _) => continue_with(confirmed, &name),
            };
            result.limits.push(told);
            shown.append(&mut exact);
        }
    }
    processes.append(&mut shown);
}

fn continue_with(confirmed: usize, name: &str) -> String {
    let pairs = if confirmed == 1 { "the pair".to_owned() } else { format!("all {confirmed} pairs") };
    format!("{pairs} that `{name}` saw of itself confirmed on the virtual GPU")
}

/// Of the launch that a finding is of.
fn kernel(result: &RunResult, finding: &Finding) -> Option<String> {
    // A saved launch knows of no other.
    if finding.sides[0].task != finding.sides[1].task {
        return None;
    }
    let task = result.tasks.iter().find(|task| task.id == finding.sides[0].task)?;
    match &task.kind {
        TaskKind::Launch(launch) => Some(launch.kernel.clone()),
        _ => None,
    }
}

/// A launch that was run once more.
#[derive(Debug, Default)]
pub(super) struct Exact {
    /// With what was found. What was counted is not in there: the program's launches were counted where they ran.
    pub(super) results: Vec<RunResult>,
    pub(super) kernel: String,
    pub(super) blocks: u64,
    pub(super) counters: Counters,
}

/// Runs a saved launch. The error is a sentence fragment.
pub(super) fn again(args: &RunArgs, file: &Path) -> Result<Exact, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?.into_os_string();
    let words = vec![program, OsString::from("launch"), file.as_os_str().to_owned()];
    let mut run = ReplayArgs::plain(file.to_owned()).run(words, devices(file)?);
    (run.execution.jobs, run.timeout) = (args.execution.jobs, Some(PATIENCE));
    // The program is at work on the terminal.
    run.outputs.quiet = true;
    let refused = |refusal: crate::refusal::Refusal| refusal.line();
    let (folder, program, how): (Folder, _, _) = prepare(&run).map_err(refused)?;
    let child = start(&run, how, &program, &folder, None).map_err(refused)?;
    let (_, in_time) = child.wait(run.timeout).map_err(|e| e.to_string())?;
    if !in_time {
        return Err(format!("it took more than {PATIENCE} seconds"));
    }
    let mut exact = Exact {
        results: RunResult::read_all(folder.path()).map_err(|e| e.to_string())?.processes,
        ..Exact::default()
    };
    for result in &mut exact.results {
        if let Some(failure) = result.failures.first() {
            return Err(format!("it failed with {}", failure.error));
        }
        if result.counters.checked == 0 {
            return Err("nothing was checked".into());
        }
        // What was saved for this run alone nobody can run again.
        result.saved = args.capture.as_ref().map(|_| file.to_owned());
        exact.counters = std::mem::take(&mut result.counters);
        for kernel in std::mem::take(&mut result.kernels) {
            (exact.kernel, exact.blocks) = (kernel.name, kernel.blocks);
        }
    }
    Ok(exact)
}

/// Is it the same pair of instructions, or has the one that is known?
fn confirms(exact: &RunResult, sites: &SiteTable, seen: &Finding) -> bool {
    let at = |table: &SiteTable, finding: &Finding| -> Vec<(String, u32)> {
        let place = |site: &Site| (site.function.clone(), site.ptx_line);
        finding
            .sides
            .iter()
            .filter_map(|side| side.site.and_then(|site| table.get(site)).map(place))
            .collect()
    };
    let known = at(sites, seen);
    exact.findings.iter().any(|reported| {
        let pair = at(&exact.sites, &reported.finding);
        !known.is_empty()
            && known.iter().all(|place| pair.contains(place))
            && (known.len() < 2 || pair.iter().all(|place| known.contains(place)))
    })
}

/// Makes the folder for saved launches.
pub(super) fn folder(path: &Path) -> Result<(), crate::refusal::Refusal> {
    std::fs::create_dir_all(path).map_err(|e| {
        crate::refusal::Refusal::new(exit::USAGE, format!("cannot create {}: {e}", path.display()))
    })
}

/// How many devices the launch was made for, if the file is good.
pub(crate) fn devices(file: &Path) -> Result<u32, String> {
    let file = File::open(file).map_err(|e| terminal::plain(&e))?;
    let mut counted = Devices(1);
    snapshot::read(BufReader::new(file), Limits::default(), &mut counted).map_err(|e| e.to_string())?;
    Ok(counted.0)
}

struct Devices(u32);

impl Target for Devices {
    type Error = Infallible;

    fn launch(&mut self, launch: Launch) -> Result<(), Infallible> {
        self.0 = launch.devices;
        Ok(())
    }

    fn range(&mut self, _: Range) -> Result<(), Infallible> {
        Ok(())
    }

    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<(), Infallible> {
        Ok(())
    }
}
