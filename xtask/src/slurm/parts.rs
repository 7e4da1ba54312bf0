//! `warprace predict --slurm`: a trace analysed in parts by tasks of Slurm equals the same parts without Slurm.

use super::{Test, same};
use crate::shell::{self, Outcome};
use std::process::Command;
use std::time::Instant;

/// The number of parts; each is a task.
const PARTS: &str = "12";

impl Test {
    pub(super) fn parts(&self) -> Outcome {
        shell::step("a trace in parts on this machine");
        let mut record = Command::new(&self.warprace);
        record.args(["trace", "--quiet", "-o", "long.trace", "--", "./program", "long"]);
        let done = self.placed(record).output().map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&done.stderr);
        let file = self.folder.join("long.trace");
        let bytes = file.metadata().map_err(|e| format!("{}: {e}: {said}", file.display()))?.len();
        eprintln!("    a trace of {} MiB", bytes >> 20);
        let since = Instant::now();
        raced(self.predict("one").status())?;
        eprintln!("    {:.0} s", since.elapsed().as_secs_f64());
        shell::step("a trace in parts over Slurm, with tasks and daemons killed");
        let mut command = self.predict("other");
        command.args(["--slurm", "--patience", "25", "--partition", "main", "--throttle", "4"]);
        raced(self.with_accidents(&mut command))?;
        let [one, other] =
            ["one", "other"].map(|name| same::file(&self.folder.join(name).with_extension("json")));
        match one? == other? {
            true => Ok(()),
            false => Err("the reports of the parts with and without Slurm differ".into()),
        }
    }

    /// Returns an analysis whose results lie in a folder.
    fn predict(&self, folder: &str) -> Command {
        let mut command = Command::new(&self.warprace);
        command.args(["predict", "--quiet", "--parts", PARTS, "--output", folder, "--json"]);
        command.args([&format!("{folder}.json"), "long.trace"]);
        self.placed(command)
    }
}

/// Fails unless an analysis ended with the code of races.
fn raced<E: ToString>(status: Result<std::process::ExitStatus, E>) -> Outcome {
    match status {
        Ok(status) if status.code() == Some(66) => Ok(()),
        Ok(status) => Err(format!("an analysis ended with {status}, not with the code of races")),
        Err(e) => Err(e.to_string()),
    }
}
