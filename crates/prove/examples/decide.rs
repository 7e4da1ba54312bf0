//! Prints the symbolic engine's own answers for the kernels of PTX files: `decide FILE.ptx…`.

use kernels::{Source, link};
use std::collections::HashSet;

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) => {
                eprintln!("cannot read `{path}`: {e}");
                continue;
            }
        };
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: &path };
        let mut next = 0x1000;
        let linked = link(&[source], &mut |v| {
            next += 1 << 20;
            Ok(next + v.align)
        });
        let linked = match linked {
            Ok(linked) => linked,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let noreturn: HashSet<&str> = ptx::cfg::noreturn_functions(&parsed.module);
        for (k, kernel) in linked.kernels.iter().enumerate() {
            let start = std::time::Instant::now();
            let facts =
                prove::facts::Facts { within: std::env::var_os("WITHIN").is_some(), ..Default::default() };
            match prove::exec::summarise(&linked, k, &facts, &|n| noreturn.contains(n), &|| false) {
                Err(e) => println!("{}: unknown: {e}", kernel.name),
                Ok(summary) => {
                    let d = prove::pairs::decide::decide(&summary, &Default::default(), &|| false);
                    println!(
                        "{}: {} of {} open, {} barriers, {:?}",
                        kernel.name,
                        d.open.len(),
                        d.asked,
                        summary.barriers.len(),
                        start.elapsed()
                    );
                    for o in &d.open {
                        let show = |i: usize| {
                            let a = &summary.accesses[i];
                            let p =
                                prove::facts::show(&summary.syms, &|i, o| format!("arg{i}+{o}"), &a.offset);
                            format!("{:?} {:?} [{:?} + {p}] if {:?}", a.kind, a.space, a.base, a.guard)
                        };
                        println!("   {} | {} | same block: {}", show(o.first), show(o.second), o.same_block);
                    }
                    if let Some(why) = &summary.unmodelled {
                        println!("   unmodelled: {why}");
                    }
                    if std::env::var_os("FACTS").is_some() {
                        d.assumed.iter().for_each(|a| println!("   assumes {a}"));
                    }
                }
            }
        }
    }
}
