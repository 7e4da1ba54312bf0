//! Passes the questions that the internal solver leaves open to z3 or cvc5, in a separate process with a time
//! limit.
//!
//! A question is a conjunction over unbounded integers ([`crate::solver::refute`]), as SMT-LIB 2 in the logic QF_NIA.
//! Earlier steps have shown, or the assumptions state, that the machine's arithmetic agrees with that of the
//! integers. The prover accepts `unsat` and records it in the proof; every other answer is ignored.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time limit of one question, in seconds.
const LIMIT: u64 = 3;

/// An installed solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smt {
    program: PathBuf,
    name: &'static str,
}

impl Smt {
    /// Returns the program `named`, or z3 or cvc5 from one of the folders of `path`. The name of the program
    /// determines its options.
    pub fn find(named: Option<&Path>, path: Option<&std::ffi::OsStr>) -> Option<Smt> {
        let known = ["z3", "cvc5"];
        if let Some(program) = named {
            let file = program.file_name()?.to_str()?;
            let name = known.into_iter().find(|name| file.contains(name))?;
            return program.is_file().then(|| Smt { program: program.to_owned(), name });
        }
        let folders: Vec<PathBuf> = std::env::split_paths(path?).collect();
        known.into_iter().find_map(|name| {
            let program = folders.iter().map(|f| f.join(name)).find(|p| p.is_file())?;
            Some(Smt { program, name })
        })
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns whether the solver refutes a question. `stop` ends the process.
    pub(crate) fn refutes(&self, question: &str, stop: &dyn Fn() -> bool) -> bool {
        let mut command = Command::new(&self.program);
        match self.name {
            "z3" => command.args(["-in", &format!("-T:{LIMIT}")]),
            _ => command.args(["--lang=smt2", &format!("--tlimit={}", LIMIT * 1000)]),
        };
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else { return false };
        // A write error is ignored: the solver has then ended early.
        let _ = child.stdin.take().map(|mut input| input.write_all(question.as_bytes()));
        let end = Instant::now() + Duration::from_secs(LIMIT + 1);
        let ended = loop {
            match child.try_wait() {
                Ok(Some(_)) => break true,
                Ok(None) if Instant::now() < end && !stop() => std::thread::sleep(Duration::from_millis(2)),
                _ => break false,
            }
        };
        if !ended {
            // The process may already have ended.
            let _ = child.kill();
            let _ = child.wait();
            return false;
        }
        let mut answer = String::new();
        let read = child.stdout.take().map(|mut out| out.read_to_string(&mut answer));
        matches!(read, Some(Ok(_))) && answer.trim() == "unsat"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cond::Cond;
    use crate::solver::poly::{Poly, Range};
    use crate::solver::refute::Problem;

    fn solver() -> Option<Smt> {
        Smt::find(None, std::env::var_os("PATH").as_deref())
    }

    #[test]
    fn questions_are_answered_by_an_installed_solver() {
        let mut problem = Problem::default();
        let [x, y] = [0, 1].map(|_| problem.variable(Range::of(-8, 100)));
        let (x, y) = (Poly::sym(x), Poly::sym(y));
        // Asserts x² = 2 y² for positive x up to 100.
        problem.assert(&Cond::Ge(x.plus_constant(-1)));
        let twice = y.times(&y).and_then(|p| p.scaled(2)).expect("small");
        problem.assert(&Cond::eq(&x.times(&x).expect("small"), &twice));
        problem.assert(&Cond::Ge(x.negated().plus_constant(100)));
        let text = problem.smt();
        assert!(text.contains("(declare-const v1 Int)") && text.ends_with("(check-sat)\n"), "{text}");
        let Some(smt) = solver() else { return };
        assert!(smt.refutes(&text, &|| false), "{smt:?}: {text}");
        let mut possible = Problem::default();
        possible.variable(Range::of(0, 3));
        assert!(!smt.refutes(&possible.smt(), &|| false));
        assert!(!smt.refutes("nonsense", &|| false));
        assert!(!smt.refutes(&text, &|| true));
    }

    #[test]
    fn a_solver_that_is_not_there_is_not_found() {
        assert_eq!(Smt::find(Some(Path::new("/nowhere/z3")), None), None);
        assert_eq!(Smt::find(None, Some(std::ffi::OsStr::new("/nowhere"))), None);
    }
}
