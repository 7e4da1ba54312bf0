//! Compares runs in which the detector, or kernels with the checks of `guard`, skip what a proof covers, from the first
//! instruction on, with runs in which they check everything.

use crate::check::run;
use crate::fixture::Fixture;
use crate::sample::Sampled;
use crate::setup::Setup;
use std::collections::BTreeSet;
use std::path::Path;

/// What a report says of a finding: its class, level and space, and the accesses by line and kind.
type Found = (String, String, String, Vec<(u32, String)>);

/// Checks that a fixture's run finds the same whether accesses are skipped or not.
pub(crate) fn skipped(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<(), String> {
    if !setup.proofs && !fixture.proofs && !Sampled::Proofs.chooses(setup, fixture) {
        return Ok(());
    }
    let found = |options: &[&str]| -> Result<(String, BTreeSet<Found>), String> {
        let options: Vec<String> = options.iter().map(|&word| word.to_owned()).collect();
        let document = run(setup, fixture, program, &options)?.document;
        let accesses = |race: &report::model::Described| {
            let mut all: Vec<_> = race.accesses.iter().map(|a| (a.line, a.kind.clone())).collect();
            all.sort_unstable();
            all
        };
        let findings = document.findings().map(|race| {
            let class = race.class.name().to_owned();
            (class, format!("{:?}", race.level), race.space.clone(), accesses(race))
        });
        Ok((format!("{:?}", document.verdict), findings.collect()))
    };
    let same = |without: &[&str], with: &[&str]| {
        let (all, pruned) = (found(without)?, found(with)?);
        match all == pruned {
            true => Ok(()),
            false => Err(format!("  without proofs {all:?}\n  with proofs {pruned:?}\n")),
        }
    };
    same(&["--no-prune"], &["--prune-after", "0", "--no-proof-cache"])?;
    if !crate::engines::are_run(fixture) {
        return Ok(());
    }
    // Other orders depend on the number of instructions, which proofs make smaller.
    let guard = ["--engine", "guard", "--schedule", "converged-first"];
    same(&guard, &[&guard[..], &["--prune-after", "0"]].concat())
}
