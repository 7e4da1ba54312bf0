//! Reads PTX files and prints what the parser and the decoder do not support: `cargo run -p ptx --example
//! ptxcheck -- FILE…`

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ptx::ast::Item;
use ptx::op::Op;

fn main() {
    let mut unknown = BTreeMap::<String, usize>::new();
    let mut totals = [0; 4];
    let (mut time, mut bytes) = (Duration::ZERO, 0);
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        totals[0] += 1;
        let start = Instant::now();
        let mut parse = ptx::parse(&text);
        time += start.elapsed();
        bytes += text.len();
        totals[1] += parse.errors.len();
        for error in &parse.errors {
            println!("{path}:{error}");
        }
        let mut again = ptx::parse(&ptx::print(&parse.module));
        for error in &again.errors {
            totals[3] += 1;
            println!("{path}: after printing: {error}");
        }
        let before = parse.clone();
        parse.module.erase_spans();
        again.module.erase_spans();
        if parse.module != again.module {
            totals[3] += 1;
            println!("{path}: printing changed its meaning");
        }
        let parse = before;
        let lines = ptx::position::LineIndex::new(&text);
        for item in &parse.module.items {
            let Item::Function(function) = item else { continue };
            let flat = ptx::flatten(function);
            totals[2] += flat.instructions.len();
            for error in &flat.errors {
                totals[3] += 1;
                println!("{path}:{}: {}", lines.line(error.span.start), error.message);
            }
            for instruction in &flat.instructions {
                match &instruction.op {
                    Err(error) => {
                        totals[3] += 1;
                        println!("{path}:{}: {error}", lines.line(error.span.start));
                    }
                    Ok(Op::Unknown) => {
                        let source = instruction.source;
                        let modifiers: String =
                            source.modifiers.iter().map(|m| format!(".{}", m.text)).collect();
                        *unknown.entry(format!("{}{modifiers}", source.opcode.text)).or_default() += 1;
                    }
                    Ok(_) => {}
                }
            }
        }
    }
    for (instruction, count) in unknown {
        println!("unknown: {instruction} ({count} times)");
    }
    let [files, syntax, instructions, other] = totals;
    println!("{files} files, {instructions} instructions, {syntax} syntax errors, {other} other errors");
    println!("parsed {:.1} MB at {:.0} MB/s", bytes as f64 / 1e6, bytes as f64 / 1e6 / time.as_secs_f64());
}
