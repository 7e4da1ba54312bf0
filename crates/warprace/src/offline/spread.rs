//! An analysis in one call, or in parts whose results lie in a folder, made here or by tasks of Slurm.
//!
//! The folder is one of crate `campaign`: a result is written beside and renamed into place, and its hash tells whether it is whole.
//! Two tasks that repeat a part write the same. The process that has all results follows the order of threads once more, and
//! merges.

use super::analyse::{Analysed, divides};
use super::part::Part;
use super::passes::Passes;
use crate::options::PredictArgs;
use crate::refusal::Refusal;
use crate::slurm::{Jobs, TICK, Wait, Work, chunk, host, refused};
use crate::{exit, interrupt, terminal};
use campaign::identity::{Hasher, Identity};
use campaign::record;
use campaign::store::Store;
use clap::ValueEnum;
use detect::lens::Shard;
use detect::ptx::PtxOptions;
use names::lens::Choice;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of the beginning and of the end of a trace that its identity includes.
const ENDS: u64 = 1 << 16;

/// Seconds without a result after which parts are submitted again, if no option says how many.
const PATIENCE: u64 = 3600;

/// Returns a detector's result for the trace; `None` if this process was to make parts of it, or to submit them.
pub(super) fn analyse(
    args: &PredictArgs,
    lens: &Choice,
    ptx: &PtxOptions,
) -> Result<Option<Analysed>, Refusal> {
    let wrong = |message: String| {
        Refusal::new(exit::USAGE, message).help("record one with `warprace trace -o FILE -- PROGRAM`")
    };
    let division = &args.parts;
    if division.parts > 1 && !divides(lens) {
        return Err(Refusal::new(
            exit::USAGE,
            format!("lens `{lens}` judges all of memory: leave --parts out"),
        ));
    }
    if division.max_memory.is_some() && lens.name() != "ptx" {
        return Err(Refusal::new(exit::USAGE, format!("--max-memory is of `ptx`: use --parts for `{lens}`")));
    }
    let passes = Passes {
        path: &args.file,
        lens,
        ptx: PtxOptions { max_shadow_bytes: division.max_memory, ..ptx.clone() },
        jobs: args.jobs,
        quiet: args.outputs.quiet,
        leaves_room: OnceCell::new(),
    };
    let slurm = &division.slurm;
    if division.output.is_none() && !slurm.slurm && slurm.worker.is_none() {
        let mut shards = Shard::all(division.parts as usize);
        let first = shards.next().unwrap_or(Shard::WHOLE);
        return passes.whole(first, shards, Vec::new()).map(Some).map_err(wrong);
    }
    let plan =
        identity(args, lens).map_err(|e| wrong(format!("cannot read `{}`: {e}", args.file.display())))?;
    let root = division.output.clone().unwrap_or_else(|| {
        let mut name = args.file.clone().into_os_string();
        name.push(".parts");
        PathBuf::from(name)
    });
    let store = Store::create(&root, &host()).map_err(refused)?;
    let spread = Spread { args, store: &store, plan, passes };
    if let Some(batch) = &slurm.worker {
        for number in chunk(&store, plan, batch, "the trace")? {
            spread.make(number)?;
        }
        return Ok(None);
    }
    spread.whole()
}

/// Returns the identity of the parts: of the trace, and of what decides about their results.
fn identity(args: &PredictArgs, lens: &Choice) -> io::Result<Identity> {
    let mut file = File::open(&args.file)?;
    let length = file.metadata()?.len();
    let mut ends = Vec::new();
    (&mut file).take(ENDS).read_to_end(&mut ends)?;
    file.seek(SeekFrom::Start(length.saturating_sub(ENDS)))?;
    file.take(ENDS).read_to_end(&mut ends)?;
    let hash = Hasher::new("parts").text(env!("CARGO_PKG_VERSION")).text(&lens.to_string());
    let hash = hash.text(&name(args.volatile)).text(&name(args.equal_values));
    let hash = hash.number(args.parts.parts.into()).number(args.parts.max_memory.unwrap_or(0));
    Ok(hash.number(length).bytes(&ends).finish())
}

/// Returns an option's value as it is written.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The parts of an analysis, and the folder of their results.
struct Spread<'a> {
    args: &'a PredictArgs,
    store: &'a Store,
    plan: Identity,
    passes: Passes<'a>,
}

impl Spread<'_> {
    fn file(&self, part: u64) -> PathBuf {
        self.store.root().join("parts").join(self.plan.to_string()).join(part.to_string())
    }

    fn result(&self, part: u64) -> Option<Vec<Part>> {
        let content = std::fs::read(self.file(part)).ok()?;
        record::lines::<Vec<Part>>(&content).whole.pop()
    }

    /// Returns the parts without a result.
    fn missing(&self) -> Vec<u64> {
        (0..self.args.parts.parts.into()).filter(|&part| self.result(part).is_none()).collect()
    }

    /// Analyses a part, unless it has a result.
    fn make(&self, part: u64) -> Result<(), Refusal> {
        let shard = Shard::all(self.args.parts.parts as usize).nth(part as usize);
        let Some(shard) = shard.filter(|_| self.result(part).is_none()) else { return Ok(()) };
        let parts = self.passes.parts(shard).map_err(|message| Refusal::new(exit::USAGE, message))?;
        self.store.put(&self.file(part), record::seal(&parts).as_bytes()).map_err(refused)
    }

    /// Has all parts analysed, and merges them.
    fn whole(&self) -> Result<Option<Analysed>, Refusal> {
        let slurm = &self.args.parts.slurm;
        if slurm.slurm {
            interrupt::catch();
            if !self.follow()? {
                return Ok(None);
            }
        } else {
            self.missing().into_iter().try_for_each(|part| self.make(part))?;
        }
        let all = 0..u64::from(self.args.parts.parts);
        let parts: Option<Vec<Vec<Part>>> = all.map(|part| self.result(part)).collect();
        let gone =
            || Refusal::new(exit::INCONCLUSIVE, "a result of a part has gone from the folder".to_owned());
        let parts = parts.ok_or_else(gone)?.into_iter().flatten().collect();
        // The order of threads is all that is followed here.
        let ptx = PtxOptions { max_shadow_bytes: None, ..self.passes.ptx.clone() };
        let passes = Passes { ptx, leaves_room: OnceCell::new(), ..self.passes };
        let whole = passes.whole(Shard::NOTHING, [], parts);
        whole.map(Some).map_err(|message| Refusal::new(exit::USAGE, message))
    }

    /// Has Slurm make the parts without a result. Returns whether all have one.
    fn follow(&self) -> Result<bool, Refusal> {
        let slurm = &self.args.parts.slurm;
        let mut jobs = Jobs::new(Work {
            store: self.store,
            args: slurm,
            plan: self.plan,
            words: self.words(),
            noun: "part",
            quiet: self.args.outputs.quiet,
        });
        let size = slurm.chunk.unwrap_or(1) as usize;
        let mut missing = self.missing();
        if !missing.is_empty() && !jobs.is_running() {
            jobs.submit(&missing, size)?;
        }
        if slurm.detach {
            return Ok(missing.is_empty());
        }
        let mut wait = Wait::new(Duration::from_secs(slurm.patience.unwrap_or(PATIENCE)));
        while !missing.is_empty() && interrupt::caught().is_none() {
            std::thread::sleep(TICK);
            let left = self.missing();
            if left.len() < missing.len() {
                wait.came();
            }
            missing = left;
            wait.again(&mut jobs, || missing.clone(), size)?;
        }
        match missing.is_empty() {
            true => jobs.cancel(),
            false => terminal::complain("warprace: the jobs go on; the same command waits for them again\n"),
        }
        Ok(missing.is_empty())
    }

    /// Returns the words of a task: before the number of its batch, and behind.
    fn words(&self) -> (Vec<OsString>, Vec<OsString>) {
        let PredictArgs { file, parts, volatile, equal_values, .. } = self.args;
        let mut words: Vec<OsString> = vec!["predict".into(), "--quiet".into()];
        let mut add = |option: &str, value: String| words.extend([option.into(), value.into()]);
        add("--detector", self.passes.lens.to_string());
        add("--volatile", name(*volatile));
        add("--equal-values", name(*equal_values));
        add("--parts", parts.parts.to_string());
        if let Some(bytes) = parts.max_memory {
            add("--max-memory", bytes.to_string());
        }
        (words, vec![absolute(file).into()])
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
