//! System calls on watched memory: they have their usual effect, and count as the calling host thread's
//! accesses.

use super::*;
use events::AccessKind;
use events::finding::Actor;
use std::collections::HashSet;

fn build(source: &str) -> Option<PathBuf> {
    let program = folder().join("program");
    compile(source, &["-std=c++17", "-w"], &program)?;
    Some(program)
}

/// Runs a program in a folder in which it may create files.
fn run_in(folder: &Path, program: &Path, args: &[&str]) -> Ran {
    let script = r#"cd "$0" && exec "$@""#;
    let mut all = vec!["-c", script, folder.to_str().unwrap(), program.to_str().unwrap()];
    all.extend(args);
    run(Path::new("/bin/sh"), &all, RunOptions::default())
}

#[test]
fn system_calls_have_the_results_that_they_have_without() {
    let Some(program) = build("system_calls.cu") else { return };
    let folder = folder();
    for kind in ["pinned", "managed"] {
        let ran = run_in(&folder, &program, &["same", kind]);
        assert_eq!(ran.stdout(), "0 different\n", "{:?}", ran.output);
        let result = ran.result();
        assert!(result.findings.is_empty() && result.inconclusive.is_empty(), "{result:?}");
        for call in ["ioctl", "fcntl", "prctl", "io_submit", "a system call that is not known"] {
            assert!(
                result.limits.iter().any(|limit| limit.contains(&format!("`{call}`"))),
                "{call}: {:?}",
                result.limits
            );
        }
        assert_eq!(result.limits.len(), 5, "{:?}", result.limits);
    }
    let _ = std::fs::remove_dir_all(folder);
    let _ = std::fs::remove_dir_all(program.parent().unwrap());
}

#[test]
fn system_calls_race_at_the_lines_that_make_them() {
    let Some(program) = build("system_calls.cu") else { return };
    let folder = folder();
    for kind in ["pinned", "managed"] {
        let ran = run_in(&folder, &program, &["race", kind]);
        let result = ran.result();
        let (mut found, mut unnamed) = (HashSet::new(), 0);
        for reported in &result.findings {
            for side in reported.finding.sides.iter().filter(|side| matches!(side.who, Actor::HostThread(_)))
            {
                let frame = side.site.and_then(|site| result.sites.get(site)?.frames.last());
                match frame {
                    Some(frame) => drop(found.insert((frame.line, side.kind == AccessKind::Write))),
                    None => unnamed += 1,
                }
            }
        }
        // The library itself reads the paths of executed programs, in three ways.
        assert!(unnamed <= 3, "{unnamed} accesses have no line");
        let stdout = ran.stdout();
        let wanted = stdout.lines().filter_map(|line| line.strip_prefix("race "));
        let mut count = 0;
        for line in wanted {
            let [name, line, how] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            assert!(
                found.contains(&(line.parse().unwrap(), how == "w")),
                "{kind}: {name} in line {line}: {how}"
            );
            count += 1;
        }
        assert!(count > 110, "{count}: {:?}", ran.output);
    }
    let _ = std::fs::remove_dir_all(folder);
    let _ = std::fs::remove_dir_all(program.parent().unwrap());
}

#[test]
fn system_calls_of_threads_that_block_take_signals_and_make_processes() {
    let Some(program) = build("system_calls_and_threads.cu") else { return };
    let ran = run(&program, &[], RunOptions::default());
    let result = ran.ok().result();
    assert!(
        result.findings.is_empty() && result.inconclusive.is_empty() && result.limits.is_empty(),
        "{result:?}"
    );
    // In a thread that blocks the signal nothing is watched, which the result states.
    let ran = run(&program, &["early"], RunOptions::default());
    let result = ran.ok().result();
    assert!(result.findings.is_empty(), "{result:?}");
    assert!(matches!(&result.limits[..], [limit] if limit.contains("SIGSYS")), "{:?}", result.limits);
    let _ = std::fs::remove_dir_all(program.parent().unwrap());
}
