//! The output of `warprace shrink`: a file that replays, a program, and a text.

use super::beside::Beside;
use super::replays::Replays;
use super::saved::Saved;
use super::{Failure, Found, alone, tasks};
use crate::options::ShrinkArgs;
use crate::{exit, output, terminal};
use names::symbol;
use std::fmt::Write;

/// Returns `2 blocks of 64 threads`.
pub(super) fn shape(blocks: u64, threads: u64) -> String {
    let count = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    format!("{} of {}", count(blocks, "block"), count(threads, "thread"))
}

/// Writes the files, and returns what is printed.
pub(super) fn write(
    args: &ShrinkArgs,
    found: &Found,
    replays: &Replays,
    before: &Saved,
    after: &Saved,
) -> Result<String, Failure> {
    let lost = |e: String| (exit::OUTPUT, e);
    let failed = |e: std::io::Error| {
        lost(format!("cannot write to {}: {}", args.output.display(), terminal::plain(&e)))
    };
    std::fs::create_dir_all(&args.output).map_err(failed)?;
    let name = if after.beside.is_some() { "shrunk.session" } else { "shrunk.launch" };
    let file = args.output.join(name);
    tasks::write(after, &file).map_err(failed)?;
    let mut out = format!("race[{}]: {}\n", found.finding.class.name(), found.finding.title);
    out.push_str(&launches(found, before, after));
    for (old, new) in &after.constants {
        let _ = writeln!(out, "  constant: {old} in the kernel became {new}");
    }
    let (old, new) = (before.ranges.len(), after.ranges.len());
    let _ = writeln!(
        out,
        "  memory:   {} bytes in {old} allocations became {} in {new}",
        before.bytes(),
        after.bytes()
    );
    let schedule =
        if replays.schedule.is_empty() { "the usual one".to_owned() } else { replays.schedule.join(" ") };
    let _ = writeln!(out, "  schedule: {schedule}; {} launches were tried", replays.tried);
    let words = [&replays.options[..], &replays.schedule[..]].concat().join(" ");
    let space = if words.is_empty() { "" } else { " " };
    let _ = writeln!(out, "replay: warprace replay{space}{words} {}", file.display());
    let source = args.output.join("shrunk.cu");
    match alone::program(after, &found.finding.title) {
        Ok(text) => {
            output::replace(&source, text.as_bytes()).map_err(failed)?;
            let (program, source) = (args.output.join("shrunk"), source.display());
            let _ = writeln!(
                out,
                "build:  nvcc -o {} {source} && warprace run{space}{words} -- {}",
                program.display(),
                program.display()
            );
        }
        Err(why) => {
            let _ = writeln!(out, "no stand-alone program was written: {why}");
        }
    }
    Ok(out)
}

/// Returns the lines about launches and what is beside them.
fn launches(found: &Found, before: &Saved, after: &Saved) -> String {
    let mut out = String::new();
    let all = after.launches();
    for (old, new) in before.launches().into_iter().zip(&all) {
        let [old, is] = [old, new].map(|l| shape(l.grid.count(), l.block.count()));
        let name = if all.len() > 1 { format!(" (`{}`)", symbol::short(&new.kernel)) } else { String::new() };
        let _ = writeln!(out, "  launch:   {old} became {is}{name}");
    }
    let beside = match &after.beside {
        Some(Beside::Touch(touch)) if touch.api.is_empty() => " beside the host".to_owned(),
        Some(Beside::Touch(touch)) => format!(" beside `{}`", touch.api),
        Some(Beside::Launch { .. }) | None => String::new(),
    };
    let _ = writeln!(out, "  launches: {} became {}{beside}", found.launches, all.len());
    out
}
