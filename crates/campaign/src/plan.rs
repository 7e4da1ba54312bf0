//! The runs of a campaign: every program with every list of arguments, under every engine, lens, schedule and
//! seed.
//!
//! The expansion is deterministic, so that a number means the same run on every machine that has the same file
//! and the same programs. The identity of a run is the hash of all that decides about its result: the content of
//! the program and of the files that its words name, the words, the options and the seed. A result belongs to
//! an identity; numbers only order results.

mod content;

use crate::file::{Campaign, Engine, Mistake, Program};
use crate::identity::{Hasher, Identity};
use content::Contents;
use std::collections::HashMap;

/// The maximum number of runs of a campaign.
pub const MOST: u64 = 10_000_000;

/// The common part of a stretch of runs: all but the seed.
#[derive(Clone, Debug)]
struct Setting {
    program: usize,
    arguments: usize,
    engine: usize,
    lens: Option<usize>,
    schedule: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    setting: u32,
    seed: u64,
    identity: Identity,
}

/// The numbered runs of a campaign.
#[derive(Debug)]
pub struct Plan {
    campaign: Campaign,
    settings: Vec<Setting>,
    runs: Vec<Planned>,
    numbers: HashMap<Identity, u64>,
    /// Runs that repeat another one, and are left out.
    repeated: u64,
}

/// One run of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub number: u64,
    pub identity: Identity,
    pub program: &'a Program,
    pub arguments: &'a [String],
    /// The index of `arguments` among those of the program.
    pub way: usize,
    pub engine: &'a Engine,
    pub lens: Option<&'a str>,
    pub schedule: Option<&'a str>,
    pub seed: u64,
}

impl Run<'_> {
    /// Returns the options of `warprace run` that the run's settings mean, besides those of the file.
    pub fn options(&self) -> Vec<String> {
        let mut out = self.engine.options();
        let mut add = |name: &str, value: Option<&str>| {
            out.extend(value.into_iter().flat_map(|value| [name.to_owned(), value.to_owned()]));
        };
        add("--lens", self.lens);
        add("--schedule", self.schedule);
        add("--seed", Some(&self.seed.to_string()));
        out
    }

    /// Returns the arguments as one text.
    pub fn words(&self) -> String {
        self.arguments.join(" ")
    }
}

impl Plan {
    /// Expands a campaign. Reads the programs, whose contents belong to the identities.
    pub fn new(campaign: Campaign) -> Result<Plan, Mistake> {
        let mut plan =
            Plan { campaign, settings: Vec::new(), runs: Vec::new(), numbers: HashMap::new(), repeated: 0 };
        let mut contents = Contents::default();
        for program in 0..plan.campaign.programs.len() {
            plan.expand(program, &mut contents)?;
        }
        Ok(plan)
    }

    fn expand(&mut self, index: usize, contents: &mut Contents) -> Result<(), Mistake> {
        let program = self.campaign.programs[index].clone();
        for (a, arguments) in program.arguments.iter().enumerate() {
            let content = contents.of(self.campaign.folder(), &program, arguments);
            let content = content.map_err(|what| self.campaign.mistake(program.line, what))?;
            for (e, engine) in program.engines.iter().enumerate() {
                // A GPU has its own order of threads, and instrumented kernels their own detector.
                let lenses = choices(&program.lenses, engine.has_lens());
                let schedules = choices(&program.schedules, !engine.on_gpu());
                for lens in lenses {
                    for &schedule in &schedules {
                        let setting = Setting { program: index, arguments: a, engine: e, lens, schedule };
                        self.seeds(&program, content, setting)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn seeds(&mut self, program: &Program, content: Hasher, setting: Setting) -> Result<(), Mistake> {
        if program.seeds.len() > MOST - self.runs.len() as u64 {
            return Err(self
                .campaign
                .mistake(program.line, format!("the campaign has more than {MOST} runs")));
        }
        let named = |list: &[String], index: Option<usize>| index.map_or("", |i| list[i].as_str()).to_owned();
        let common = content
            .text(&program.engines[setting.engine].name)
            .text(&named(&program.lenses, setting.lens))
            .text(&named(&program.schedules, setting.schedule));
        let number = self.settings.len() as u32;
        self.settings.push(setting);
        for seed in program.seeds.iter() {
            let identity = common.number(seed).finish();
            let next = self.runs.len() as u64;
            if *self.numbers.entry(identity).or_insert(next) != next {
                self.repeated += 1;
                continue;
            }
            self.runs.push(Planned { setting: number, seed, identity });
        }
        Ok(())
    }

    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    pub fn len(&self) -> u64 {
        self.runs.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns how many runs were left out because they repeat another one.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Returns the run with a number below [`Plan::len`].
    pub fn run(&self, number: u64) -> Run<'_> {
        let planned = self.runs[number as usize];
        let setting = &self.settings[planned.setting as usize];
        let program = &self.campaign.programs[setting.program];
        Run {
            number,
            identity: planned.identity,
            program,
            arguments: &program.arguments[setting.arguments],
            way: setting.arguments,
            engine: &program.engines[setting.engine],
            lens: setting.lens.map(|i| program.lenses[i].as_str()),
            schedule: setting.schedule.map(|i| program.schedules[i].as_str()),
            seed: planned.seed,
        }
    }

    /// Returns all runs in the order of their numbers.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        (0..self.len()).map(|number| self.run(number))
    }

    /// Returns the first run of each setting: all that differ in more than the seed.
    pub fn settings(&self) -> impl Iterator<Item = Run<'_>> {
        let first = |n: &u64| *n == 0 || self.runs[*n as usize].setting != self.runs[*n as usize - 1].setting;
        (0..self.len()).filter(first).map(|number| self.run(number))
    }

    /// Returns the number of the run with an identity.
    pub fn number(&self, identity: Identity) -> Option<u64> {
        self.numbers.get(&identity).copied()
    }

    /// Returns the identity of the whole plan.
    pub fn identity(&self) -> Identity {
        let all = Hasher::new("plan");
        self.runs.iter().fold(all, |hash, run| hash.text(&run.identity.to_string())).finish()
    }
}

/// Returns the choices of a list: each element, or one default where the list is empty or does not apply.
fn choices(list: &[String], applies: bool) -> Vec<Option<usize>> {
    match applies && !list.is_empty() {
        true => (0..list.len()).map(Some).collect(),
        false => vec![None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn plan(text: &str) -> Result<Plan, Mistake> {
        Plan::new(Campaign::parse(text, Path::new("/c.toml")).unwrap())
    }

    const TWO: &str = "lenses = ['ptx', 'hb']\nschedules = ['random', 'round-robin']\nseeds = 3\n\
                       [[program]]\nname = 'a'\ncommand = ['/bin/true']\narguments = [['1'], ['2']]\n";

    #[test]
    fn runs_are_all_combinations_in_one_order() {
        let plan = plan(TWO).unwrap();
        assert_eq!(plan.len(), 2 * 2 * 2 * 3);
        let shown = |n| {
            let run = plan.run(n);
            format!("{} {} {} {}", run.words(), run.lens.unwrap(), run.schedule.unwrap(), run.seed)
        };
        assert_eq!(shown(0), "1 ptx random 0");
        assert_eq!(shown(4), "1 ptx round-robin 1");
        assert_eq!(shown(23), "2 hb round-robin 2");
        assert_eq!(plan.settings().count(), 8);
        assert!(plan.runs().all(|run| plan.number(run.identity) == Some(run.number)));
        assert_eq!(plan.run(4).options(), ["--lens", "ptx", "--schedule", "round-robin", "--seed", "1"]);
    }

    #[test]
    fn an_identity_depends_on_what_decides_about_the_result() {
        let identity = |text: &str| plan(text).unwrap().run(0).identity;
        let program = "[[program]]\nname = 'a'\ncommand = ['/bin/true']\n";
        let base = identity(program);
        assert_eq!(base, identity(&format!("timeout = 9\n{}", program.replace("'a'", "'b'"))));
        for other in [
            format!("{program}arguments = [['x']]"),
            format!("{program}options = ['--check', 'init']"),
            format!("{program}seeds = [1]"),
            format!("{program}engines = ['guard']"),
            format!("{program}lenses = ['hb']"),
            format!("{program}schedules = ['random']"),
            format!("{program}env = {{ A = 'b' }}"),
            format!("{program}inputs = ['/bin/false']"),
            program.replace("true", "false"),
        ] {
            assert_ne!(base, identity(&other), "{other}");
        }
    }

    #[test]
    fn the_content_of_the_program_and_of_named_files_counts() {
        let folder = std::env::temp_dir().join(format!("warprace-plan-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (program, input) = (folder.join("p"), folder.join("in"));
        std::fs::write(&program, "1").unwrap();
        std::fs::write(&input, "x").unwrap();
        let text = "[[program]]\nname = 'a'\ncommand = ['./p', 'in']\n";
        let identity = || {
            let campaign = Campaign::parse(text, &folder.join("c.toml")).unwrap();
            Plan::new(campaign).unwrap().run(0).identity
        };
        let first = identity();
        assert_eq!(first, identity());
        std::fs::write(&program, "2").unwrap();
        let second = identity();
        assert_ne!(first, second);
        std::fs::write(&input, "y").unwrap();
        assert_ne!(second, identity());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn seeds_apply_to_gpus_and_schedules_do_not() {
        let text = TWO.replace("command", "engines = ['virtual', 'guard', 'gpu']\ncommand");
        let plan = plan(&text).unwrap();
        // Lenses, schedules and seeds; schedules and seeds; seeds.
        assert_eq!(plan.len(), 2 * (2 * 2 * 3 + 2 * 3 + 3));
        let gpu = plan.runs().find(|run| run.engine.on_gpu()).unwrap();
        assert_eq!(gpu.options(), ["--gpu", "--seed", "0"]);
    }

    #[test]
    fn repeated_runs_and_missing_programs_are_named() {
        let repeated =
            plan("seeds = [1, 1, '0..2']\n[[program]]\nname = 'a'\ncommand = ['/bin/true']\n").unwrap();
        assert_eq!((repeated.len(), repeated.repeated()), (2, 2));
        let mistake = plan("\n[[program]]\nname = 'a'\ncommand = ['./no-such-program']\n").unwrap_err();
        assert_eq!(mistake.line, 2);
        assert!(mistake.what.contains("no-such-program"), "{mistake}");
        let many = plan("seeds = '0..99999999'\n[[program]]\nname = 'a'\ncommand = ['/bin/true']\n");
        assert!(many.unwrap_err().what.contains("more than 10000000 runs"));
    }
}
