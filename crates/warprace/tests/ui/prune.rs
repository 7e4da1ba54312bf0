//! Checks the accesses for which engine `collide` omits checks: none of them races, and omitting them changes
//! no finding.

use crate::check::{Done, lines, run};
use crate::fixture::{Expected, Fixture};
use crate::sample::Sampled;
use crate::setup::Setup;
use instrument::prune::{Why, prune};
use ptx::ast::Item;
use ptx::flat::flatten;
use ptx::lines::{FunctionLines, LineTable};
use ptx::op::{MemSpace, Op};
use std::collections::BTreeSet;
use std::path::Path;

/// Checks the fixture. `live` is lens `ptx`'s run of it.
pub(crate) fn pruned(setup: &Setup, fixture: &Fixture, program: &Path, live: &Done) -> Result<(), String> {
    if fixture.expected != Expected::Race {
        return Ok(());
    }
    let racing: BTreeSet<(u32, &str)> = live
        .document
        .races
        .iter()
        .filter(|race| race.space == "shared")
        .flat_map(|race| race.accesses.iter().map(|a| (a.line, a.kind.as_str())))
        .collect();
    let mut wrong = String::new();
    let (left_out, kept) = accesses(fixture, program)?;
    // A line may have further accesses of the same kind with checks.
    for (line, kind) in left_out.difference(&kept) {
        if racing.contains(&(*line, kind)) {
            wrong += &format!("  the {kind} in line {line} races, and engine `collide` leaves it out\n");
        }
    }
    // The comparison needs at least one omitted check.
    if !left_out.is_empty() && fixture.run.is_empty() && Sampled::Unpruned.chooses(setup, fixture) {
        let found = |more: &[&str]| -> Result<BTreeSet<(String, u32, u32)>, String> {
            let words = [&["--engine", "collide:fastest"], more].concat();
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let done = run(setup, fixture, program, &words)?;
            let named = |race| Some((lines(fixture, race)?, race.class.name().to_owned()));
            Ok(done.document.races.iter().filter_map(named).map(|((a, b), class)| (class, a, b)).collect())
        };
        let (with, without) = (found(&[])?, found(&["--no-prune"])?);
        if with != without {
            wrong += &format!("  engine `collide` finds {without:?}, and pruned {with:?}\n");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

type Lines = BTreeSet<(u32, &'static str)>;

/// Returns the fixture's lines with shared-memory accesses that need no check, and those with accesses that
/// do.
fn accesses(fixture: &Fixture, program: &Path) -> Result<(Lines, Lines), String> {
    let bytes = std::fs::read(program).map_err(|e| format!("  {}: {e}\n", program.display()))?;
    let binary = fatbin::Binary::parse(&bytes).map_err(|e| format!("  {e}\n"))?;
    let (mut left_out, mut kept) = (Lines::new(), Lines::new());
    for entry in binary.entries().filter(|entry| entry.kind == fatbin::Kind::Ptx) {
        let text = entry.ptx().map_err(|e| format!("  {e}\n"))?;
        let parsed = ptx::parse(&text);
        let table = LineTable::new(&parsed.module);
        for item in &parsed.module.items {
            let Item::Function(function) = item else { continue };
            let flat = flatten(function);
            let known = FunctionLines::new(&table, &flat);
            for (why, inst) in prune(&parsed.module, &flat).iter().zip(&flat.instructions) {
                let Ok(op) = &inst.op else { continue };
                let kind = match op {
                    Op::Ld(mem) if mem.space == MemSpace::SharedCta => "read",
                    Op::St(mem) if mem.space == MemSpace::SharedCta => "write",
                    _ => continue,
                };
                let own = |file: &str| Path::new(file).file_name() == fixture.path.file_name();
                let out = match why {
                    Some(Why::Apart(_)) => &mut left_out,
                    _ => &mut kept,
                };
                out.extend(known.frames(inst).iter().filter(|f| own(f.file)).map(|f| (f.line, kind)));
            }
        }
    }
    Ok((left_out, kept))
}
