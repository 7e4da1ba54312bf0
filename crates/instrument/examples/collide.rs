//! Instruments one PTX file: `collide IN.ptx OUT.ptx [fastest|balanced|sampled|patient] [SHUFFLE-KEY]`.
//!
//! Prints the table of sites: number, PTX line, function and instruction. The instrumented code writes its
//! records to the fixed address of the sink ([`instrument::sink::ADDRESS`]), which its host must map.

use events::SiteTable;
use instrument::collide::{Options, collide};
use instrument::sink::ADDRESS as SINK;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, rest @ ..] = &args[..] else {
        return Err("usage: collide IN.ptx OUT.ptx [fastest|balanced|sampled|patient] [SHUFFLE-KEY]".into());
    };
    let mut options = match rest.first().map(String::as_str) {
        None => Options::balanced(SINK),
        Some(name) => Options::preset(name, SINK).ok_or_else(|| format!("there is no preset `{name}`"))?,
    };
    options.shuffle = match rest.get(1) {
        Some(key) => Some(key.parse().map_err(|_| format!("`{key}` is no number"))?),
        None => None,
    };
    let text = std::fs::read_to_string(from).map_err(|e| format!("cannot read {from}: {e}"))?;
    let mut sites = SiteTable::default();
    let done = collide(text.trim_end_matches('\0'), &options, &mut sites, &|_| true)
        .map_err(|e| format!("{from}: {e}"))?;
    std::fs::write(to, &done.text).map_err(|e| format!("cannot write {to}: {e}"))?;
    for (n, check) in done.checks.iter().enumerate() {
        let Some(site) = sites.get(check.site) else { continue };
        println!("{n}\t{}\t{}\t{}", site.ptx_line, site.function, site.text);
    }
    for (why, count) in &done.unchecked {
        eprintln!("note: {from}: {count} accesses without a check: {why:?}");
    }
    Ok(())
}
