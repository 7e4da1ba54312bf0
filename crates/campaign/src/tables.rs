//! The results as tables: `runs`, one row for each result, and `findings`, one row for each finding of a run.
//!
//! | table | columns |
//! |---|---|
//! | `runs` | `run` (number), `identity`, `program`, `arguments`, `engine`, `lens`, `schedule`, `seed`, `outcome`, `verdict`, `exit_code`, `signal`, `milliseconds`, `at` (seconds since 1970), `host`, `launches`, `checked`, `threads`, `instructions`, `accesses`, `races`, `hazards`, `message` |
//! | `findings` | `run`, `finding` (key), `id`, `class`, `level`, `count`, `replay` |

use crate::plan::Plan;
use crate::record::Record;
use columnar::{Format, Kind, Table, Value};
use events::Level;
use std::io::Result;
use std::path::Path;

use Kind::{Int, Long, Text};

const RUNS: [(&str, Kind); 23] = [
    ("run", Long),
    ("identity", Text),
    ("program", Text),
    ("arguments", Text),
    ("engine", Text),
    ("lens", Text),
    ("schedule", Text),
    ("seed", Long),
    ("outcome", Text),
    ("verdict", Text),
    ("exit_code", Int),
    ("signal", Int),
    ("milliseconds", Long),
    ("at", Long),
    ("host", Text),
    ("launches", Long),
    ("checked", Long),
    ("threads", Long),
    ("instructions", Long),
    ("accesses", Long),
    ("races", Long),
    ("hazards", Long),
    ("message", Text),
];

const FINDINGS: [(&str, Kind); 7] = [
    ("run", Long),
    ("finding", Text),
    ("id", Text),
    ("class", Text),
    ("level", Text),
    ("count", Long),
    ("replay", Text),
];

/// The two tables while they are written.
pub struct Tables {
    runs: Table,
    findings: Table,
}

fn long(number: u64) -> Value<'static> {
    Value::Long(Some(number as i64))
}

impl Tables {
    /// Creates `runs` and `findings` in a folder.
    pub fn create(folder: &Path, format: Format) -> Result<Tables> {
        let table = |name: &str, columns: &[(&str, Kind)]| Table::create(folder, name, format, columns);
        Ok(Tables { runs: table("runs", &RUNS)?, findings: table("findings", &FINDINGS)? })
    }

    /// Adds the result of a run that the plan has.
    pub fn add(&mut self, plan: &Plan, number: u64, record: &Record) -> Result<()> {
        let run = plan.run(number);
        let (identity, words) = (run.identity.to_string(), run.words());
        let of = |level: Level| record.findings.iter().filter(|seen| seen.level == level).count() as u64;
        self.runs.row(&[
            long(number),
            Value::Text(&identity),
            Value::Text(&run.program.name),
            Value::Text(&words),
            Value::Text(&run.engine.name),
            Value::Text(run.lens.unwrap_or_default()),
            Value::Text(run.schedule.unwrap_or_default()),
            long(run.seed),
            Value::Text(record.outcome.name()),
            Value::Text(record.verdict.map_or("", |verdict| verdict.name())),
            Value::Int(record.exit_code),
            Value::Int(record.signal),
            long(record.milliseconds),
            long(record.at),
            Value::Text(&record.host),
            long(record.checked.launches),
            long(record.checked.checked),
            long(record.checked.threads),
            long(record.checked.instructions),
            long(record.checked.accesses),
            long(of(Level::Race)),
            long(of(Level::Hazard)),
            Value::Text(&record.message),
        ])?;
        for seen in &record.findings {
            let (key, level) =
                (seen.key.to_string(), if seen.level == Level::Race { "race" } else { "hazard" });
            self.findings.row(&[
                long(number),
                Value::Text(&key),
                Value::Text(&seen.id),
                Value::Text(seen.class.name()),
                Value::Text(level),
                long(seen.count),
                Value::Text(&seen.replay),
            ])?;
        }
        Ok(())
    }

    pub fn finish(self) -> Result<()> {
        self.runs.finish()?;
        self.findings.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::tests::{plan, result};

    #[test]
    fn each_result_and_each_finding_has_a_row() {
        let folder = std::env::temp_dir().join(format!("warprace-tables-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let plan = plan();
        let mut tables = Tables::create(&folder, Format::Csv).unwrap();
        for (number, lines) in [(0, &[][..]), (5, &[10, 20])] {
            tables.add(&plan, number, &result(&plan, number, lines, Level::Race)).unwrap();
        }
        tables.finish().unwrap();
        let rows = |name: &str| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let runs = rows("runs.csv");
        assert_eq!((runs.len(), rows("findings.csv").len()), (3, 3));
        assert!(
            runs[2].starts_with("5,") && runs[2].contains(",a,,virtual,,round-robin,1,not-run,"),
            "{runs:?}"
        );
        assert!(rows("findings.csv")[1].contains("missing-barrier,race,2,seed=5"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
