//! The program's own documentation: the pages on classes, completions, manual pages.

use crate::options::{Cli, CompletionsArgs, HelpArgs, ManArgs};
use crate::{exit, terminal};
use clap::CommandFactory;
use report::rule::{CLASSES, page, rule};

/// Runs `warprace help [CLASS]`.
pub(crate) fn help(args: &HelpArgs) -> u8 {
    let mut cli = Cli::command();
    let Some(name) = &args.class else {
        terminal::print(cli.render_help());
        terminal::print("\nClasses of races (`warprace help CLASS`):\n");
        for class in CLASSES {
            terminal::print(format_args!("  {:<17} {}\n", class.name(), rule(class).summary));
        }
        return 0;
    };
    if let Some(class) = CLASSES.iter().find(|class| class.name() == name) {
        terminal::print(page(*class));
        return 0;
    }
    cli.build();
    if let Some(command) = cli.find_subcommand_mut(name) {
        terminal::print(command.render_long_help());
        return 0;
    }
    terminal::error(&format!("there is no class or command `{name}`"));
    terminal::help("`warprace help` lists them");
    exit::USAGE
}

/// Runs `warprace completions SHELL`.
pub(crate) fn completions(args: &CompletionsArgs) -> u8 {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "warprace", &mut out);
    terminal::print(String::from_utf8_lossy(&out));
    0
}

/// Runs `warprace man FOLDER`, which writes one page for the program and one for each command.
pub(crate) fn man(args: &ManArgs) -> u8 {
    match clap_mangen::generate_to(Cli::command(), &args.folder) {
        Ok(()) => 0,
        Err(e) => {
            terminal::error(&format!("cannot write to `{}`: {e}", args.folder.display()));
            exit::OUTPUT
        }
    }
}
