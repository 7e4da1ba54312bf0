//! Confirms findings of a GPU on the virtual GPU: saved launches of flagged kernels run there with the exact
//! lens, which names both sides, explains why they are unordered, and is repeatable.

use super::saved_launch::{Done, Ran, again};
use crate::exit;
use crate::options::RunArgs;
use events::{Finding, Site, SiteTable, TaskKind};
use names::symbol;
use protocol::{RunResult, SavedLaunch};
use std::path::Path;

/// Limits how many launches of one kernel are run.
const MOST: usize = 3;

/// Runs saved launches of kernels with findings, and replaces the findings that they confirm.
pub(super) fn confirm(args: &RunArgs, done: &mut Done, processes: &mut Vec<RunResult>) {
    let mut shown = Vec::new();
    let mut ran = Ran::default();
    for result in processes.iter_mut() {
        let mut flagged: Vec<String> =
            result.findings.iter().filter_map(|f| kernel(result, &f.finding)).collect();
        flagged.sort_unstable();
        flagged.dedup();
        for kernel in flagged {
            let saved: Vec<SavedLaunch> =
                result.launches.iter().filter(|l| l.kernel == kernel).take(MOST).cloned().collect();
            let (mut exact, mut why, mut of_kernel) = (Vec::new(), Vec::new(), Ran::default());
            for launch in &saved {
                // A launch that engine `capture` has already checked is not run again.
                let outcome = match done.get_mut(&launch.file) {
                    Some(Ok(known)) => Ok((std::mem::take(&mut known.results), known.ran)),
                    Some(Err(why)) => Err(why.clone()),
                    None => again(args, &launch.file).map(|exact| (exact.results, exact.ran)),
                };
                match outcome {
                    Ok((mut again, did)) => {
                        of_kernel.add(did);
                        exact.append(&mut again);
                    }
                    Err(error) => why.push(error),
                }
            }
            ran.add(of_kernel);
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
            let name = symbol::short(&kernel);
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
                    "{confirmed} of {} pairs of `{name}` confirmed on the virtual GPU, {left} not seen in its {} saved {launches}{}",
                    confirmed + left,
                    saved.len(),
                    of_kernel.sampled(),
                ),
                (false, _) => continue_with(confirmed, &name),
            };
            result.limits.push(told);
            shown.append(&mut exact);
        }
    }
    // Engine `capture` reports this itself.
    if ran.launches > 0 && args.captures().is_none() {
        let all: u64 = processes.iter().map(|result| result.counters.launches).sum();
        if let Some(result) = processes.first_mut() {
            result.limits.push(ran.told(all));
        }
    }
    processes.append(&mut shown);
}

fn continue_with(confirmed: usize, name: &str) -> String {
    let pairs = if confirmed == 1 { "the pair".to_owned() } else { format!("all {confirmed} pairs") };
    format!("{pairs} that `{name}` saw of itself confirmed on the virtual GPU")
}

/// Returns the kernel of a finding's launch.
fn kernel(result: &RunResult, finding: &Finding) -> Option<String> {
    // A saved launch contains no other launch to race with.
    if finding.sides[0].task != finding.sides[1].task {
        return None;
    }
    let task = result.tasks.iter().find(|task| task.id == finding.sides[0].task)?;
    match &task.kind {
        TaskKind::Launch(launch) => Some(launch.kernel.clone()),
        _ => None,
    }
}

/// Returns whether the exact result has the finding's pair of instructions, or its only known instruction.
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

/// Creates the folder for saved launches.
pub(super) fn folder(path: &Path) -> Result<(), crate::refusal::Refusal> {
    std::fs::create_dir_all(path).map_err(|e| {
        crate::refusal::Refusal::new(exit::USAGE, format!("cannot create {}: {e}", path.display()))
    })
}
