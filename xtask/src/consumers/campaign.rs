//! A campaign of the project's programs, and its tables in DuckDB.

use super::Project;
use crate::shell::Outcome;

const CAMPAIGN: &str = "\
schedules = ['converged-first', 'random']
seeds = 2

[[program]]
name = 'sum'
command = ['build/sum']

[[program]]
name = 'fixed'
command = ['build/fixed']
";

/// The query of `docs/campaigns.md`: which settings show a finding in which share of their runs.
const QUERY: &str = "\
import duckdb
rows = duckdb.sql('''
    SELECT f.class, r.schedule, count(DISTINCT f.run) AS shown,
           (SELECT count(*) FROM 'c.results/runs.csv' a WHERE a.program = r.program AND a.schedule = r.schedule) AS runs
    FROM 'c.results/findings.csv' f JOIN 'c.results/runs.csv' r USING (run)
    GROUP BY ALL ORDER BY shown DESC, r.schedule''').fetchall()
assert [row[:2] for row in rows] == [('missing-fence', 'converged-first'), ('missing-fence', 'random')], rows
assert all(1 <= shown <= runs == 2 for _, _, shown, runs in rows), rows
duckdb.sql(\"COPY (FROM 'c.results/runs.csv') TO 'runs.parquet'\")
assert duckdb.sql(\"SELECT count(*) FROM 'runs.parquet' WHERE verdict = 'clean'\").fetchall() == [(4,)]
";

impl Project {
    pub(super) fn campaign(&self) -> Outcome {
        self.put("c.toml", CAMPAIGN)?;
        self.warprace(&["campaign", "c.toml"], 66, &["8 of 8 runs, 1 race, 0 hazards"])?;
        let asked = self.call(&self.tools.join("python"), &["-c", QUERY])?;
        match asked.status.success() {
            true => Ok(()),
            false => Err(format!("DuckDB on the tables: {}", String::from_utf8_lossy(&asked.stderr))),
        }
    }
}
