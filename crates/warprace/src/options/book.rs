//! Options of the commands that print the program's documentation.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// The class, such as `missing-barrier`, or a command [default: list both]
    #[arg(value_name = "CLASS", value_parser = super::values::topic(), hide_possible_values = true)]
    pub(crate) class: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// An existing folder
    pub(crate) folder: PathBuf,
}
