//! Options for reports.

use clap::Args;
use std::path::PathBuf;

/// What is reported, how and to where: the same for every command that finds something.
#[derive(Clone, Debug, Args)]
pub(crate) struct Outputs {
    /// Write everything as JSON, too; `-` is the standard output, %p and %q{VAR} as above
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) json: Option<PathBuf>,

    /// Write a report to look at, too: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) html: Option<PathBuf>,

    /// Write the findings as SARIF 2.1.0, too, for code scanning and editors
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) sarif: Option<PathBuf>,

    /// Write a JUnit file, too: one test for each kernel that was checked
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) junit: Option<PathBuf>,

    /// Print annotations for GitHub's log of a workflow, too
    #[arg(long, help_heading = "What to report")]
    pub(crate) github: bool,

    /// Do not count findings that an entry of FILE means (may be repeated)
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) suppressions: Vec<PathBuf>,

    /// Write an entry for each finding, for people to cut down
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) gen_suppressions: Option<PathBuf>,

    /// Do not count findings that the JSON report of an earlier run has
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) baseline: Option<PathBuf>,

    /// Where the book is: reports link to its pages on classes, URL/classes/CLASS.html [default: what WARPRACE_BOOK says]
    #[arg(long, value_name = "URL", help_heading = "What to report")]
    pub(crate) book: Option<String>,

    /// Print at most N findings, 0 for all
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "What to report")]
    pub(crate) print_limit: usize,

    /// Print findings and errors only
    #[arg(long, short, help_heading = "What to report")]
    pub(crate) quiet: bool,
}
