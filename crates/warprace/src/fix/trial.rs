//! Tries changes: as edits of the PTX that the program loads and, if there is a command for that, as a build
//! of the changed source.

use super::runs::{Depth, Edited, Runs};
use mend::change::Edit;
use mend::device;
use mend::program::Program;
use mend::search::{Refused, Seen, Trial};
use report::model::Described;
use report::proof::Proved;
use report::{Document, Verdict};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Facts about the unchanged program, with which changed ones are compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before {
    /// Reasons of an inconclusive verdict.
    pub(crate) inconclusive: Vec<String>,
}

pub(crate) struct Tries<'r> {
    pub(crate) runs: &'r Runs,
    /// The PTX texts of the program.
    pub(crate) texts: Vec<String>,
    pub(crate) before: Before,
    /// How findings are looked for: as they were found.
    pub(crate) depth: Depth,
    /// The exit code of a run that succeeds.
    pub(crate) exit_code: i32,
    /// The command that builds `{program}` of `{source}`.
    pub(crate) build: Option<String>,
    /// The folder whose files may be read and changed.
    pub(crate) project: PathBuf,
}

impl Trial for Tries<'_> {
    fn look(&mut self, program: &Program) -> Result<Seen, Refused> {
        match program.edits() {
            Some(edits) => match self.patched(edits, self.depth) {
                // A compiler may arrange the code in another way around a barrier.
                Err(_) if self.build.is_some() => self.built(program, self.depth),
                seen => seen,
            },
            None => self.built(program, self.depth),
        }
    }

    fn examine(&mut self, program: &Program) -> Result<Seen, Refused> {
        let Some(edits) = program.edits() else { return self.built(program, Depth::All) };
        let mut seen = match self.patched(edits, Depth::All) {
            Err(_) if self.build.is_some() => return self.built(program, Depth::All),
            seen => seen?,
        };
        if seen.is_clean() {
            self.prove(edits, &mut seen)?;
        }
        if seen.is_clean() && self.build.is_some() {
            let built = self.built(program, Depth::All)?;
            return Ok(Seen { proved: seen.proved, ..built });
        }
        Ok(seen)
    }

    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(inside(&self.project, file)?).ok()
    }
}

/// Returns the real path of a file, if it lies in the folder.
pub(crate) fn inside(project: &Path, file: &str) -> Option<PathBuf> {
    let path = Path::new(file).canonicalize().ok()?;
    path.starts_with(project.canonicalize().ok()?).then_some(path)
}

impl Tries<'_> {
    fn edited(&self, edits: &[Edit]) -> Result<Vec<Edited<'_>>, Refused> {
        let mut out = Vec::new();
        for original in &self.texts {
            match device::apply(original, edits) {
                Ok(Some(new)) => out.push(Edited { original, new }),
                Ok(None) => {}
                Err(error) => return Err(Refused(error.to_string())),
            }
        }
        if out.is_empty() {
            return Err(Refused("the program has no code of these lines".into()));
        }
        Ok(out)
    }

    fn patched(&self, edits: &[Edit], depth: Depth) -> Result<Seen, Refused> {
        let edited = self.edited(edits)?;
        self.runs.patched(&edited, depth).map(|document| self.seen(document)).map_err(Refused)
    }

    /// Asks the prover about the launches of the last run.
    fn prove(&self, edits: &[Edit], seen: &mut Seen) -> Result<(), Refused> {
        for edited in self.edited(edits)? {
            let Some((answers, raced)) = self.runs.proved(&edited.new) else { continue };
            seen.proved.0 += answers.iter().filter(|a| **a == Proved::Proved).count() as u64;
            seen.proved.1 += answers.len() as u64;
            if raced {
                seen.doubts.push("the prover shows an order of threads that has a race".into());
            }
        }
        Ok(())
    }

    /// Builds the changed source beside the original, and runs what was built.
    fn built(&self, program: &Program, depth: Depth) -> Result<Seen, Refused> {
        let Some(command) = &self.build else {
            return Err(Refused("only a compiler can make this change: give one with --build".into()));
        };
        let mut files = program.files();
        let (Some((file, _, after)), None) = (files.next(), files.next()) else {
            return Err(Refused("--build builds one changed file".into()));
        };
        let original =
            inside(&self.project, file).ok_or(Refused("the source is outside of the project".into()))?;
        let copy = beside(&original);
        let built = self.runs.folder().join("built");
        std::fs::write(&copy, after).map_err(|e| Refused(format!("cannot write {}: {e}", copy.display())))?;
        let done = shell(command, &copy, &built);
        let _ = std::fs::remove_file(&copy);
        done?;
        let document = self.runs.built(&built, depth).map_err(Refused)?;
        let mut seen = self.seen(document);
        for found in &mut seen.findings {
            program.original(found, &copy.to_string_lossy(), file);
        }
        Ok(seen)
    }

    fn seen(&self, document: Document) -> Seen {
        let mut doubts: Vec<String> = document.errors.iter().map(|failure| failure.title.clone()).collect();
        let new = |why: &&String| !self.before.inconclusive.contains(why);
        doubts.extend(document.inconclusive.iter().filter(new).cloned());
        let code = document.program.exit_code;
        if code != Some(self.exit_code) {
            doubts.push(match code {
                Some(code) => format!("the program ends with exit code {code}"),
                None => "the program is ended by a signal".into(),
            });
        }
        if matches!(document.verdict, Verdict::Unseen) {
            doubts.push("only a part of it was checked".into());
        }
        Seen {
            instructions: document.summary.warp_instructions,
            findings: document.findings().cloned().collect::<Vec<Described>>(),
            doubts,
            proved: (0, 0),
        }
    }
}

/// Returns a name for a changed copy of a source: in the same folder, so that includes are found.
fn beside(original: &Path) -> PathBuf {
    let extension = original.extension().unwrap_or_default().to_string_lossy().into_owned();
    original.with_file_name(format!("warprace-fix-{}.{extension}", std::process::id()))
}

/// Runs the command that builds a program.
fn shell(command: &str, source: &Path, program: &Path) -> Result<(), Refused> {
    let quoted =
        |path: &Path| shlex::try_quote(&path.to_string_lossy()).map(|q| q.into_owned()).unwrap_or_default();
    let command = command.replace("{source}", &quoted(source)).replace("{program}", &quoted(program));
    let _ = std::fs::remove_file(program);
    let done = Command::new("sh").arg("-c").arg(&command).stdin(Stdio::null()).output();
    let done = done.map_err(|e| Refused(format!("cannot run sh: {e}")))?;
    if done.status.success() && program.exists() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    let first =
        said.lines().find(|l| l.contains("error")).or_else(|| said.lines().next()).unwrap_or_default();
    Err(Refused(format!("it does not build: {first}")))
}
