//! `warprace campaign`: runs of many programs, here or over Slurm, merged into one report.
//!
//! Each run is a `warprace run` of its own (`job`), several at a time (`pool`); what `campaign` (the crate) keeps
//! of it lies in the campaign's folder, so that a campaign goes on where it was stopped. `slurm` hands the same
//! runs to job arrays, whose tasks are this command, too.

mod conclude;
mod job;
mod pool;
mod progress;
mod settings;
mod slurm;
mod words;

use crate::options::CampaignArgs;
use crate::publish::{self, Kept};
use crate::refusal::Refusal;
use crate::slurm::{host, refused};
use crate::{exit, interrupt, terminal};
use campaign::documents::undescribed;
use campaign::file::Campaign;
use campaign::merge::Merged;
use campaign::plan::Plan;
use campaign::record::{Outcome, Record};
use campaign::store::Store;
use report::source::Sources;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub(crate) fn campaign(args: &CampaignArgs) -> u8 {
    let sources = Sources::new(std::env::current_dir().ok());
    match run(args, &sources) {
        Ok(code) => code,
        Err(refusal) => {
            refusal.show(&sources);
            refusal.code
        }
    }
}

/// The plan, the folder and the options of this call.
struct Context<'a> {
    args: &'a CampaignArgs,
    plan: &'a Plan,
    store: &'a Store,
}

fn run(args: &CampaignArgs, sources: &Sources) -> Result<u8, Refusal> {
    let wrong = |message: String| Refusal::new(exit::USAGE, message);
    let file = std::path::absolute(&args.file).map_err(|e| wrong(e.to_string()))?;
    let file = file.as_path();
    let shown = |text: String| text.replace(&file.display().to_string(), &args.file.display().to_string());
    let campaign = Campaign::read(file).map_err(|e| wrong(shown(e.to_string())))?;
    settings::check(&campaign).map_err(|e| wrong(shown(e.to_string())))?;
    let is_run = !(args.list || args.status || args.collect || args.slurm.worker.is_some());
    if let Some(build) = campaign.build.as_ref().filter(|_| is_run && !args.no_build) {
        crate::check::build(build, campaign.folder())?;
    }
    let mut outputs = args.outputs.clone();
    outputs.suppressions.extend(campaign.suppressions.iter().map(|path| campaign.folder().join(path)));
    let kept = publish::prepare(&outputs)?;
    let plan = Plan::new(campaign).map_err(|e| wrong(shown(e.to_string())))?;
    if plan.repeated() > 0 && is_run {
        let repeated = words::count(plan.repeated(), "run");
        terminal::complain(format_args!(
            "warprace: warning: {repeated} of the file repeat others, and are left out\n"
        ));
    }
    if args.list {
        terminal::print(words::list(&plan));
        return Ok(0);
    }
    let root = folder(args);
    let opened = match is_run {
        true => Store::create(&root, &host()),
        false => Store::open(&root, &host()),
    };
    let store = opened.map_err(refused)?;
    let context = Context { args, plan: &plan, store: &store };
    if let Some(batch) = &args.slurm.worker {
        return slurm::work(&context, batch);
    }
    context.go(&outputs, &kept, sources)
}

/// Returns the folder of the results.
fn folder(args: &CampaignArgs) -> PathBuf {
    args.output.clone().unwrap_or_else(|| args.file.with_extension("results"))
}

impl Context<'_> {
    fn go(&self, outputs: &crate::options::Outputs, kept: &Kept, sources: &Sources) -> Result<u8, Refusal> {
        let is_run = !(self.args.status || self.args.collect);
        let mut merged = self.load(is_run)?;
        if self.args.status {
            slurm::status(self, &merged);
            return Ok(0);
        }
        interrupt::catch();
        if is_run && self.args.slurm.slurm {
            if let slurm::Ended::Detached = slurm::follow(self, &mut merged)? {
                return Ok(0);
            }
        } else if is_run {
            let numbers: Vec<u64> = merged.missing().collect();
            pool::run(self, &mut merged, &numbers, outputs.quiet)?;
        }
        self.store.pack().map_err(refused)?;
        conclude::conclude(self, &merged, &conclude::Ways { outputs, kept, sources })
    }

    /// Reads the results that are there. With `repair`, results that lack a description are removed.
    fn load(&self, repair: bool) -> Result<Merged<'_>, Refusal> {
        let retried = |record: &Record| {
            repair && self.args.retry && matches!(record.outcome, Outcome::TimedOut | Outcome::NotRun)
        };
        let mut left_out = HashSet::new();
        loop {
            let mut merged = Merged::new(self.plan);
            let torn = self.store.read(|record| {
                if !left_out.contains(&record.run) && !retried(&record) {
                    merged.add(&record);
                }
            });
            let torn = torn.map_err(refused)?;
            let lost = undescribed(&merged, self.store);
            if lost.is_empty() {
                self.warn(torn, merged.strange());
                return Ok(merged);
            }
            for run in lost {
                if repair {
                    self.store.forget(run);
                }
                left_out.insert(run);
            }
        }
    }

    fn warn(&self, torn: u64, strange: u64) {
        let were = |n: u64| if n == 1 { "was" } else { "were" };
        if torn > 0 {
            let all = words::count(torn, "result");
            terminal::complain(format_args!("warprace: {all} {} torn by a crash: missing\n", were(torn)));
        }
        if strange > 0 {
            let all = words::count(strange, "result");
            let why = "left out: the file has no such run (a program has changed, for example)";
            terminal::complain(format_args!("warprace: {all} {} {why}\n", were(strange)));
        }
    }

    /// Returns the folder that paths of the campaign file are relative to.
    fn base(&self) -> &Path {
        self.plan.campaign().folder()
    }
}
