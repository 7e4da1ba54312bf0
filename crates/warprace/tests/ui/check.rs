//! Compiles, runs and compares one fixture.

use crate::apply::{Applied, apply};
use crate::fixture::{Expected, Fixture, Race};
use crate::normal::{difference, indent, normal};
use crate::offline::offline;
use crate::sample::Sampled;
use crate::setup::Setup;
use report::Verdict;
use report::model::{Described, Document};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Time limit of a fixture's run in seconds.
const LIMIT: &str = "60";

/// The result of a run under warprace.
pub(crate) struct Done {
    pub(crate) document: Document,
    report: String,
    pub(crate) stdout: String,
    pub(crate) code: Option<i32>,
}

/// Checks all expectations of a fixture. The error is a text for the user.
pub(crate) fn fixture(setup: &Setup, fixture: &Fixture) -> Result<(), String> {
    let program = setup.compile(fixture)?;
    let schedules = match fixture.expected {
        Expected::Clean if Sampled::Schedules.chooses(setup, fixture) => setup.seeds.max(1),
        Expected::Clean => setup.seeds.clamp(1, 2),
        Expected::Race | Expected::Hazard => 1,
    };
    for n in 0..schedules {
        let schedule = schedule(n);
        let done = run(setup, fixture, &program, &schedule)
            .map_err(|message| explain(setup, fixture, &program, &schedule, &message))?;
        let wrong = judge(fixture, &done)
            + &unlike_hardware(setup, fixture, &done)
            + &crate::twin::agrees(fixture, &done.document);
        if !wrong.is_empty() {
            return Err(explain(setup, fixture, &program, &schedule, &wrong));
        }
        if n == 0 {
            // The report's text may differ for another architecture.
            let usual = setup.arch(fixture).is_none_or(|arch| arch == crate::arch::usual(fixture));
            if fixture.expected != Expected::Clean && usual {
                blessed(setup, fixture, &normal(&done.report, &program))?;
            }
            if setup.apply {
                return applied(setup, fixture, &done);
            }
            offline(setup, fixture, &program, &done)?;
            crate::engines::engines(setup, fixture, &program)?;
            crate::prune::pruned(setup, fixture, &program, &done)?;
            crate::proofs::skipped(setup, fixture, &program)?;
            crate::waits::explored(setup, fixture, &program)?;
            if MENDED.contains(&fixture.name.as_str()) {
                applied(setup, fixture, &done)?;
            }
        }
    }
    Ok(())
}

/// Fixtures whose advice is applied at every run of the tests; `cargo xtask advice` does so for all.
const MENDED: [&str; 6] = [
    "atomic-scope/cas-loop.race.cu",
    "divergent-warp/branches.race.cu",
    "fence-scope/message-passing.race.cu",
    "lock-missing/unlocked-writer.race.cu",
    "missing-barrier/tile-load.race.cu",
    "missing-fence/flag-without-acquire.race.cu",
];

/// Applies the advice. Advice that requires an understanding of the program is compared with the clean twin
/// by [`crate::twin`].
fn applied(setup: &Setup, fixture: &Fixture, done: &Done) -> Result<(), String> {
    if fixture.expected == Expected::Clean {
        return Ok(());
    }
    let twin = fixture.path.to_string_lossy().replace(".race.cu", ".clean.cu");
    let name = fixture.name.replace(".race.cu", ".clean.cu");
    let twin =
        std::fs::read_to_string(&twin).ok().and_then(|t| Fixture::parse(&name, twin.as_ref(), &t).ok());
    let how = match apply(setup, fixture, &done.document, twin.as_ref())? {
        Applied::Clean(changes) => format!("clean by {}", changes.join(", then ")),
        Applied::ByHand => "not for a program: compared with the clean twin".to_owned(),
        Applied::Still(tried) if MENDED.contains(&fixture.name.as_str()) => {
            return Err(format!("  still racy after what was advised: {}\n", tried.join(", ")));
        }
        Applied::Still(tried) => {
            format!("compared with the clean twin; tried without success: {}", tried.join(", "))
        }
    };
    if setup.apply {
        println!("     {}: {how}", fixture.name);
    }
    Ok(())
}

/// Returns the options of the `n`-th schedule: the default first, then random ones, and every fourth time
/// round-robin.
fn schedule(n: u32) -> Vec<String> {
    let (name, seed) = match n {
        0 => return vec![],
        n if n % 4 == 0 => (format!("round-robin/{}", 1 + n / 4), n),
        n => ("random".to_owned(), n),
    };
    vec!["--schedule".into(), name, "--seed".into(), seed.to_string()]
}

/// Returns the options of a run. A fixture that chooses its own schedule gets no other.
fn options<'a>(fixture: &'a Fixture, schedule: &'a [String]) -> impl Iterator<Item = &'a String> {
    let own = fixture.run.iter().any(|o| o == "--schedule" || o == "--seed" || o == "--replay");
    fixture.run.iter().chain(if own { &[] } else { schedule })
}

pub(crate) fn run(
    setup: &Setup,
    fixture: &Fixture,
    program: &Path,
    schedule: &[String],
) -> Result<Done, String> {
    let (json, log) = (program.with_extension("json"), program.with_extension("log"));
    let _ = std::fs::remove_file(&json);
    let _ = std::fs::remove_file(&log);
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LIMIT]).arg(&setup.warprace).args(["run", "--jobs", "1"]);
    command.arg("--json").arg(&json).arg("--log-file").arg(&log).args(options(fixture, schedule));
    // The program runs in the workspace, so that reports name fixtures and the toolkit alike on all machines.
    command.arg("--").arg(program).args(&fixture.args).current_dir(&setup.workspace);
    let output = command.output().map_err(|e| format!("  cannot run timeout: {e}\n"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut said = stdout.clone();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(124) {
        return Err(format!("  still running after {LIMIT} seconds; it said:\n{}", indent(&said)));
    }
    let text = std::fs::read_to_string(&json)
        .map_err(|e| format!("  no JSON ({e}), {}; it said:\n{}", output.status, indent(&said)))?;
    let document = serde_json::from_str(&text).map_err(|e| format!("  the JSON cannot be read: {e}\n"))?;
    let report = std::fs::read_to_string(&log).unwrap_or_default();
    let mut done = Done { document, report, stdout, code: output.status.code() };
    settle(&mut done);
    Ok(done)
}

/// Counts a run as clean if its only doubt is that concurrent tasks synchronised through memory. Their
/// accesses are not compared, so such a run is never called clean itself.
fn settle(done: &mut Done) {
    const TALK: &str = "synchronised through memory: their accesses were not compared";
    let d = &mut done.document;
    d.inconclusive.retain(|reason| !reason.contains(TALK));
    if d.verdict == Verdict::Inconclusive && d.inconclusive.is_empty() {
        d.verdict = Verdict::Clean;
        if done.code == Some(67) {
            done.code = Some(0);
        }
    }
}

/// Adds races that were found and not marked, and races that were marked and not found.
fn compare(fixture: &Fixture, noted: &[&Race], found: &[Described], wrong: &mut String) {
    let mut matched = vec![false; found.len()];
    for race in noted {
        let mut seen = Vec::new();
        for (i, f) in found.iter().enumerate() {
            if lines(fixture, f) == Some(race.lines) {
                let class = f.class.name();
                matched[i] |= race.classes.is_empty() || race.classes.iter().any(|c| c == class);
                seen.push(class);
            }
        }
        let (a, b) = race.lines;
        if seen.is_empty() {
            let _ = writeln!(
                wrong,
                "  not found: race {} of lines {a} and {b} ({})",
                race.number,
                race.classes.join(", ")
            );
        } else if !race.classes.is_empty() && !race.classes.iter().any(|c| seen.contains(&c.as_str())) {
            let (is, should) = (seen.join(", "), race.classes.join(" or "));
            let _ = writeln!(
                wrong,
                "  race {} of lines {a} and {b} is {is}, but should be {should}",
                race.number
            );
        }
    }
    let expected_class = |f: &Described| {
        let line_pair = lines(fixture, f);
        noted.iter().any(|r| Some(r.lines) == line_pair)
    };
    for (f, matched) in found.iter().zip(&matched) {
        if !matched && !expected_class(f) {
            let _ = writeln!(wrong, "  not expected: {}", brief(f));
        } else if !matched {
            let _ = writeln!(wrong, "  not of this class: {}", brief(f));
        }
    }
}

/// Returns the errors of a run; empty if there are none.
pub(crate) fn judge(fixture: &Fixture, done: &Done) -> String {
    let mut wrong = String::new();
    let d = &done.document;
    let all: Vec<&Race> = fixture.races.iter().collect();
    match fixture.expected {
        Expected::Hazard => compare(fixture, &all, &d.hazards, &mut wrong),
        _ => {
            let (hazards, races): (Vec<_>, Vec<_>) = all.into_iter().partition(|race| race.hazard);
            compare(fixture, &races, &d.races, &mut wrong);
            if !hazards.is_empty() {
                compare(fixture, &hazards, &d.hazards, &mut wrong);
            }
        }
    }
    if fixture.expected == Expected::Hazard {
        d.races.iter().for_each(|f| wrong += &format!("  not expected: race {}\n", brief(f)));
    } else if !fixture.races.iter().any(|race| race.hazard) {
        d.hazards.iter().for_each(|f| wrong += &format!("  not expected: hazard {}\n", brief(f)));
    }
    let verdict = match fixture.expected {
        Expected::Race => Verdict::Race,
        Expected::Hazard => Verdict::Hazard,
        Expected::Clean => Verdict::Clean,
    };
    if d.verdict != verdict {
        let _ = writeln!(wrong, "  the verdict is {}, not {}", d.verdict.name(), fixture.expected.name());
    }
    for reason in &d.inconclusive {
        let _ = writeln!(wrong, "  inconclusive: {reason}");
    }
    let own = fixture.exit.unwrap_or(0);
    let code = if fixture.expected == Expected::Race { 66 } else { own };
    if done.code != Some(code) {
        let _ = writeln!(wrong, "  warprace's exit code is {:?}, not {code}", done.code);
    }
    if d.program.exit_code != Some(own) && (fixture.exit.is_some() || fixture.expected == Expected::Clean) {
        let _ = writeln!(wrong, "  the program's exit code is {:?}, not {own}", d.program.exit_code);
    }
    wrong
}

/// Checks that a program without races has the same output on the virtual GPU as on a real one.
pub(crate) fn unlike_hardware(setup: &Setup, fixture: &Fixture, done: &Done) -> String {
    let comparable = fixture.expected == Expected::Clean && !fixture.output_varies;
    match setup.recorded(fixture).filter(|_| comparable) {
        Some(recorded) if recorded != done.stdout => {
            format!("  other output than on a real GPU:\n{}", difference(recorded, &done.stdout))
        }
        _ => String::new(),
    }
}

/// Returns the finding's lines, smaller first, if both are in the fixture itself.
pub(crate) fn lines(fixture: &Fixture, f: &Described) -> Option<(u32, u32)> {
    let file = fixture.path.file_name()?;
    let line = |i: usize| {
        let a = &f.accesses[i];
        (Path::new(&a.file).file_name() == Some(file) && a.line > 0).then_some(a.line)
    };
    let (a, b) = (line(0)?, line(1)?);
    Some((a.min(b), a.max(b)))
}

fn brief(f: &Described) -> String {
    let [a, b] = &f.accesses;
    let at = |x: &report::model::Access| {
        let file = Path::new(&x.file).file_name().map_or("?".into(), |n| n.to_string_lossy());
        format!("{} at {file}:{}", x.kind, x.line)
    };
    format!("{}: {} and {}, {} times ({})", f.class.name(), at(a), at(b), f.count, f.title)
}

/// Compares the report with the blessed one, or accepts it.
fn blessed(setup: &Setup, fixture: &Fixture, report: &str) -> Result<(), String> {
    let path = fixture.path.with_extension("stderr");
    if setup.bless {
        return std::fs::write(&path, report).map_err(|e| format!("  {}: {e}", path.display()));
    }
    match std::fs::read_to_string(&path) {
        Ok(expected) if expected == report => Ok(()),
        Ok(expected) => Err(format!("  the report has changed:\n{}", difference(&expected, report))),
        Err(_) => Err(format!("  there is no {}; bless it", path.display())),
    }
}

pub(crate) fn explain(
    setup: &Setup,
    fixture: &Fixture,
    program: &Path,
    schedule: &[String],
    wrong: &str,
) -> String {
    let options: Vec<&str> = options(fixture, schedule).map(String::as_str).collect();
    let mut words = vec![setup.warprace.to_string_lossy().into_owned(), "run".into()];
    words.extend(options.iter().map(|o| (*o).to_owned()));
    words.extend(["--".into(), program.to_string_lossy().into_owned()]);
    words.extend(fixture.args.iter().cloned());
    format!("{wrong}  again: {}\n", words.join(" "))
}
