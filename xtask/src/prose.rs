//! `cargo xtask prose`: counts in comments and documents what CONTRIBUTING's rules for sentences forbid.
//!
//! Three shares of Rust comment blocks have limits (`rules`): blocks that begin with a question, blocks with
//! one of three pronouns, and blocks that begin with one of six words. Lines of documents have a maximum
//! length (`documents`).

mod comments;
mod documents;
mod folders;
mod report;
mod rules;

use crate::shell::{self, Outcome};
use report::Tally;

pub(crate) const HELP: &str = "\
Usage: cargo xtask prose [--list CRATE] [--crate NAME]

  --list CRATE   print each offending comment block of CRATE, or of `all`, as file:line with its text;
                 `--list documents` prints the long lines of documents
  --crate NAME   limit the verdict to one crate (`documents` is a name, too)";

/// The name under which the documents are listed beside the crates.
const DOCUMENTS: &str = "documents";

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let options = Options::parse(arguments)?;
    let crates = folders::crates(&shell::root())?;
    let known = |name: &str| name == DOCUMENTS || crates.iter().any(|c| c.name == name);
    for name in [options.list, options.only].into_iter().flatten() {
        if name != "all" && !known(name) {
            return Err(format!("there is no crate `{name}`"));
        }
    }
    let mut tallies = Vec::new();
    for member in &crates {
        let mut tally = Tally::new(&member.name);
        for file in &member.files {
            let text = shell::read(file)?;
            for block in comments::blocks(&text) {
                let faults = rules::faults(&block.text);
                if options.lists(&member.name) {
                    report::print_block(file, &block, faults);
                }
                tally.add(faults);
            }
        }
        tallies.push(tally);
    }
    let long = long_lines(&options)?;
    report::verdict(&tallies, long, options.only)
}

/// Returns the number of long lines in all documents, after printing them where that is asked for.
fn long_lines(options: &Options<'_>) -> Outcome<usize> {
    let mut count = 0;
    for file in folders::documents(&shell::root())? {
        for line in documents::long_lines(&shell::read(&file)?) {
            count += 1;
            if options.lists(DOCUMENTS) {
                println!("{}:{}: {} characters", report::shown(&file), line.number, line.length);
            }
        }
    }
    Ok(count)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    list: Option<&'a str>,
    only: Option<&'a str>,
}

impl<'a> Options<'a> {
    fn parse(arguments: &[&'a str]) -> Outcome<Self> {
        let mut options = Self::default();
        for pair in arguments.chunks(2) {
            match *pair {
                ["--list", name] => options.list = Some(name),
                ["--crate", name] => options.only = Some(name),
                _ => return Err(format!("cannot read `{}`\n\n{HELP}", pair.join(" "))),
            }
        }
        Ok(options)
    }

    fn lists(&self, name: &str) -> bool {
        self.list.is_some_and(|list| list == name || list == "all")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_take_a_name() {
        let options = Options::parse(&["--list", "simt", "--crate", "ptx"]).unwrap();
        assert_eq!(options, Options { list: Some("simt"), only: Some("ptx") });
        assert!(options.lists("simt") && !options.lists("ptx"));
        assert!(Options::parse(&["--list"]).is_err() && Options::parse(&["simt"]).is_err());
        assert!(Options::parse(&["--list", "all"]).unwrap().lists("simt"));
    }
}
