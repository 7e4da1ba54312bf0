//! Campaigns over Slurm: runs of the plan as numbered work.

use super::{Context, pool, progress::Progress, words};
use crate::refusal::Refusal;
use crate::slurm::{Jobs, TICK, Wait, Work, chunk, known, refused};
use crate::{exit, interrupt, terminal};
use campaign::identity::Identity;
use campaign::merge::Merged;
use campaign::slurm::Queue;
use std::collections::HashSet;
use std::time::Duration;

/// Runs of a task, if no option says how many.
const CHUNK: u32 = 25;

/// How the wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// All runs have a result, or an interrupt has come.
    Here,
    /// The jobs go on without this process.
    Detached,
}

fn jobs<'a>(context: &'a Context<'a>) -> Jobs<'a> {
    Jobs::new(Work {
        store: context.store,
        args: &context.args.slurm,
        plan: context.plan.identity(),
        words: (vec!["campaign".into()], vec![context.plan.campaign().file.clone().into()]),
        noun: "run",
        quiet: context.args.outputs.quiet,
    })
}

/// Submits all runs without a result, and waits for their results.
pub(super) fn follow(context: &Context<'_>, merged: &mut Merged<'_>) -> Result<Ended, Refusal> {
    let mut jobs = jobs(context);
    let chunk = context.args.slurm.chunk.unwrap_or(CHUNK) as usize;
    let missing: Vec<u64> = merged.missing().collect();
    // Jobs of an earlier call may still have them.
    if !missing.is_empty() && !jobs.is_running() {
        jobs.submit(&missing, chunk)?;
    }
    if context.args.slurm.detach {
        return Ok(Ended::Detached);
    }
    let longest = context.plan.campaign().programs.iter().map(|program| program.timeout).max();
    let patience = context.args.slurm.patience.unwrap_or(longest.unwrap_or(0) + 60);
    let done = merged.plan().runs().filter(|run| merged.is_done(run.number));
    let mut known = done.map(|run| run.identity).collect();
    let mut progress = Progress::new(merged, missing.len() as u64, context.args.outputs.quiet);
    let mut wait = Wait::new(Duration::from_secs(patience));
    while merged.left() > 0 && interrupt::caught().is_none() {
        look(context, merged, (&mut known, &mut progress, &mut wait))?;
        wait.again(&mut jobs, || merged.missing().collect(), chunk)?;
        std::thread::sleep(TICK);
    }
    progress.clear();
    match merged.left() {
        0 => jobs.cancel(),
        _ => {
            terminal::complain("warprace: the jobs go on; --status and --collect show what they have done\n")
        }
    }
    Ok(Ended::Here)
}

/// Merges the results that have come.
fn look(
    context: &Context<'_>,
    merged: &mut Merged<'_>,
    (known, progress, wait): (&mut HashSet<Identity>, &mut Progress, &mut Wait),
) -> Result<(), Refusal> {
    for record in context.store.fresh(known).map_err(refused)? {
        let before = merged.left();
        for key in merged.add(&record) {
            if let (Some(finding), Some(number)) = (merged.finding(key), merged.plan().number(record.run)) {
                progress.found(finding, &merged.plan().run(number), None);
            }
        }
        if merged.left() < before {
            wait.came();
        }
    }
    progress.show(merged);
    Ok(())
}

/// Prints how many runs have a result, and what Slurm still has.
pub(super) fn status(context: &Context<'_>, merged: &Merged<'_>) {
    let all = merged.plan().len();
    let (races, findings) = merged.found();
    terminal::print(format_args!(
        "{} of {} have a result: {}, {}\n",
        words::grouped(all - merged.left()),
        words::count(all, "run"),
        words::count(races as u64, "race"),
        words::count((findings - races) as u64, "hazard")
    ));
    if known(context.store.root()).is_empty() {
        return;
    }
    match jobs(context).queue() {
        Some(Queue { running, waiting }) => terminal::print(format_args!(
            "Slurm: {} running, {} waiting\n",
            words::count(running, "task"),
            words::grouped(waiting)
        )),
        None => terminal::print("Slurm does not answer\n"),
    }
}

/// Runs the chunk of a batch that `SLURM_ARRAY_TASK_ID` names.
pub(super) fn work(context: &Context<'_>, batch: &str) -> Result<u8, Refusal> {
    let changed = "the campaign's file or a program";
    let mut numbers = chunk(context.store, context.plan.identity(), batch, changed)?;
    numbers.retain(|number| *number < context.plan.len());
    interrupt::catch();
    let mut merged = Merged::new(context.plan);
    pool::run(context, &mut merged, &numbers, true)?;
    Ok(if interrupt::caught().is_some() { exit::INCONCLUSIVE } else { 0 })
}
