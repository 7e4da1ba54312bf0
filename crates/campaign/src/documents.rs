//! The merged results as documents of `report`, one for each program, from which every renderer makes its output.

use crate::identity::{Hasher, Identity};
use crate::merge::{Finding, Merged, Part, settings};
use crate::record::Outcome;
use crate::store::Store;
use events::Level;
use names::Engine;
use report::model::completeness::{Completeness, Share};
use report::model::history::{Campaign, Growth, History};
use report::model::{Described, Document, Failure, JSON_VERSION, LevelField, Summary};
use report::{Verdict, model};

/// Reasons of an inconclusive program that are listed.
const REASONS: usize = 40;

/// Returns the key of the description of a program with arguments: the document of the first run, without findings.
pub fn program_key(program: &str, arguments: &[String]) -> Identity {
    arguments.iter().fold(Hasher::new("program").text(program), |hash, word| hash.text(word)).finish()
}

/// Returns the description of a program with the arguments of its first run.
fn described(merged: &Merged<'_>, store: &Store, first: u64) -> Option<Document> {
    let run = merged.plan().run(first);
    store.shown(program_key(&run.program.name, run.arguments), merged.plan(), first)
}

/// Returns what is kept of a run's document as the description of its program.
pub fn shell(document: &Document) -> Document {
    Document { races: Vec::new(), hazards: Vec::new(), unseen_launches: Vec::new(), ..document.clone() }
}

/// Returns runs whose results name a finding that has no description: these runs have to be repeated.
pub fn undescribed(merged: &Merged<'_>, store: &Store) -> Vec<Identity> {
    let plan = merged.plan();
    let findings = merged.findings().into_iter().filter_map(|finding| {
        store.shown::<Described>(finding.key, plan, finding.first).is_none().then_some(finding.first)
    });
    let firsts = merged.parts.values().flat_map(|part| part.described.values());
    let programs = firsts.filter_map(|&first| described(merged, store, first).is_none().then_some(first));
    findings.chain(programs).map(|number| plan.run(number).identity).collect()
}

/// Returns a document for each program that has a result, in the order of the file.
pub fn documents(merged: &Merged<'_>, store: &Store) -> Vec<Document> {
    let plan = merged.plan();
    let mut of = std::collections::BTreeMap::<&str, u64>::new();
    plan.runs().for_each(|run| *of.entry(&run.program.name).or_default() += 1);
    let findings = merged.findings();
    let one = |name: &str| {
        let part = merged.parts.get(name)?;
        let own: Vec<&Finding> = findings.iter().copied().filter(|f| f.program == name).collect();
        Some(document(name, part, of.get(name).copied().unwrap_or(0), &own, merged, store))
    };
    plan.campaign().programs.iter().filter_map(|program| one(&program.name)).collect()
}

fn document(
    name: &str,
    part: &Part,
    of: u64,
    findings: &[&Finding],
    merged: &Merged<'_>,
    store: &Store,
) -> Document {
    let shells = part.described.values().filter_map(|&first| described(merged, store, first));
    let mut document = shells.reduce(both).unwrap_or_else(blank);
    document.program.name = name.to_owned();
    if let Some((_, exit_code, signal)) = part.failed {
        (document.program.exit_code, document.program.signal) = (exit_code, signal);
    }
    for finding in findings {
        let Some(described) = store.shown::<Described>(finding.key, merged.plan(), finding.first) else {
            continue;
        };
        let described = Described {
            level: LevelField(finding.level),
            count: finding.count,
            history: Some(history(finding, part)),
            ..described
        };
        match finding.level {
            Level::Race => document.races.push(described),
            _ => document.hazards.push(described),
        }
    }
    number_alike(&mut document);
    summarise(&mut document.summary, part);
    let launched = document.kernels.iter().filter(|kernel| kernel.launches > 0);
    let checked = launched.clone().filter(|kernel| kernel.checked > 0).count() as u64;
    document.completeness.kernels = Share { checked, of: launched.count() as u64 };
    document.completeness.launches = Some(Share { checked: part.checked.checked, of: part.checked.launches });
    document.inconclusive = reasons(part, of);
    document.errors = part.errors.values().map(|(_, failure, runs)| failed(failure, *runs)).collect();
    document.campaign = Some(campaign(part, of, findings));
    document.verdict = document.judged();
    document
}

/// Adds the kernels and the limits of runs with other arguments. Counts of kernels are those of one run with each
/// list of arguments.
fn both(mut all: Document, other: Document) -> Document {
    for kernel in other.kernels {
        match all.kernels.iter_mut().find(|known| known.mangled == kernel.mangled) {
            Some(known) => {
                known.launches += kernel.launches;
                known.checked += kernel.checked;
                known.unfinished += kernel.unfinished;
                known.threads += kernel.threads;
                known.instructions += kernel.instructions;
                known.accesses += kernel.accesses;
                known.ns += kernel.ns;
            }
            None => all.kernels.push(kernel),
        }
    }
    let new = |limit: &String| !all.limits.contains(limit);
    let limits: Vec<String> = other.limits.into_iter().filter(new).collect();
    all.limits.extend(limits);
    all.weak.extend(other.weak);
    all.summary.unchecked += other.summary.unchecked;
    all.summary.partial |= other.summary.partial;
    all.summary.kernels = all.kernels.len() as u64;
    all
}

/// Numbers findings with one identity in the order of the report, as the report of a run does.
fn number_alike(document: &mut Document) {
    let mut used = std::collections::HashMap::<String, u64>::new();
    for finding in document.races.iter_mut().chain(&mut document.hazards) {
        let alike = finding.id.split('-').next().unwrap_or_default().to_owned();
        let number = used.entry(alike.clone()).or_default();
        *number += 1;
        finding.id = if *number == 1 { alike } else { format!("{alike}-{number}") };
    }
}

/// Sums up what was checked. Settings that differ between runs are left out: the campaign has them.
fn summarise(summary: &mut Summary, part: &Part) {
    let sum = part.checked;
    (summary.launches, summary.checked, summary.threads) = (sum.launches, sum.checked, sum.threads);
    (summary.thread_instructions, summary.accesses) = (sum.instructions, sum.accesses);
    summary.checked_accesses = summary.checked_accesses.max(sum.accesses);
    (summary.kernel_ns, summary.warp_instructions) = (0, 0);
    summary.replay = String::new();
    if part.runs > 1 {
        summary.schedule = String::new();
    }
    // A campaign is a sample only if every engine is.
    let exact = part.under.keys().find(|(engine, ..)| engine == "virtual");
    if exact.is_some() {
        summary.engine = Engine::Virtual.to_string();
    }
    let mut lenses = part.under.keys().map(|(_, lens, _)| lens);
    let lens = lenses.next();
    if lenses.any(|other| Some(other) != lens) {
        summary.lens = "several".into();
    }
}

fn history(finding: &Finding, part: &Part) -> History {
    History {
        runs: finding.runs,
        of: part.runs,
        first_run: finding.first,
        first_at: finding.first_at,
        settings: finding.settings(),
    }
}

fn campaign(part: &Part, of: u64, findings: &[&Finding]) -> Campaign {
    let mut growth: Vec<Growth> = Vec::new();
    for (n, finding) in findings.iter().enumerate() {
        growth.pop_if(|last| last.run == finding.first);
        growth.push(Growth { run: finding.first, findings: n as u64 + 1 });
    }
    Campaign {
        runs: part.runs,
        of,
        verdicts: part.verdicts.clone(),
        outcomes: part.outcomes.clone(),
        settings: settings(&part.under),
        growth,
        milliseconds: part.milliseconds,
    }
}

/// Returns what was not checked, the most frequent reasons first.
fn reasons(part: &Part, of: u64) -> Vec<String> {
    let mut out = Vec::new();
    let runs = |n: u64| if n == 1 { "1 run".to_owned() } else { format!("{n} runs") };
    if part.runs < of {
        out.push(format!("{} of {of} have no result yet", runs(of - part.runs)));
    }
    let outcome = |outcome: Outcome| part.outcomes.get(outcome.name()).copied().unwrap_or(0);
    if outcome(Outcome::TimedOut) > 0 {
        out.push(format!("the time limit ended {}", runs(outcome(Outcome::TimedOut))));
    }
    if let Some((number, message)) = &part.not_run {
        let message = message.lines().next().unwrap_or_default();
        let all = part.verdicts.get("not-run").copied().unwrap_or(1);
        out.push(format!("{} gave no report, first run {number}: {message}", runs(all)));
    }
    let mut all: Vec<(&String, &u64)> = part.reasons.iter().collect();
    all.sort_by_key(|(reason, n)| (std::cmp::Reverse(**n), *reason));
    let more = all.len().saturating_sub(REASONS);
    out.extend(all.into_iter().take(REASONS).map(|(reason, n)| format!("{reason} (in {})", runs(*n))));
    if more > 0 {
        out.push(format!("… and {more} other reasons"));
    }
    out
}

fn failed(failure: &Failure, runs: u64) -> Failure {
    let mut failure = failure.clone();
    failure.notes.push(format!("in {runs} run{}", if runs == 1 { "" } else { "s" }));
    failure
}

/// Returns the document of a program of which no run has a report.
fn blank() -> Document {
    Document {
        version: JSON_VERSION,
        verdict: Verdict::Inconclusive,
        races: Vec::new(),
        hazards: Vec::new(),
        unseen_launches: Vec::new(),
        kernels: Vec::new(),
        inconclusive: Vec::new(),
        errors: Vec::new(),
        weak: Vec::new(),
        limits: Vec::new(),
        suppressed: Vec::new(),
        suppressions: Vec::new(),
        warnings: Vec::new(),
        baseline: None,
        proofs: Vec::new(),
        program: model::Program::default(),
        summary: Summary::default(),
        completeness: Completeness::default(),
        campaign: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::{finding, plan, result};
    use crate::record::key;

    #[test]
    fn a_document_has_the_history_of_each_finding() {
        let root = std::env::temp_dir().join(format!("warprace-documents-{}", std::process::id()));
        let store = Store::create(&root, "here").unwrap();
        let plan = plan();
        let mut merged = Merged::new(&plan);
        for number in [5, 1, 0] {
            let lines: &[u32] = if number == 0 { &[] } else { &[10, 40] };
            merged.add(&result(&plan, number, lines, Level::Race));
        }
        assert_eq!(undescribed(&merged, &store).len(), 2, "nothing is described yet");
        for line in [10, 40] {
            let described = finding(line);
            store.show(key("a", &described), &plan, 1, &described).unwrap();
        }
        assert!(undescribed(&merged, &store).is_empty());
        let mut without_first = Merged::new(&plan);
        without_first.add(&result(&plan, 5, &[10, 40], Level::Race));
        assert!(undescribed(&without_first, &store).is_empty(), "the description outlives a torn result");
        let [document] = &documents(&merged, &store)[..] else { panic!() };
        assert_eq!(document.verdict, Verdict::Race);
        let ids: Vec<&str> = document.races.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(ids, ["00aa", "00aa-2"]);
        let history = document.races[0].history.as_ref().unwrap();
        assert_eq!((history.runs, history.of, history.first_run, history.first_at), (2, 3, 1, 995));
        let campaign = document.campaign.as_ref().unwrap();
        assert_eq!((campaign.runs, campaign.of), (3, 8));
        assert_eq!(campaign.growth, [Growth { run: 1, findings: 2 }]);
        assert!(
            document.inconclusive[0].starts_with("5 runs of 8 have no result yet"),
            "{:?}",
            document.inconclusive
        );
        std::fs::remove_dir_all(root).unwrap();
    }
}
