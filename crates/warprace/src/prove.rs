//! `warprace prove FILE`: proves kernels race-free or finds races, without a run of the program.

mod arguments;
mod compile;
mod device_code;
mod host;
mod kept;
mod launches;
mod output;
mod progress;
mod project;

use crate::options::{Assumption, Extents, ProveArgs, Volatile};
use crate::{exit, publish, terminal};
use ::prove::solver::smt::Smt;
use ::prove::{Answer, Facts, Prover, Verdict};
use device_code::Texts;
use events::SharedVariable;
use kept::Kept;
use kernels::Source;
use names::{Filter, symbol};
use protocol::{KernelSummary, PROTOCOL_VERSION, Reported, RunResult};
use report::source::Sources;
use report::{Checking, Ending, Run, describe};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The answer for one kernel, with its sites.
struct Answered {
    answer: Answer,
    /// Index of the result of the kernel's module.
    module: usize,
}

pub(crate) fn prove(args: &ProveArgs) -> u8 {
    let sources = Sources::new(std::env::current_dir().ok());
    let kept = match publish::prepare(&args.outputs) {
        Ok(kept) => kept,
        Err(refusal) => {
            refusal.show(&sources);
            return refusal.code;
        }
    };
    let asked = match asked(args) {
        Ok(asked) => asked,
        Err((code, message, help)) => {
            terminal::error(&message);
            if let Some(help) = help {
                terminal::help(&help);
            }
            return code;
        }
    };
    let question = Question {
        kernel_name: &args.kernel_name,
        block: args.block,
        grid: args.grid,
        assume: &args.assume,
        volatile_weak: matches!(args.volatile, Some(Volatile::Weak)),
        timeout: args.timeout,
        launch: args.launch.as_ref(),
        any_launch: args.any_launch,
        progress: true,
        kept: Kept::open(!args.no_proof_cache, args.verbose),
    };
    // From here on there is something to report.
    crate::interrupt::catch();
    let Asked { file, modules, launches, mut problems } = asked;
    let hosted = modules.iter().any(|m| m.hosted.is_some());
    let mut answered: Vec<Answered> = Vec::new();
    let mut results: Vec<RunResult> = Vec::new();
    for module in &modules {
        match ask(&question, &file, &module.texts, launches.as_ref(), module.hosted.as_deref()) {
            Ok((answers, result)) => {
                answered.extend(answers.into_iter().map(|answer| Answered { answer, module: results.len() }));
                results.push(result);
            }
            Err(problem) => problems.push(problem),
        }
    }
    question.kept.tell();
    problems.extend(
        crate::interrupt::caught()
            .map(|signal| format!("{signal} ended it: other kernels were not asked about")),
    );
    if answered.is_empty() && problems.is_empty() {
        let (message, help) = match args.kernel_name.is_empty() {
            _ if launches.is_some() => (
                "no kernel of it was launched",
                "`warprace run --facts FILE` writes launches of this program",
            ),
            true if hosted => {
                ("its sources launch no kernel of it", "`warprace prove FILE` asks about all launches")
            }
            true => ("there is no kernel in it", "`warprace inspect` lists what is there"),
            false => ("no kernel matches --kernel-name", "`warprace inspect` lists the kernels"),
        };
        terminal::error(&format!("`{}`: {message}", file.display()));
        terminal::help(help);
        return exit::USAGE;
    }
    let shown = file.display().to_string();
    let mut document = describe(&Run {
        results: &results,
        program: file.to_string_lossy().into_owned(),
        command: &[],
        ending: Ending::Exit(0),
        checking: Checking::Detect,
        replay: &|_, options| match &args.facts {
            Some(facts) => format!("warprace prove --facts {} {options} {shown}", facts.display()),
            None if args.project.is_some() => format!("warprace prove {options} -p {shown}"),
            None if !args.compile.is_empty() && hosted => {
                let words = args.compile.iter().map(|w| w.to_string_lossy());
                format!("warprace prove {options} -- {}", words.collect::<Vec<_>>().join(" "))
            }
            None => format!("warprace prove {options} {shown}"),
        },
        inconclusive: Vec::new(),
        sources: &sources,
        interleavings: HashMap::new(),
    });
    // Unchecked parts of the launches that demonstrate races do not matter here.
    document.inconclusive = problems;
    document.proofs = answered.iter().map(|a| output::proof(a, &results, &sources)).collect();
    output::unseen(&mut document);
    document.completeness = report::Completeness::of_proofs(&document.proofs);
    kept.apply(&mut document, &sources);
    output::text(&document, &args.outputs, &sources);
    let code = match document.verdict {
        report::Verdict::Race => exit::RACES,
        report::Verdict::Unknown | report::Verdict::Inconclusive | report::Verdict::ProvedInPart => {
            exit::INCONCLUSIVE
        }
        _ => 0,
    };
    match publish::write(&args.outputs, &[document], &sources, std::process::id()) {
        false if code == 0 => exit::OUTPUT,
        _ => code,
    }
}

/// The texts that are linked into one device module, and the launches of its kernels, if host code is read.
struct Module {
    texts: Texts,
    hosted: Option<Rc<host_ir::Launches>>,
}

/// The inputs that the command line names.
struct Asked {
    file: PathBuf,
    modules: Vec<Module>,
    /// The launches that a run has recorded.
    launches: Option<launches::Launches>,
    /// Messages about inputs that could not be read.
    problems: Vec<String>,
}

fn asked(args: &ProveArgs) -> Result<Asked, device_code::Failure> {
    if let Some(project) = &args.project {
        let file = project::file(project);
        let (modules, problems) = project::read(&file, args.timeout)?;
        return Ok(Asked { file, modules, launches: None, problems });
    }
    let file = match &args.file {
        Some(file) => file.clone(),
        None => compile::run(&args.compile)?,
    };
    let texts = device_code::read(&file)?;
    let launches = args.facts.as_deref().map(launches::read).transpose();
    let launches = launches.map_err(|message| (exit::USAGE, message, None))?;
    // The host code's launches are used if no option names the launches.
    let hosted = match args.compile.is_empty() || launches.is_some() {
        true => None,
        false => host::read(&args.compile, args.timeout)
            .inspect_err(|why| terminal::help(&format!("launches are not read from the host code: {why}")))
            .ok()
            .map(Rc::new),
    };
    let modules = texts.into_iter().map(|texts| Module { texts, hosted: hosted.clone() }).collect();
    Ok(Asked { file, modules, launches, problems: Vec::new() })
}

/// The question about kernels.
struct Question<'a> {
    kernel_name: &'a [Filter],
    block: Option<Extents>,
    grid: Option<Extents>,
    assume: &'a [Assumption],
    volatile_weak: bool,
    /// Time limit for one kernel in seconds.
    timeout: u64,
    /// The single launch in question.
    launch: Option<&'a ::prove::replay::Witness>,
    /// Whether launches count that no known host code makes.
    any_launch: bool,
    /// Whether the terminal shows which kernel is being analysed.
    progress: bool,
    kept: Kept,
}

/// Analyses the launches of a run that were written to `facts`. Returns the proofs for the program's kernels,
/// and a result for each of its modules with the races that other thread orders demonstrate. Kernels that
/// have `raced` are left out.
pub(crate) fn of_run(
    program: &Path,
    facts: &Path,
    raced: &dyn Fn(&str) -> bool,
    volatile_weak: bool,
    sources: &Sources,
) -> Result<(Vec<report::proof::Proof>, Vec<RunResult>), String> {
    // A program that ends before its first launch has told none.
    if !facts.exists() {
        return Ok(Default::default());
    }
    let mut launches = launches::read(facts)?;
    launches.retain(|kernel, _| !raced(kernel));
    let texts = device_code::read(program).map_err(|(_, message, _)| message)?;
    let question = Question {
        kernel_name: &[],
        block: None,
        grid: None,
        assume: &[],
        volatile_weak,
        timeout: OF_RUN,
        launch: None,
        any_launch: false,
        progress: false,
        // Launches of a run are others each time.
        kept: Kept::open(false, false),
    };
    let (mut proofs, mut results) = (Vec::new(), Vec::new());
    for module in &texts {
        let (answers, mut result) = ask(&question, program, module, Some(&launches), None)?;
        // The launches that demonstrate a race are no part of the program's run.
        result.counters = Default::default();
        let answered = answers.into_iter().map(|answer| Answered { answer, module: 0 });
        let one = std::slice::from_ref(&result);
        proofs.extend(answered.map(|a| output::proof(&a, one, sources)));
        results.push(result);
    }
    Ok((proofs, results))
}

/// Returns whether no option restricts the launches in question.
fn is_open(args: &Question<'_>) -> bool {
    args.block.is_none() && args.grid.is_none() && args.assume.is_empty() && args.launch.is_none()
}

/// Time limit in seconds for one kernel of a run.
const OF_RUN: u64 = 20;

pub(crate) use output::{Counts, answers};

impl Question<'_> {
    /// Answers for all launches of a kernel, or for those that the host code makes: `launched` has them, `None` in it if they
    /// are not known. A proof that an earlier process has kept is not sought again. `module` is a hash of the texts.
    fn answer(
        &self,
        prover: &mut Prover<'_>,
        module: u128,
        kernel: usize,
        facts: &Facts,
        launched: Option<Option<&host_ir::Launched>>,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mangled = prover.kernels()[kernel].name.clone();
        let name = self.kept.name(module, &mangled, &(facts, launched, is_open(self)));
        if let Some(kept) = name.and_then(|name| self.kept.read(name, &mangled)) {
            return kept;
        }
        let answer = match launched {
            Some(Some(launched)) => prover.answer_for_host_code(kernel, facts, launched, stop),
            Some(None) if is_open(self) => prover.answer_for_any_launch(kernel, facts, stop),
            _ => prover.answer(kernel, facts, stop),
        };
        if let Some(name) = name {
            self.kept.keep(name, &answer);
        }
        answer
    }
}

/// Analyses the kernels of one module.
fn ask(
    args: &Question<'_>,
    file: &Path,
    texts: &Texts,
    launches: Option<&launches::Launches>,
    hosted: Option<&host_ir::Launches>,
) -> Result<(Vec<Answer>, RunResult), String> {
    let trees: Vec<ptx::Parse> = texts.iter().map(|(_, text)| ptx::parse(text)).collect();
    if let Some(((name, _), error)) =
        texts.iter().zip(&trees).find_map(|(t, tree)| tree.errors.first().map(|e| (t, e)))
    {
        return Err(format!("{name}: {}", error.message));
    }
    let sources: Vec<Source<'_>> = texts
        .iter()
        .zip(&trees)
        .map(|((name, text), parse)| Source { tree: &parse.module, text, name })
        .collect();
    let mut prover = Prover::new(&sources).map_err(|e| format!("{}: {e}", texts[0].0))?;
    let parts: Vec<&[u8]> =
        texts.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]).collect();
    let module = compilers::keep::hash(&parts);
    let mut answers = Vec::new();
    let mut result = RunResult {
        version: PROTOCOL_VERSION,
        program: file.to_owned(),
        finished: true,
        uses_cuda: true,
        ..RunResult::default()
    };
    let named = std::env::var_os("WARPRACE_SMT");
    let smt = Smt::find(named.as_deref().map(Path::new), std::env::var_os("PATH").as_deref());
    // Races count as unseen if neither host code nor an option shows that their launches occur.
    let unseen = launches.is_none() && hosted.is_none() && is_open(args) && !args.any_launch;
    let all = prover.kernels().len();
    for kernel in 0..all {
        if crate::interrupt::caught().is_some() {
            break;
        }
        let described = prover.kernels()[kernel].clone();
        if !args.kernel_name.is_empty() && !args.kernel_name.iter().any(|f| f.matches(&described.name)) {
            continue;
        }
        let full = symbol::full(&described.name);
        let mut facts = Facts {
            block: args.block.map(|e| e.0),
            grid: args.grid.map(|e| e.0),
            volatile_weak: args.volatile_weak,
            smt: smt.clone(),
            ..Facts::default()
        };
        for assumption in args.assume {
            if described.name.contains(&assumption.kernel) || full.contains(&assumption.kernel) {
                facts.relations.extend(assumption.relations.iter().cloned());
            }
        }
        let end = Instant::now() + Duration::from_secs(args.timeout);
        let stop = || crate::interrupt::caught().is_some() || Instant::now() > end;
        if args.progress {
            progress::show(kernel, all, &full);
        }
        let mut answer = match launches.map(|all| all.get(&described.name)) {
            _ if args.launch.is_some() => match args.launch {
                Some(launch) => prover.answer_launch(kernel, launch, &facts, &stop),
                None => continue,
            },
            Some(Some(launches)) => prover.answer_observed(kernel, &facts, launches, &stop),
            // The kernel was not launched, so there is nothing to prove.
            Some(None) => continue,
            None => {
                let launched = hosted.map(|all| all.get(&described.name));
                // The program does not launch this kernel.
                if launched.flatten().is_some_and(host_ir::Launched::is_unused) {
                    continue;
                }
                args.answer(&mut prover, module, kernel, &facts, launched, &stop)
            }
        };
        if let (Verdict::Unknown(doubts), Some(lost)) =
            (&mut answer.verdict, hosted.and_then(|all| all.doubt(&described.name)))
        {
            doubts.insert(doubts.len().min(1), ::prove::Doubt::lost(lost));
        }
        if let Verdict::Race(race) = &answer.verdict {
            result.tasks.push(race.task.clone());
            result.counters.launches += 1;
            result.counters.checked += 1;
            result.kernels.push(KernelSummary {
                name: described.name.clone(),
                launches: 1,
                checked: 1,
                has_line_info: described.has_line_info,
                shared: described
                    .shared_variables
                    .iter()
                    .map(|v| SharedVariable {
                        name: v.name.clone(),
                        offset: v.offset.into(),
                        bytes: v.bytes.map(Into::into),
                    })
                    .collect(),
                ..KernelSummary::default()
            });
            for finding in &race.findings {
                let holds = |a: &&events::Allocation| {
                    finding.space == events::Space::Global
                        && (a.base..a.base + a.bytes).contains(&finding.sides[1].address)
                };
                result.findings.push(Reported {
                    allocation: race.allocations.iter().find(holds).cloned(),
                    others: Vec::new(),
                    tensor: None,
                    finding: match unseen && finding.level == events::Level::Race {
                        true => events::Finding { level: events::Level::UnseenLaunch, ..finding.clone() },
                        false => finding.clone(),
                    },
                    schedules: Vec::new(),
                    engine: names::Engine::Prover,
                });
            }
        }
        answers.push(answer);
    }
    progress::clear();
    result.sites = prover.sites();
    Ok((answers, result))
}
