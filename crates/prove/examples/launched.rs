//! Prints the prover's answers for kernels whose host code is available: `launched [-v] FILE.ll… FILE.ptx…`.
//! The `.ll` files are all modules of one program's host code, as clang optimised them after
//! `host_ir::prepared`. The output has a line for each kernel.

use kernels::Source;
use prove::launches::of_host_code;
use prove::{Prover, Verdict};
use std::time::{Duration, Instant};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.first().is_some_and(|a| a == "-v");
    if verbose {
        args.remove(0);
    }
    let read = |path: &String| std::fs::read_to_string(path).unwrap_or_default();
    let irs: Vec<String> = args.iter().filter(|p| p.ends_with(".ll")).map(read).collect();
    let irs: Vec<&str> = irs.iter().map(String::as_str).collect();
    let launches = of_host_code(&irs);
    if verbose {
        for (kernel, all) in &launches.kernels {
            println!("{kernel}: {all:#?}");
        }
    }
    if let Some(lost) = &launches.lost {
        println!("{lost}");
    }
    for path in args.iter().filter(|p| p.ends_with(".ptx")) {
        let text = read(path);
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: path };
        let mut prover = match Prover::new(&[source]) {
            Ok(prover) => prover,
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        for kernel in 0..prover.kernels().len() {
            let name = prover.kernels()[kernel].name.clone();
            let start = Instant::now();
            let end = start + Duration::from_secs(20);
            let stop = || Instant::now() > end;
            let known = launches.get(&name);
            let answer = match known {
                Some(all) if all.is_unused() => {
                    println!("{path}: not launched: {name}");
                    continue;
                }
                Some(all) => prover.answer_for_host_code(kernel, &Default::default(), all, &stop),
                None => prover.answer_for_any_launch(kernel, &Default::default(), &stop),
            };
            let how = match known {
                None => "no launches known",
                Some(all) => match &all.calls {
                    None => "by execution",
                    Some(all) if all.iter().all(|l| l.concrete.is_some()) => "in numbers",
                    Some(_) => "in relations",
                },
            };
            let time = start.elapsed();
            match answer.verdict {
                Verdict::Race(race) => println!("{path}: race: {name} ({how}, {time:.1?}): {}", race.witness),
                Verdict::Unknown(doubts) => {
                    let why: Vec<&str> = doubts.iter().take(2).map(|d| d.why.as_str()).collect();
                    println!("{path}: unknown: {name} ({how}, {time:.1?}): {}", why.join(" | "));
                }
                Verdict::Proved => println!("{path}: proved: {name} ({how}, {time:.1?})"),
                Verdict::Partly(part) => {
                    println!("{path}: proved in part: {name} ({how}, {time:.1?}): {part:?}")
                }
            }
            if verbose {
                answer.assumed.iter().for_each(|a| println!("    {a}"));
            }
        }
    }
}
