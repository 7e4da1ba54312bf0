//! Instruments one PTX file: `collide IN.ptx OUT.ptx [fastest|balanced|sampled] [SHUFFLE-KEY]`.
//!
//! Prints the table of sites: number, PTX line, function and instruction. Records go to the address that
//! programs of this example agree on, 0x300000000000; whoever runs the result has to map it.

use instrument::collide::{Options, collide};
use std::process::ExitCode;

const SINK: u64 = 0x3000_0000_0000;

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
        return Err("usage: collide IN.ptx OUT.ptx [fastest|balanced|sampled] [SHUFFLE-KEY]".into());
    };
    let mut options = match rest.first().map(String::as_str) {
        None | Some("balanced") => Options::balanced(SINK),
        Some("fastest") => Options::fastest(SINK),
        Some("sampled") => Options::sampled(SINK),
        Some(other) => return Err(format!("there is no preset `{other}`")),
    };
    options.shuffle = match rest.get(1) {
        Some(key) => Some(key.parse().map_err(|_| format!("`{key}` is no number"))?),
        None => None,
    };
    let text = std::fs::read_to_string(from).map_err(|e| format!("cannot read {from}: {e}"))?;
    let done = collide(text.trim_end_matches('\0'), &options).map_err(|e| format!("{from}: {e}"))?;
    std::fs::write(to, &done.text).map_err(|e| format!("cannot write {to}: {e}"))?;
    for (n, site) in done.sites.iter().enumerate() {
        println!("{n}\t{}\t{}\t{}", site.ptx_line, site.function, site.text);
    }
    for (why, count) in &done.unchecked {
        eprintln!("note: {from}: {count} accesses without a check: {why:?}");
    }
    Ok(())
}
