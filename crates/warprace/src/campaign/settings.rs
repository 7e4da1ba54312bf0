//! Checks that `warprace run` accepts the options of every run, before the first one starts.

use crate::options::Cli;
use campaign::file::{Campaign, Engine, Mistake, Program};
use clap::Parser;

/// Returns the first mistake in options or settings, with its line.
pub(super) fn check(campaign: &Campaign) -> Result<(), Mistake> {
    for program in &campaign.programs {
        accepted(&program.options).map_err(|what| campaign.mistake(program.options_line, what))?;
        for engine in &program.engines {
            accepted(&words(program, engine)).map_err(|what| campaign.mistake(engine.line, what))?;
        }
    }
    Ok(())
}

/// Returns options as a run with an engine has them.
fn words(program: &Program, engine: &Engine) -> Vec<String> {
    let mut words = program.options.clone();
    words.extend(engine.options());
    if let Some(lens) = program.lenses.first().filter(|_| engine.has_lens()) {
        words.extend(["--lens".to_owned(), lens.clone()]);
    }
    if let Some(schedule) = program.schedules.first().filter(|_| !engine.on_gpu()) {
        words.extend(["--schedule".to_owned(), schedule.clone()]);
    }
    words
}

fn accepted(options: &[String]) -> Result<(), String> {
    let words = ["warprace", "run"].into_iter().chain(options.iter().map(String::as_str)).chain(["--", "x"]);
    match Cli::try_parse_from(words) {
        Ok(_) => Ok(()),
        Err(e) => {
            let text = e.to_string();
            let first = text.lines().next().unwrap_or_default();
            Err(first.trim_start_matches("error: ").to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn options_that_run_refuses_are_named_with_their_line() {
        let check = |text: &str| {
            let text = format!("[[program]]\nname = 'a'\ncommand = ['./a']\n{text}");
            check(&Campaign::parse(&text, Path::new("c.toml")).unwrap())
                .map_err(|mistake| mistake.to_string())
        };
        assert_eq!(
            check("options = ['--check', 'init']\nengines = ['virtual', 'gpu:collide:fastest']"),
            Ok(())
        );
        let wrong = check("options = [\n  '--check', 'init',\n  '--no-such-option',\n]").unwrap_err();
        assert!(wrong.starts_with("`c.toml`, line 6: unexpected argument '--no-such-option'"), "{wrong}");
        let wrong =
            check("options = ['--explore', '4']\nengines = [\n  'virtual',\n  'gpu',\n]").unwrap_err();
        assert!(wrong.starts_with("`c.toml`, line 7: the argument"), "{wrong}");
    }
}
