//! `warprace trace export`: writes a trace as tables.

use crate::options::ExportArgs;
use crate::{exit, terminal};
use std::fs::File;
use std::io::BufReader;
use trace::columnar::Exported;

/// Exports a trace. A damaged trace gives exit code 67, after everything before the damage was written.
pub(crate) fn export(args: &ExportArgs) -> u8 {
    let file = match File::open(&args.file) {
        Ok(file) => file,
        Err(e) => {
            terminal::error(&format!("cannot open `{}`: {e}", args.file.display()));
            return exit::USAGE;
        }
    };
    if let Err(e) = std::fs::create_dir_all(&args.output) {
        terminal::error(&format!("cannot create `{}`: {e}", args.output.display()));
        return exit::USAGE;
    }
    match trace::columnar::export(BufReader::new(file), &args.output, args.format) {
        Ok(Exported {
            damage: Some(error @ (trace::Error::NotATrace | trace::Error::Version(_))), ..
        }) => {
            terminal::error(&format!("cannot read `{}`: {error}", args.file.display()));
            terminal::help("record one with `warprace trace -o FILE -- PROGRAM`");
            exit::USAGE
        }
        Ok(Exported { accesses, damage, .. }) => {
            let (folder, format) = (args.output.display(), args.format.name());
            terminal::print(format_args!(
                "{accesses} accesses in {folder}/accesses.{format}; sync, tasks, launches and sites beside it\n"
            ));
            match damage {
                Some(error) => {
                    terminal::error(&error.to_string());
                    exit::INCONCLUSIVE
                }
                None => 0,
            }
        }
        Err(error) => {
            terminal::error(&format!("cannot write to `{}`: {error}", args.output.display()));
            exit::OUTPUT
        }
    }
}
