//! Answers about the launches that the host code makes.

use crate::answer::{Answer, Doubt, Prover, Verdict};
use crate::assume::{Expr, Name, Relation, Test};
use crate::determined::deciding;
use crate::exec::Summary;
use crate::facts::Facts;
use crate::host::{Concrete, HostLaunch, Number};
use crate::launch::Contents;
use crate::launches::held;
use crate::observed;
use crate::shown::Open;
use events::task::{AllocKind, LaunchFacts, LaunchInfo, Parameter};
use events::{Dim3, ObservedLaunch, ObservedMemory};
use kernels::Kernel;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Memory of which the size is not known gets so much before and behind the place that is pointed to.
const BEFORE: u64 = 32 << 20;
const BEHIND: u64 = 96 << 20;
/// Arrays are so far apart.
const APART: u64 = 1 << 34;
const FIRST: u64 = 1 << 36;

impl Prover<'_> {
    /// Of all `launches` that the host code makes of a kernel: *proved* if each of them is, a *race* if one has one.
    pub fn answer_launched(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launches: &[HostLaunch],
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mut whole = Answer::unasked(&self.linked.kernels[kernel].name, Verdict::Proved);
        // Launches that are made, if the program is started without arguments where that is assumed.
        let mut made = 0;
        let mut first: Option<Verdict> = None;
        for launch in launches {
            let mut answer = self.answer_call(kernel, facts, launch, stop);
            made += 1;
            if let (Verdict::Unknown(_), Some(unasked)) = (&answer.verdict, &launch.unasked) {
                let mut other = self.answer_call(kernel, facts, unasked, stop);
                if !matches!(other.verdict, Verdict::Unknown(_)) {
                    other.assumed.push("the program is started without arguments".to_owned());
                    first = first.or(Some(answer.verdict));
                    made -= usize::from(unasked.concrete.as_ref().is_some_and(Vec::is_empty));
                    answer = other;
                }
            }
            whole.asked += answer.asked;
            whole.open += answer.open;
            whole.assumed.extend(answer.assumed);
            let worse = match (&whole.verdict, &answer.verdict) {
                (Verdict::Race(_), _) | (_, Verdict::Proved) => false,
                (Verdict::Proved, _) | (Verdict::Unknown(_), Verdict::Race(_)) => true,
                (Verdict::Unknown(_), Verdict::Unknown(_)) => false,
            };
            if worse {
                whole.verdict = answer.verdict;
            }
        }
        // Of launches that are not made then nothing is proved.
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

    /// Of a kernel that the host code launches in ways that are not understood: of all launches, and none is tried, as
    /// it may be one that is never made.
    pub fn answer_somehow_launched(
        &mut self,
        kernel: usize,
        facts: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let prepared = self.prepared(kernel, facts);
        let (mut answer, summary) = self.decide_by(kernel, &prepared, facts, stop);
        self.look_around(kernel, &prepared, summary.as_ref(), false, &mut answer, stop);
        if let Verdict::Unknown(doubts) = &mut answer.verdict {
            let why = "how the host code launches it is not understood".to_owned();
            let suggestion =
                Some("say it: --block, --grid, --assume; or show it: `warprace run --facts`".into());
            doubts.insert(0, Doubt { why, lines: None, suggestion });
        }
        answer
    }

    /// Tries launches with arguments of our own: a race of all that are meant, or a reason to doubt.
    fn look_around(
        &mut self,
        kernel: usize,
        told: &Facts,
        summary: Option<&Summary>,
        launched: bool,
        answer: &mut Answer,
        stop: &dyn Fn() -> bool,
    ) {
        let Verdict::Unknown(doubts) = &mut answer.verdict else { return };
        let Some(shown) = self.shown_somehow(kernel, told, summary, stop) else { return };
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

    /// Of one call that launches: by what is known of all its launches, and else of each in numbers.
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
        let mut told = launch.facts.facts(&sizes);
        told.block = facts.block.or(told.block);
        told.grid = facts.grid.or(told.grid);
        told.volatile_weak = facts.volatile_weak;
        told.smt = facts.smt.clone();
        told.relations.extend(facts.relations.iter().cloned());
        // What the user says is of other launches, too.
        let user = facts.block.is_some() || facts.grid.is_some() || !facts.relations.is_empty();
        let concrete: Option<Vec<Stated>> = match &launch.concrete {
            Some(all) if !user => all.iter().map(|c| stated(described, &sizes, c)).collect(),
            _ => None,
        };
        match concrete {
            Some(all) => {
                if all.len() != 1 || all.iter().any(|s| !s.unknown.is_empty()) {
                    let prepared = self.prepared(kernel, &told);
                    let (answer, _) = self.decide_by(kernel, &prepared, &told, stop);
                    if matches!(answer.verdict, Verdict::Proved) {
                        return answer;
                    }
                }
                self.answer_stated(kernel, facts, &all, launch.certain, stop)
            }
            // A launch that is not known in numbers may not be made with those that would show a race, unless it
            // follows from what the program is given.
            None if launch.certain && launch.facts.given() && told.aliases.is_empty() => {
                self.answer(kernel, &told, stop)
            }
            None => {
                let prepared = self.prepared(kernel, &told);
                let (mut answer, summary) = self.decide_by(kernel, &prepared, &told, stop);
                self.look_around(kernel, &prepared, summary.as_ref(), true, &mut answer, stop);
                answer
            }
        }
    }

    /// Of launches in numbers.
    fn answer_stated(
        &mut self,
        kernel: usize,
        asked: &Facts,
        launches: &[Stated],
        certain: bool,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mut whole = Answer::unasked(&self.linked.kernels[kernel].name, Verdict::Proved);
        for stated in launches {
            let answer = self.answer_one_stated(kernel, asked, stated, certain, stop);
            whole.asked += answer.asked;
            whole.open += answer.open;
            whole.assumed.extend(answer.assumed);
            if !matches!(answer.verdict, Verdict::Proved) {
                whole.verdict = answer.verdict;
                break;
            }
        }
        whole
    }

    fn answer_one_stated(
        &mut self,
        kernel: usize,
        asked: &Facts,
        stated: &Stated,
        certain: bool,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let launch = &stated.launch;
        let facts = Facts {
            unknown: stated.unknown.clone(),
            volatile_weak: asked.volatile_weak,
            smt: asked.smt.clone(),
            ..observed::facts(launch)
        };
        let (mut answer, summary) = self.decide_by(kernel, &facts, &facts, stop);
        answer.assumed.extend(stated.apart.clone());
        if matches!(answer.verdict, Verdict::Proved) {
            return answer;
        }
        // Numbers may hide what symbols show: that an index stays below a width, for any width.
        if summary.as_ref().is_some_and(|s| s.unmodelled.is_none()) {
            let (general, _) =
                self.decide_by(kernel, &self.prepared(kernel, &stated.general), &stated.general, stop);
            if matches!(general.verdict, Verdict::Proved) {
                return general;
            }
        }
        let noreturn = |name: &str| self.noreturn.contains(name);
        let deciding = deciding(&self.linked, &self.linked.kernels[kernel], summary.as_ref(), &noreturn);
        let shape = crate::facts::shape(launch);
        // Neither proved nor refuted by one execution if what is not known decides.
        let open = Open { parameters: stated.unknown.clone(), grid: false };
        let decides = stated.unknown.iter().any(|n| deciding.parameters.contains(n));
        if decides || deciding.any_memory || !deciding.arrays.is_empty() {
            let shown = self.shown(kernel, launch, &open, asked.volatile_weak, summary.as_ref(), stop);
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
        if let Some(n) = stated.unknown.iter().find(|n| deciding.parameters.contains(n)) {
            doubt(format!("the value of arg{n} decides, and the host code does not fix it"));
            return answer;
        }
        // Of what memory holds nothing is known, of variables neither.
        if deciding.any_memory || !deciding.arrays.is_empty() {
            doubt("what memory holds decides, and the host code is not asked about that".into());
            return answer;
        }
        match self.execute(kernel, launch, asked.volatile_weak, &deciding, summary.as_ref(), stop) {
            Ok(Some(mut race)) if certain => {
                race.witness.contents = Contents::Zeros;
                answer.verdict = Verdict::Race(Box::new(race));
            }
            Ok(Some(_)) => {
                doubt("it has a race, and whether the host code makes it is not known".into());
            }
            Ok(None) => {
                answer.verdict = Verdict::Proved;
                answer.assumed = held(launch, asked.volatile_weak, &deciding, summary.as_ref());
                answer.assumed.extend(stated.apart.clone());
            }
            Err(why) => doubt(why),
        }
        answer
    }
}

/// A launch of the host code, in the terms of one that a run has made.
struct Stated {
    launch: Arc<ObservedLaunch>,
    /// Parameters that are not known, by index.
    unknown: BTreeSet<u32>,
    /// What is assumed of the memory that is pointed to.
    apart: Vec<String>,
    /// Extents, aliases and signs of numbers: what holds of this launch and of others.
    general: Facts,
}

/// `None` if the host passes something else than the kernel takes.
fn stated(kernel: &Kernel, sizes: &[u64], concrete: &Concrete) -> Option<Stated> {
    let mut memory: Vec<ObservedMemory> = Vec::new();
    let mut starts: Vec<u64> = Vec::new();
    for (n, m) in concrete.memory.iter().enumerate() {
        let base = FIRST + n as u64 * APART;
        let (bytes, start) = match m.bytes {
            Some(bytes) => (bytes, base),
            None => (BEFORE + BEHIND, base + BEFORE),
        };
        if bytes >= APART {
            return None;
        }
        starts.push(start);
        memory.push(ObservedMemory { base, bytes, kind: AllocKind::Device, name: None, contents: None });
    }
    let mut bytes = vec![0u8; kernel.param_bytes as usize];
    let mut unknown = BTreeSet::new();
    let mut parameters = Vec::new();
    let mut arguments = concrete.arguments.iter();
    let mut general = Facts {
        grid: Some(concrete.grid),
        block: Some(concrete.block),
        dynamic_shared: Some(concrete.shared),
        ..Facts::default()
    };
    let mut pointers: Vec<(u32, usize, i128)> = Vec::new();
    for (n, (layout, &size)) in kernel.params.iter().zip(sizes).enumerate() {
        parameters.push(Parameter { offset: layout.offset, bytes: size as u32 });
        let mut known = 0u64;
        let mut covered = 0u64;
        while covered < size {
            let a = arguments.next()?;
            if a.bytes == 0 && a.pieces.is_empty() {
                // Nothing is known of it: not even how much of the parameters it is.
                if covered > 0 {
                    return None;
                }
                covered = size;
                break;
            }
            // A structure may end with a gap.
            let padded = covered == 0 && u64::from(a.bytes) <= size && a.pieces.len() > 1;
            for p in &a.pieces {
                let at = layout.offset as usize + covered as usize + p.offset as usize;
                let value = match p.number {
                    Number::Bits(b) => b,
                    Number::Address(m, offset) => (i128::from(*starts.get(m)?) + offset) as u64,
                };
                let whole = covered == 0 && p.offset == 0 && u64::from(p.bytes) == size;
                match p.number {
                    Number::Address(m, offset) if whole && size == 8 => {
                        if let Some(&(first, _, at)) = pointers.iter().find(|(_, other, _)| *other == m) {
                            general.aliases.insert(n as u32, (first, Some(offset - at)));
                        } else {
                            pointers.push((n as u32, m, offset));
                        }
                    }
                    Number::Bits(b) if whole && matches!(size, 4 | 8) => {
                        let number =
                            if size == 4 { i128::from(b as u32 as i32) } else { i128::from(b as i64) };
                        let (test, bound) = match number {
                            1.. => (Test::Ge, 1),
                            0 => (Test::Ge, 0),
                            _ => (Test::Eq, number),
                        };
                        let name = Expr::Name(Name::Param(format!("arg{n}")));
                        general.relations.push(Relation::new(name, test, Expr::Number(bound)));
                    }
                    _ => {}
                }
                let value = value.to_le_bytes();
                bytes
                    .get_mut(at..at + (p.bytes as usize).min(8))?
                    .copy_from_slice(&value[..(p.bytes as usize).min(8)]);
                known += u64::from(p.bytes);
            }
            covered = if padded { size } else { covered + u64::from(a.bytes) };
        }
        if covered != size {
            return None;
        }
        if known < size {
            unknown.insert(n as u32);
        }
    }
    if arguments.next().is_some() {
        return None;
    }
    let loose = concrete.memory.iter().filter(|m| !m.allocated).count();
    let apart = match loose > 0 && concrete.memory.len() > 1 {
        true => vec![
            "pointers that the host code takes from different places point to different arrays".to_owned(),
        ],
        false => Vec::new(),
    };
    let dim = |d: [u32; 3]| Dim3::new(d[0], d[1], d[2]);
    let info = LaunchInfo {
        kernel: kernel.name.clone(),
        grid: dim(concrete.grid),
        block: dim(concrete.block),
        cluster: kernel.cluster.unwrap_or(Dim3::ONE),
        cooperative: concrete.cooperative,
        shared_bytes: kernel.static_shared + concrete.shared,
        uses: kernel.uses,
    };
    let facts = LaunchFacts { dynamic_shared: concrete.shared, bytes, parameters };
    Some(Stated { launch: Arc::new(ObservedLaunch { info, facts, memory }), unknown, apart, general })
}
