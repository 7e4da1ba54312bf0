//! Answers about the launches that the host code makes.

use crate::answer::{Answer, Doubt, Prover, Verdict};
use crate::determinism::deciding::deciding;
use crate::exec::Summary;
use crate::facts::Facts;
use crate::facts::observed;
use crate::launches::known::{KnownLaunch, Written, to_known_launch};
use crate::launches::observed::assumptions_of_execution;
use crate::launches::partly_known::Unknowns;
use crate::replay::bench::Contents;
use host_ir::{Concrete, HostLaunch, Launched};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The time for proofs before inputs are tried.
const SOON: Duration = Duration::from_secs(4);

/// The time for an answer without the external solver, before that is asked.
const UNAIDED: Duration = Duration::from_secs(6);

/// Limits the alternatives of one launch that are examined.
const MOST_OF_ONE: usize = 8;

/// Combines an answer with that about the launches of one execution: a proof of these, or a race, is more than doubts.
fn by_execution(mut answer: Answer, other: Answer, asks: bool) -> Answer {
    match (&mut answer.verdict, other.verdict) {
        // These doubts remain if everything is known that executing the host code tells.
        (Verdict::Unknown(doubts), Verdict::Unknown(others)) => {
            if let Some(first) = others.into_iter().next() {
                doubts.retain(|d| d.why != first.why);
                doubts.insert(0, first);
            }
            answer
        }
        // Neither partial proof is stronger than the other.
        (_, Verdict::Unknown(_)) | (Verdict::Partly(_), Verdict::Partly(_)) => answer,
        (_, Verdict::Race(mut race)) => {
            if asks {
                race.started.get_or_insert_with(|| "without arguments".to_owned());
            }
            Answer { verdict: Verdict::Race(race), ..other }
        }
        (_, verdict) => Answer { verdict, ..other },
    }
}

impl Prover<'_> {
    /// Answers for all launches that the host code makes of a kernel: *proved* if each of them is, a *race*
    /// if one has one. The external solver, which takes seconds for each pair that may meet, is asked only
    /// about kernels of which pairs stay open without it.
    pub fn answer_for_host_code(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launched: &Launched,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        if facts.smt.is_some() {
            let own = Facts { smt: None, ..facts.clone() };
            let start = Instant::now();
            let soon = || stop() || start.elapsed() > UNAIDED;
            let answer = self.answer_launched(kernel, &own, launched, &soon);
            // A proof by execution, which leaves pairs open, assumes more than one that the solver may find.
            match answer.verdict {
                Verdict::Race(_) => return answer,
                Verdict::Proved if answer.open == 0 => return answer,
                _ => {}
            }
        }
        self.answer_launched(kernel, facts, launched, stop)
    }

    fn answer_launched(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launched: &Launched,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        // The user's facts may describe other launches, too.
        let user = facts.block.is_some() || facts.grid.is_some() || !facts.relations.is_empty();
        // Inputs may show a race long before all proofs have failed.
        let start = Instant::now();
        let soon = || stop() || start.elapsed() > SOON;
        let mut answer = self.answer_calls_or_any(kernel, facts, launched, &soon);
        let settled = matches!(answer.verdict, Verdict::Proved | Verdict::Race(_));
        let mut inputs_are_tried = user;
        if !settled && soon() && !stop() {
            if !inputs_are_tried
                && let Some(race) = self.race_for_chosen_inputs(kernel, facts, &launched.tried, stop)
            {
                return race;
            }
            inputs_are_tried = true;
            answer = self.answer_calls_or_any(kernel, facts, launched, stop);
        }
        let settled = matches!(answer.verdict, Verdict::Proved | Verdict::Race(_));
        if let Some(made) = &launched.made
            && !settled
            && !user
            && !made.is_empty()
            && let Some(other) = self.answer_executed(kernel, facts, made, launched.asks, stop)
        {
            answer = by_execution(answer, other, launched.asks);
        }
        let settled = matches!(answer.verdict, Verdict::Proved | Verdict::Race(_));
        if !settled
            && !user
            && let Some(proof) = self.proof_by_contents(kernel, facts, launched, stop)
        {
            return proof;
        }
        if settled || inputs_are_tried {
            return answer;
        }
        self.race_for_chosen_inputs(kernel, facts, &launched.tried, stop).unwrap_or(answer)
    }

    fn answer_calls_or_any(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launched: &Launched,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        match &launched.calls {
            Some(calls) => self.answer_calls(kernel, facts, calls, stop),
            None => self.answer_for_any_launch(kernel, facts, stop),
        }
    }

    /// Answers for the launches that executing the host code has produced.
    fn answer_executed(
        &mut self,
        kernel: usize,
        facts: &Facts,
        made: &[Concrete],
        asks: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Answer> {
        let described = self.linked.kernels[kernel].clone();
        let flat = &self.linked.functions[described.function].flat;
        let sizes: Vec<u64> = flat.function.params.iter().map(|p| p.size().unwrap_or(0)).collect();
        let kernels: BTreeSet<&str> =
            made.iter().flat_map(|c| &c.memory).flat_map(|m| &m.launches).map(|(k, _)| k.as_str()).collect();
        let written: BTreeMap<&str, Written> = kernels.into_iter().map(|k| (k, self.written(k))).collect();
        let all: Option<Vec<KnownLaunch>> =
            made.iter().map(|c| to_known_launch(&described, &sizes, c, &self.linked, &written)).collect();
        let mut answer = self.answer_known_launches(kernel, facts, &all?, true, stop);
        // Executing the preceding launches yields more facts.
        if matches!(answer.verdict, Verdict::Unknown(_))
            && let Some(more) = self.after_previous_launches(made, facts.volatile_weak, stop)
        {
            let all: Option<Vec<KnownLaunch>> =
                more.iter().map(|c| to_known_launch(&described, &sizes, c, &self.linked, &written)).collect();
            answer = self.answer_known_launches(kernel, facts, &all?, true, stop);
            answer.assumed.push("the launches before leave in memory what they do in their order".to_owned());
        }
        if asks {
            answer.without_arguments();
        }
        answer.assumed.push("calls that the host code makes succeed, and nothing is thrown".to_owned());
        answer.assumed.push(format!("it is launched as its sources do it, {} times or often", made.len()));
        let mut seen = BTreeSet::new();
        answer.assumed.retain(|a| seen.insert(a.clone()));
        Some(answer)
    }

    fn answer_calls(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launches: &[HostLaunch],
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mut whole = Answer::unasked(&self.linked.kernels[kernel].name, Verdict::Proved);
        // Number of launches that are made, if the program runs without arguments where that is assumed.
        let mut made = 0;
        let mut first: Option<Verdict> = None;
        for launch in launches {
            let mut answer = self.answer_call(kernel, facts, launch, stop);
            made += 1;
            if let (Verdict::Unknown(_), Some(unasked)) = (&answer.verdict, &launch.unasked) {
                let mut other = self.answer_call(kernel, facts, unasked, stop);
                if let Verdict::Race(race) = &mut other.verdict {
                    race.started.get_or_insert_with(|| "without arguments".to_owned());
                }
                if !matches!(other.verdict, Verdict::Unknown(_)) {
                    other.without_arguments();
                    first = first.or(Some(answer.verdict));
                    made -= usize::from(unasked.concrete.as_ref().is_some_and(Vec::is_empty));
                    answer = other;
                }
            }
            whole.asked += answer.asked;
            whole.open += answer.open;
            whole.assumed.extend(answer.assumed);
            whole.verdict = std::mem::replace(&mut whole.verdict, Verdict::Proved).and(answer.verdict);
        }
        // Launches that are not made under this assumption have no proof.
        if let (0, Some(doubts)) = (made, first) {
            whole.verdict = doubts;
            whole.assumed.clear();
        }
        let places = if launches.len() == 1 { "place" } else { "places" };
        whole.assumed.push(format!("it is launched as its sources do it, in {} {places}", launches.len()));
        let mut seen = BTreeSet::new();
        whole.assumed.retain(|a| seen.insert(a.clone()));
        whole
    }

    /// Answers for a kernel that the host code launches in unsupported ways: for all launches. None is tried,
    /// since it may be one that is never made.
    pub fn answer_for_any_launch(&mut self, kernel: usize, facts: &Facts, stop: &dyn Fn() -> bool) -> Answer {
        let prepared = self.prepared(kernel, facts);
        let (mut answer, summary) = self.decide_by(kernel, &prepared, facts, stop);
        self.try_chosen_launches(kernel, &prepared, summary.as_ref(), false, &mut answer, stop);
        if let Verdict::Unknown(doubts) = &mut answer.verdict {
            let why = "how the host code launches it is not understood".to_owned();
            let suggestion =
                Some("say it: --block, --grid, --assume; or show it: `warprace run --facts`".into());
            doubts.insert(0, Doubt { why, lines: None, suggestion });
        }
        answer
    }

    /// Tries launches with arguments chosen here: returns a race that all intended launches have, or a reason
    /// for doubt.
    fn try_chosen_launches(
        &mut self,
        kernel: usize,
        stated: &Facts,
        summary: Option<&Summary>,
        launched: bool,
        answer: &mut Answer,
        stop: &dyn Fn() -> bool,
    ) {
        let Verdict::Unknown(doubts) = &mut answer.verdict else { return };
        let Some(shown) = self.race_with_chosen_unknowns(kernel, stated, summary, stop) else { return };
        if shown.certain && launched {
            answer.verdict = Verdict::Race(Box::new(shown.race));
            answer.assumed = vec![
                "neither its arguments, its number of blocks nor what memory holds decide about this race"
                    .to_owned(),
            ];
            return;
        }
        let unknown = match shown.certain {
            true => "all launches of such blocks have it, and whether there are any is not known",
            false => "whether the host code makes such a launch is not known",
        };
        doubts.insert(0, shown.doubt(self.bench.as_ref(), unknown));
    }

    /// Answers for one launching call: by the facts about all of its launches, or else for each concrete
    /// launch.
    fn answer_call(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launch: &HostLaunch,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let described = &self.linked.kernels[kernel];
        let flat = &self.linked.functions[described.function].flat;
        let sizes: Vec<u64> = flat.function.params.iter().map(|p| p.size().unwrap_or(0)).collect();
        let stated = self.call_facts(kernel, facts, launch);
        // Facts that the user states are about other launches, too.
        let user = facts.block.is_some() || facts.grid.is_some() || !facts.relations.is_empty();
        let concrete: Option<Vec<KnownLaunch>> = match &launch.concrete {
            Some(all) if !user => all
                .iter()
                .map(|c| to_known_launch(described, &sizes, c, &self.linked, &BTreeMap::new()))
                .collect(),
            _ => None,
        };
        match concrete {
            Some(all) => {
                let mut partly = None;
                if all.len() != 1 || all.iter().any(|s| !s.unknown.is_empty()) {
                    let (answer, _) = self.prove_by_cases(kernel, &stated, stop);
                    match answer.verdict {
                        Verdict::Proved => return answer,
                        Verdict::Partly(_) => partly = Some(answer),
                        _ => {}
                    }
                }
                let mut answer = self.answer_known_launches(kernel, facts, &all, launch.certain, stop);
                if matches!(answer.verdict, Verdict::Unknown(_)) && !launch.certain && launch.one_of_them {
                    answer = self.each_races(kernel, facts, &all, stop).unwrap_or(answer);
                }
                match answer.verdict {
                    Verdict::Unknown(_) => partly.unwrap_or(answer),
                    _ => answer,
                }
            }
            None => {
                let (mut answer, summary) = self.prove_by_cases(kernel, &stated, stop);
                if matches!(answer.verdict, Verdict::Proved) {
                    return answer;
                }
                let prepared = self.prepared(kernel, &stated.always[0]);
                self.try_chosen_launches(kernel, &prepared, summary.as_ref(), launch.made, &mut answer, stop);
                answer
            }
        }
    }

    /// The first race, if each of these launches has one: whichever of them is made, that races.
    fn each_races(
        &mut self,
        kernel: usize,
        asked: &Facts,
        launches: &[KnownLaunch],
        stop: &dyn Fn() -> bool,
    ) -> Option<Answer> {
        let mut first = None;
        for known_launch in launches.iter().take(MOST_OF_ONE + 1) {
            let answer = self.answer_known_launch(kernel, asked, known_launch, true, stop);
            if !matches!(answer.verdict, Verdict::Race(_)) {
                return None;
            }
            first.get_or_insert(answer);
        }
        first.filter(|_| launches.len() <= MOST_OF_ONE)
    }

    /// Answers for launches in numbers.
    pub(crate) fn answer_known_launches(
        &mut self,
        kernel: usize,
        asked: &Facts,
        launches: &[KnownLaunch],
        certain: bool,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mut whole = Answer::unasked(&self.linked.kernels[kernel].name, Verdict::Proved);
        for known_launch in launches {
            let answer =
                self.answer_known_launch(kernel, asked, known_launch, certain && known_launch.sure, stop);
            whole.asked += answer.asked;
            whole.open += answer.open;
            whole.assumed.extend(answer.assumed);
            let proved = matches!(answer.verdict, Verdict::Proved | Verdict::Partly(_));
            whole.verdict = std::mem::replace(&mut whole.verdict, Verdict::Proved).and(answer.verdict);
            if !proved {
                break;
            }
        }
        whole
    }

    /// Answers for a concrete launch. A conditional proof counts if nothing else is known.
    fn answer_known_launch(
        &mut self,
        kernel: usize,
        asked: &Facts,
        known_launch: &KnownLaunch,
        certain: bool,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mut partly = None;
        let answer = self.answer_in_numbers(kernel, asked, known_launch, certain, &mut partly, stop);
        match answer.verdict {
            Verdict::Unknown(_) => partly.unwrap_or(answer),
            _ => answer,
        }
    }

    fn answer_in_numbers(
        &mut self,
        kernel: usize,
        asked: &Facts,
        known_launch: &KnownLaunch,
        certain: bool,
        partly: &mut Option<Answer>,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let launch = &known_launch.launch;
        let facts = Facts {
            unknown: known_launch.unknown.clone(),
            loose: known_launch.loose.clone(),
            volatile_weak: asked.volatile_weak,
            smt: asked.smt.clone(),
            ..observed::facts(launch)
        };
        // Pointers that may lead anywhere have no address of their own.
        let anywhere: BTreeSet<u32> = known_launch.unknown.union(&known_launch.loose).copied().collect();
        let strict = Facts { unknown: anywhere, ..facts.clone() };
        // The external solver is used if neither the internal one nor a short run settles the question.
        let own = Facts { smt: None, ..facts.clone() };
        let (mut answer, mut summary) = self.prove_for_host_code(kernel, &own, &strict, stop);
        let is_proof = |answer: &Answer| matches!(answer.verdict, Verdict::Proved | Verdict::Partly(_));
        if facts.smt.is_some() && !is_proof(&answer) {
            if certain
                && let Some(race) = self.race_in_short_run(kernel, known_launch, &own, summary.as_ref(), stop)
            {
                answer.verdict = Verdict::Race(Box::new(race));
                return answer;
            }
            (answer, summary) = self.prove_for_host_code(kernel, &facts, &strict, stop);
        }
        match answer.verdict {
            Verdict::Proved => return answer,
            Verdict::Partly(_) => {
                let verdict = Verdict::Unknown(Vec::new());
                let unknown = Answer::unasked(&answer.kernel, verdict);
                *partly = Some(std::mem::replace(&mut answer, unknown));
            }
            _ => {}
        }
        // Concrete numbers may hide what symbols show: that an index stays below a width, for any width.
        let symbolic =
            |s: &Summary| s.unmodelled.is_none() && !(s.textures && known_launch.unknown.is_empty());
        if summary.as_ref().is_some_and(symbolic) {
            let loose = known_launch.loose.clone();
            let zeroed =
                known_launch.untouched.iter().filter(|v| self.begins_with_zeros(v)).cloned().collect();
            let general =
                Facts { volatile_weak: asked.volatile_weak, loose, zeroed, ..known_launch.general.clone() };
            let strict = Facts { relations: known_launch.bounds.clone(), ..general.clone() };
            let (general, _) = self.prove_for_host_code(kernel, &general, &strict, stop);
            match general.verdict {
                Verdict::Proved => return general,
                Verdict::Partly(_) => _ = partly.get_or_insert(general),
                _ => {}
            }
        }
        let noreturn = |name: &str| self.noreturn.contains(name);
        let deciding = deciding(&self.linked, &self.linked.kernels[kernel], summary.as_ref(), &noreturn);
        let shape = crate::facts::shape(launch);
        // One execution neither proves nor refutes if unknown values decide.
        let open = Unknowns { parameters: known_launch.unknown.clone(), grid: false };
        let decides = known_launch.unknown.iter().any(|n| deciding.parameters.contains(n));
        let memory = !known_launch.executed && (deciding.any_memory || !deciding.arrays.is_empty());
        if decides || memory {
            let shown =
                self.race_in_known_launch(kernel, launch, &open, asked.volatile_weak, summary.as_ref(), stop);
            match shown {
                Some(shown) if shown.certain && certain => {
                    answer.verdict = Verdict::Race(Box::new(shown.race));
                    return answer;
                }
                Some(shown) => {
                    let unknown = match shown.certain {
                        true => "whether the host code makes it is not known",
                        false => "whether memory can hold what leads to it is not known",
                    };
                    let doubt = shown.doubt(self.bench.as_ref(), unknown);
                    if let Verdict::Unknown(doubts) = &mut answer.verdict {
                        doubts.insert(0, doubt);
                    }
                    return answer;
                }
                None => {}
            }
        }
        let mut doubt = |why: String| {
            if let Verdict::Unknown(doubts) = &mut answer.verdict {
                let why = format!("launch {shape}: {why}");
                doubts.insert(0, Doubt { why, lines: None, suggestion: None });
            }
        };
        if let Some(n) = known_launch.unknown.iter().find(|n| deciding.parameters.contains(n)) {
            doubt(format!("the value of arg{n} decides, and the host code does not fix it"));
            return answer;
        }
        // Memory contents are unknown, including those of variables, unless the host code was executed.
        if memory {
            doubt("what memory holds decides, and the host code is not asked about that".into());
            return answer;
        }
        match self.execute(kernel, launch, asked.volatile_weak, &deciding, summary.as_ref(), stop) {
            Ok(Some(mut race)) if certain => {
                if !known_launch.executed {
                    race.witness.contents = Contents::Zeros;
                }
                answer.verdict = Verdict::Race(Box::new(race));
            }
            Ok(Some(_)) => {
                doubt("it has a race, and whether the host code makes it is not known".into());
            }
            Ok(None) => {
                answer.verdict = Verdict::Proved;
                let then = if known_launch.executed { "the host code has put there" } else { "it held then" };
                answer.assumed =
                    assumptions_of_execution(launch, asked.volatile_weak, &deciding, summary.as_ref(), then);
                // These are the addresses to which the pointers led then.
                answer.breakable = known_launch.apart.clone();
                answer.on_conditions();
            }
            Err(why) => doubt(why),
        }
        answer
    }
}
