//! Proofs of earlier processes, kept in the user's cache folder.
//!
//! Only proofs of all launches that were asked about are kept: a race is shown by a launch each time, and an unknown kernel
//! may have lacked time. The name of a file is a hash of all that the answer depends on: this program, the texts of the
//! module, the kernel, the facts, and the launches that the host code makes. Questions about launches of a run are not kept.

use crate::terminal;
use ::prove::{Answer, Verdict};
use compilers::keep::{Answers, PROOFS, build_of, hash, hash_of_debug};
use std::cell::{Cell, OnceCell};
use std::fmt::Debug;

/// The cache of proofs.
pub(super) struct Kept {
    /// The folder; the error says why there is none.
    answers: Result<Answers, String>,
    program: u128,
    verbose: bool,
    /// Proofs that were read, and those that were written.
    read: Cell<usize>,
    written: Cell<usize>,
    /// The first reason why a proof was not written.
    problem: OnceCell<String>,
}

/// The length of a question from which on its answer is not kept.
const MOST_TEXT: usize = 16 << 20;
/// The first word of a stored proof; the format's number changes with the fields.
const PROVED: &str = "proof 1";

impl Kept {
    /// Opens the cache, if it is `used`.
    pub(super) fn open(used: bool, verbose: bool) -> Kept {
        let program = program();
        let answers = match (used, program) {
            (false, _) => Err("the command line asks for none".to_owned()),
            (true, None) => Err("this program's own file is not known".to_owned()),
            (true, Some(_)) => Answers::open(PROOFS).map_err(|why| why.to_string()),
        };
        let program = program.unwrap_or_default();
        let (read, written) = Default::default();
        Kept { answers, program, verbose, read, written, problem: OnceCell::new() }
    }

    /// Returns the name of a question about a kernel of a module with that hash; `None` if its answer is not kept.
    pub(super) fn name(&self, module: u128, kernel: &str, question: &dyn Debug) -> Option<u128> {
        self.answers.as_ref().ok()?;
        let question = hash_of_debug(question, MOST_TEXT)?;
        let numbers = [self.program, module, question].map(u128::to_le_bytes);
        Some(hash(&[b"prove", &numbers.concat(), kernel.as_bytes()]))
    }

    /// Returns the proof that was kept under a name.
    pub(super) fn read(&self, name: u128, kernel: &str) -> Option<Answer> {
        let body = self.answers.as_ref().ok()?.read(name)?;
        let answer = parsed(std::str::from_utf8(&body).ok()?, kernel)?;
        self.read.set(self.read.get() + 1);
        Some(answer)
    }

    /// Keeps an answer if it is a proof.
    pub(super) fn keep(&self, name: u128, answer: &Answer) {
        let (Ok(answers), Verdict::Proved) = (&self.answers, &answer.verdict) else { return };
        match answers.write(name, text(answer).as_bytes()) {
            Ok(()) => self.written.set(self.written.get() + 1),
            Err(why) => _ = self.problem.set(terminal::plain(&why)),
        }
    }

    /// Says what was read and written, if the user wants to know.
    pub(super) fn tell(&self) {
        if !self.verbose {
            return;
        }
        match &self.answers {
            Err(why) => terminal::help(&format!("no proofs are kept: {why}")),
            Ok(_) => {
                let (read, written) = (self.read.get(), self.written.get());
                terminal::help(&format!("kept proofs: {read} read, {written} written"));
            }
        }
        if let Some(why) = self.problem.get() {
            terminal::help(&format!("a proof could not be kept: {why}"));
        }
    }
}

/// Returns a hash of this program's version and of its file's size and time.
fn program() -> Option<u128> {
    let file = std::env::current_exe().ok()?;
    Some(hash(&[build_of(&file, env!("CARGO_PKG_VERSION"))?.as_bytes()]))
}

fn text(answer: &Answer) -> String {
    let numbers = [answer.asked, answer.open];
    let fields = serde_json::json!([PROVED, answer.kernel, answer.assumed, numbers]);
    fields.to_string()
}

fn parsed(text: &str, kernel: &str) -> Option<Answer> {
    let fields: (String, String, Vec<String>, [usize; 2]) = serde_json::from_str(text).ok()?;
    let (what, of, assumed, [asked, open]) = fields;
    (what == PROVED && of == kernel).then(|| Answer::proved_before(kernel, assumed, asked, open))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_read_as_it_was_written() {
        let assumed = vec!["distinct(arg0, arg1)".to_owned(), "`\"` is zero\n".to_owned()];
        let answer = Answer::proved_before("k", assumed.clone(), 3, 1);
        let again = parsed(&text(&answer), "k").expect("it is whole");
        assert!(matches!(again.verdict, Verdict::Proved));
        assert_eq!((again.kernel.as_str(), again.assumed, again.asked, again.open), ("k", assumed, 3, 1));
        assert!(parsed(&text(&answer), "other").is_none());
        for wrong in ["", "proof 1", "[]", r#"["proof 0","k",[],[0,0]]"#, r#"["proof 1","k",[],[0]]"#] {
            assert!(parsed(wrong, "k").is_none(), "{wrong}");
        }
    }
}
