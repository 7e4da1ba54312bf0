//! The results of many runs, merged as they come. The outcome does not depend on their order.

use crate::identity::Identity;
use crate::plan::{Plan, Run};
use crate::record::{Outcome, Record, Seen};
use events::{Class, Level};
use report::model::Failure;
use report::model::history::Setting;
use std::collections::{BTreeMap, HashMap};

/// The setting of a run: engine, lens and schedule.
pub(crate) type Under = (String, String, String);

/// A finding of a campaign.
#[derive(Clone, Debug)]
pub struct Finding {
    pub key: Identity,
    /// The name of the program.
    pub program: String,
    /// The identity in the report of the first run.
    pub id: String,
    pub class: Class,
    /// A race if any run showed a race.
    pub level: Level,
    /// The lowest number of a run that showed it.
    pub first: u64,
    /// When a run showed it for the first time, in seconds since 1970.
    pub first_at: u64,
    pub replay: String,
    /// The runs that showed it.
    pub runs: u64,
    /// How often all runs together have seen it.
    pub count: u64,
    pub(crate) under: BTreeMap<Under, u64>,
}

impl Finding {
    fn new(program: &str, seen: &Seen, number: u64, at: u64) -> Finding {
        Finding {
            key: seen.key,
            program: program.to_owned(),
            id: seen.id.clone(),
            class: seen.class,
            level: seen.level,
            first: number,
            first_at: at,
            replay: seen.replay.clone(),
            runs: 0,
            count: 0,
            under: BTreeMap::new(),
        }
    }

    /// Returns the settings that showed it, each with the number of these runs.
    pub fn settings(&self) -> Vec<Setting> {
        settings(&self.under)
    }
}

pub(crate) fn settings(under: &BTreeMap<Under, u64>) -> Vec<Setting> {
    let one = |((engine, lens, schedule), runs): (&Under, &u64)| Setting {
        engine: engine.clone(),
        lens: lens.clone(),
        schedule: schedule.clone(),
        runs: *runs,
    };
    under.iter().map(one).collect()
}

/// The results of the runs of one program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) runs: u64,
    pub(crate) milliseconds: u64,
    pub(crate) verdicts: BTreeMap<String, u64>,
    pub(crate) outcomes: BTreeMap<String, u64>,
    pub(crate) under: BTreeMap<Under, u64>,
    /// Reasons for which runs were inconclusive, and how many runs have each.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// Failures of kernels by title and place: the lowest run that has it, and how many have.
    pub(crate) errors: BTreeMap<(String, String), (u64, Failure, u64)>,
    pub(crate) checked: crate::record::Checked,
    /// The lowest run that has a report, for each list of arguments by its index.
    pub(crate) described: BTreeMap<usize, u64>,
    /// The lowest run in which the program failed, with its exit code and signal.
    pub(crate) failed: Option<(u64, Option<i32>, Option<i32>)>,
    /// The lowest run without a report, and the reason.
    pub(crate) not_run: Option<(u64, String)>,
}

/// The results of a campaign so far.
#[derive(Debug)]
pub struct Merged<'p> {
    plan: &'p Plan,
    done: Vec<bool>,
    left: u64,
    findings: HashMap<Identity, Finding>,
    pub(crate) parts: BTreeMap<String, Part>,
    /// Results of runs that the plan does not have.
    strange: u64,
}

impl<'p> Merged<'p> {
    pub fn new(plan: &'p Plan) -> Merged<'p> {
        Merged {
            plan,
            done: vec![false; plan.len() as usize],
            left: plan.len(),
            findings: HashMap::new(),
            parts: BTreeMap::new(),
            strange: 0,
        }
    }

    /// Adds a result, and returns the keys of findings that no result before had. A second result of a run
    /// changes nothing.
    pub fn add(&mut self, record: &Record) -> Vec<Identity> {
        let Some(number) = self.plan.number(record.run) else {
            self.strange += 1;
            return Vec::new();
        };
        if std::mem::replace(&mut self.done[number as usize], true) {
            return Vec::new();
        }
        self.left -= 1;
        let run = self.plan.run(number);
        let text = |name: Option<&str>| name.unwrap_or_default().to_owned();
        let under = (run.engine.name.clone(), text(run.lens), text(run.schedule));
        self.parts.entry(run.program.name.clone()).or_default().add(&run, record, &under);
        let mut new = Vec::new();
        for seen in &record.findings {
            let make = || {
                new.push(seen.key);
                Finding::new(&run.program.name, seen, number, record.at)
            };
            let finding = self.findings.entry(seen.key).or_insert_with(make);
            if number < finding.first {
                (finding.first, finding.class, finding.id) = (number, seen.class, seen.id.clone());
                finding.replay = seen.replay.clone();
            }
            finding.first_at = finding.first_at.min(record.at);
            if seen.level == Level::Race {
                finding.level = Level::Race;
            }
            finding.runs += 1;
            finding.count += seen.count;
            *finding.under.entry(under.clone()).or_default() += 1;
        }
        new
    }

    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Returns whether a run has a result.
    pub fn is_done(&self, number: u64) -> bool {
        self.done[number as usize]
    }

    /// Returns the numbers of runs without a result.
    pub fn missing(&self) -> impl Iterator<Item = u64> + '_ {
        self.done.iter().enumerate().filter(|(_, done)| !**done).map(|(number, _)| number as u64)
    }

    /// Returns how many runs have no result.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Returns how many results are of runs that the plan does not have.
    pub fn strange(&self) -> u64 {
        self.strange
    }

    pub fn finding(&self, key: Identity) -> Option<&Finding> {
        self.findings.get(&key)
    }

    /// Returns the findings in the order of the runs that showed them first.
    pub fn findings(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.findings.values().collect();
        all.sort_by_key(|finding| (finding.first, finding.level != Level::Race, finding.key));
        all
    }

    /// Returns the number of races, and of all findings.
    pub fn found(&self) -> (usize, usize) {
        let races = self.findings.values().filter(|finding| finding.level == Level::Race).count();
        (races, self.findings.len())
    }
}

impl Part {
    fn add(&mut self, run: &Run<'_>, record: &Record, under: &Under) {
        let number = run.number;
        let count =
            |map: &mut BTreeMap<String, u64>, name: &str| *map.entry(name.to_owned()).or_default() += 1;
        self.runs += 1;
        self.milliseconds += record.milliseconds;
        count(&mut self.verdicts, record.verdict.map_or("not-run", |verdict| verdict.name()));
        count(&mut self.outcomes, record.outcome.name());
        *self.under.entry(under.clone()).or_default() += 1;
        record.inconclusive.iter().for_each(|reason| count(&mut self.reasons, reason));
        for failure in &record.errors {
            let place = failure.at.as_ref().map(|at| format!("{}:{}", at.file, at.line)).unwrap_or_default();
            let key = (format!("{} {}", failure.class, failure.title), place);
            let entry = self.errors.entry(key).or_insert_with(|| (number, failure.clone(), 0));
            if number < entry.0 {
                (entry.0, entry.1) = (number, failure.clone());
            }
            entry.2 += 1;
        }
        let sum = &mut self.checked;
        sum.launches += record.checked.launches;
        sum.checked += record.checked.checked;
        sum.threads += record.checked.threads;
        sum.instructions += record.checked.instructions;
        sum.accesses += record.checked.accesses;
        let is_first = |other: Option<u64>| other.is_none_or(|other| number < other);
        if record.verdict.is_some() {
            let first = self.described.entry(run.way).or_insert(number);
            *first = number.min(*first);
        }
        let failed = record.outcome == Outcome::Crashed || record.exit_code.is_some_and(|code| code != 0);
        if failed && is_first(self.failed.map(|failed| failed.0)) {
            self.failed = Some((number, record.exit_code, record.signal));
        }
        let not_run = record.verdict.is_none();
        if not_run && is_first(self.not_run.as_ref().map(|not_run| not_run.0)) {
            self.not_run = Some((number, record.message.clone()));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::file::Campaign;
    pub(crate) use crate::record::tests::finding;
    use crate::record::{About, Record, key};
    use std::path::Path;

    pub(crate) fn plan() -> Plan {
        let text = "schedules = ['random', 'round-robin']\nseeds = 4\n[[program]]\nname = 'a'\ncommand = ['/bin/true']\n";
        Plan::new(Campaign::parse(text, Path::new("/c.toml")).unwrap()).unwrap()
    }

    /// Returns a result with findings at some lines.
    pub(crate) fn result(plan: &Plan, number: u64, lines: &[u32], level: Level) -> Record {
        let about = About { milliseconds: 5, at: 1000 - number, host: "here".into(), timed_out: false };
        let seen = lines.iter().map(|&line| {
            let f = finding(line);
            let (id, replay) = (f.id.clone(), format!("seed={number}"));
            Seen { key: key("a", &f), id, class: f.class, level, count: f.count, replay }
        });
        let findings = seen.collect();
        Record { findings, ..Record::not_run(plan.run(number).identity, "a", String::new(), about) }
    }

    #[test]
    fn merging_does_not_depend_on_the_order_and_not_on_repeats() {
        let plan = plan();
        let all: Vec<Record> = (0..8)
            .map(|n| match n {
                3 => result(&plan, n, &[10], Level::Race),
                2 | 6 => result(&plan, n, &[10, 20], Level::Hazard),
                _ => result(&plan, n, &[], Level::Race),
            })
            .collect();
        let shown = |order: &[usize]| {
            let mut merged = Merged::new(&plan);
            let new: usize = order.iter().map(|&n| merged.add(&all[n]).len()).sum();
            assert_eq!((new, merged.left()), (2, 0));
            format!("{:?} {:?}", merged.findings(), merged.parts)
        };
        let first = shown(&[0, 1, 2, 3, 4, 5, 6, 7]);
        for order in [[7, 6, 5, 4, 3, 2, 1, 0].as_slice(), &[6, 6, 3, 0, 2, 1, 7, 3, 5, 4, 6]] {
            assert_eq!(shown(order), first);
        }
        let mut merged = Merged::new(&plan);
        all.iter().for_each(|record| drop(merged.add(record)));
        let [both, hazard] = &merged.findings()[..] else { panic!() };
        assert_eq!((both.first, both.runs, both.count, both.level), (2, 3, 6, Level::Race));
        assert_eq!((hazard.first, hazard.runs, hazard.level), (2, 2, Level::Hazard));
        assert_eq!(both.first_at, 994);
        let settings: Vec<(String, u64)> =
            both.settings().into_iter().map(|s| (s.schedule, s.runs)).collect();
        assert_eq!(settings, [("random".to_owned(), 2), ("round-robin".to_owned(), 1)]);
        assert_eq!(merged.found(), (1, 2));
    }

    #[test]
    fn results_of_other_plans_are_left_out() {
        let plan = plan();
        let mut merged = Merged::new(&plan);
        merged.add(&crate::record::tests::record(1));
        assert_eq!((merged.strange(), merged.left()), (1, 8));
        merged.add(&result(&plan, 5, &[], Level::Race));
        assert_eq!(merged.missing().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 6, 7]);
    }
}
