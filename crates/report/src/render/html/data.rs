//! The data of the page's script.
//!
//! **Size:** a type for each table of the page, and its one builder.

use super::super::name;
use crate::advice::{self, Way};
use crate::dialect::Dialect;
use crate::model::history::{Campaign, History};
use crate::model::interleaving::{Interleaving, Kind};
use crate::model::pipeline::Pipeline;
use crate::model::{Access, Described, Document, Failure, Kernel, Member, Program, Summary, WeakExecution};
use crate::proof::Proof;
use crate::rule::{page, rule};
use crate::source::{Sources, span};
use crate::suppress::{Compared, Suppressed, Use};
use crate::text::evidence;
use crate::within;
use events::{Class, Level};
use names::symbol::abridged;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The maximum number of a finding's other pairs of instructions that are shown.
const MEMBERS: usize = 40;
/// The number of lines of a long file that are shown around a named line.
const AROUND: u32 = 12;
/// A file of at most so many lines is there as a whole.
const WHOLE: usize = 1500;

#[derive(Debug, Serialize)]
pub(super) struct Data<'a> {
    version: &'static str,
    runs: Vec<RunData<'a>>,
    findings: Vec<Finding<'a>>,
    /// The meaning of each class.
    rules: BTreeMap<&'static str, RuleData>,
    /// Files by the index of [`Texts`].
    files: BTreeMap<usize, Vec<Chunk>>,
    texts: Vec<String>,
}

#[derive(Debug, Serialize)]
struct RunData<'a> {
    name: &'a str,
    verdict: &'static str,
    program: &'a Program,
    summary: &'a Summary,
    kernels: &'a [Kernel],
    inconclusive: &'a [String],
    limits: &'a [String],
    /// Values of executions with weak memory, a line each.
    weak: Vec<String>,
    errors: Vec<ErrorData<'a>>,
    suppressions: &'a [Use],
    warnings: &'a [String],
    baseline: Option<&'a Compared>,
    proofs: &'a [Proof],
    #[serde(skip_serializing_if = "Option::is_none")]
    campaign: Option<&'a Campaign>,
}

#[derive(Debug, Serialize)]
struct ErrorData<'a> {
    #[serde(flatten)]
    failure: &'a Failure,
    /// The place, as shown.
    place: String,
}

#[derive(Debug, Serialize)]
struct RuleData {
    summary: &'static str,
    page: &'static str,
}

/// Successive lines of a file; `from` counts from 1.
#[derive(Debug, Serialize)]
struct Chunk {
    from: u32,
    lines: Vec<String>,
}

/// Numbers are indices into the texts.
#[derive(Debug, Serialize)]
struct Finding<'a> {
    run: usize,
    level: Level,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<String>,
    class: Class,
    id: &'a str,
    title: usize,
    memory: usize,
    offset: u64,
    bytes: Option<u64>,
    /// The same of all findings in one allocation or variable.
    place: usize,
    space: &'a str,
    count: u64,
    seen: usize,
    /// The test and the NVTX ranges: a name and a text each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<(&'static str, usize)>,
    accesses: [Side; 2],
    why: usize,
    /// The address of its class's page; left out if it is not known.
    #[serde(skip_serializing_if = "str::is_empty")]
    page: &'a str,
    /// In words, and as values whose places name files as everything else does.
    ways: Vec<(usize, Value)>,
    replay: usize,
    also: Vec<Other>,
    more: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    story: Option<Story>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<&'a Pipeline>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<&'a History>,
}

/// The threads' actions around a finding.
#[derive(Debug, Serialize)]
struct Story {
    /// The thread, and its kernel.
    lanes: Vec<(usize, usize)>,
    steps: Vec<Moment>,
}

/// A field is absent if it has no value.
#[derive(Debug, Serialize)]
struct Moment {
    lane: usize,
    kind: Kind,
    what: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<(usize, u32)>,
    #[serde(skip_serializing_if = "is_one")]
    times: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<u8>,
    /// The values read and written, as text: JavaScript has no numbers of 64 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    together: bool,
    #[serde(skip_serializing_if = "is_none")]
    skipped: u64,
}

const fn is_one(n: &u64) -> bool {
    *n == 1
}

const fn is_none(n: &u64) -> bool {
    *n == 0
}

#[derive(Debug, Serialize)]
struct Side {
    /// The file as shown; its lines have the same number.
    file: usize,
    line: u32,
    /// Columns to mark, in UTF-16 units from 0: none if the source is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<(u32, u32)>,
    function: usize,
    kernel: usize,
    kind: usize,
    size: u32,
    offset: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extent: Option<[u32; 3]>,
    who: usize,
    what: usize,
    instruction: usize,
    ptx_line: u32,
    /// File, line and function, innermost first; empty if the access is in no inlined function.
    inlined: Vec<(usize, u32, usize)>,
}

/// Another pair of instructions of the finding.
#[derive(Debug, Serialize)]
struct Other {
    class: Class,
    count: u64,
    memory: usize,
    accesses: [Side; 2],
}

/// Each text once.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<String>,
    known: HashMap<String, usize>,
}

impl Texts {
    fn add(&mut self, text: &str) -> usize {
        if let Some(&at) = self.known.get(text) {
            return at;
        }
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}

/// Collects what the findings name.
struct Builder<'a> {
    sources: &'a Sources,
    texts: Texts,
    /// The shown name of each path.
    shown: HashMap<String, usize>,
    /// The path of each file whose lines are needed, and which.
    needed: BTreeMap<usize, (String, BTreeSet<u32>)>,
    /// Places of accesses are asked for again and again.
    spans: HashMap<(usize, u32, u32), Option<(u32, u32)>>,
}

impl<'a> Data<'a> {
    pub(super) fn new(documents: &'a [Document], sources: &'a Sources) -> Self {
        let mut builder = Builder {
            sources,
            texts: Texts::default(),
            shown: HashMap::new(),
            needed: BTreeMap::new(),
            spans: HashMap::new(),
        };
        let mut findings = Vec::new();
        for (run, d) in documents.iter().enumerate() {
            findings.extend(d.races.iter().map(|f| builder.finding(run, Level::Race, f, None)));
            findings.extend(d.hazards.iter().map(|f| builder.finding(run, Level::Hazard, f, None)));
            let unseen = d.unseen_launches.iter();
            findings.extend(unseen.map(|f| builder.finding(run, Level::UnseenLaunch, f, None)));
            let kept = d.suppressed.iter().map(|s| builder.finding(run, s.level, &s.finding, Some(s)));
            findings.extend(kept);
        }
        let runs = documents.iter().map(|d| builder.run(name(d), d)).collect();
        let classes: BTreeSet<Class> = findings.iter().map(|f| f.class).collect();
        let rules = classes
            .into_iter()
            .map(|class| (class.name(), RuleData { summary: rule(class).summary, page: page(class) }));
        let rules = rules.collect();
        let files = builder.files();
        Data { version: env!("CARGO_PKG_VERSION"), runs, findings, rules, files, texts: builder.texts.all }
    }
}

impl<'a> Builder<'a> {
    fn run(&self, name: &'a str, d: &'a Document) -> RunData<'a> {
        let place = |failure: &Failure| match failure.at.as_ref().filter(|at| at.line > 0) {
            Some(at) => format!("{}:{}", self.sources.display(&at.file), at.line),
            None => String::new(),
        };
        RunData {
            name,
            verdict: d.verdict.name(),
            program: &d.program,
            summary: &d.summary,
            kernels: &d.kernels,
            inconclusive: &d.inconclusive,
            limits: &d.limits,
            weak: d.weak.iter().map(|w| self.weak(w)).collect(),
            errors: d.errors.iter().map(|failure| ErrorData { failure, place: place(failure) }).collect(),
            suppressions: &d.suppressions,
            warnings: &d.warnings,
            baseline: d.baseline.as_ref(),
            proofs: &d.proofs,
            campaign: d.campaign.as_ref(),
        }
    }

    /// Returns the access and the write that it did not respect, with their places.
    fn weak(&self, w: &WeakExecution) -> String {
        let place = |access: &Access| format!("{}:{}", self.sources.display(&access.file), access.line);
        let [first, second] = &w.accesses;
        format!(
            "{}: {} {} at {}, {} {} at {}; {}",
            w.title,
            first.who,
            first.what,
            place(first),
            second.who,
            second.what,
            place(second),
            w.replay
        )
    }

    fn finding(
        &mut self,
        run: usize,
        level: Level,
        f: &'a Described,
        kept: Option<&Suppressed>,
    ) -> Finding<'a> {
        Finding {
            run,
            level,
            suppressed: kept.map(|s| s.by.text()),
            class: f.class,
            id: &f.id,
            title: self.texts.add(&f.title),
            memory: self.texts.add(&f.memory.text),
            offset: f.memory.offset,
            bytes: f.memory.bytes,
            space: &f.space,
            count: f.count,
            seen: self.texts.add(&evidence(f)),
            within: within::notes(f).into_iter().map(|(name, note)| (name, self.texts.add(&note))).collect(),
            accesses: f.accesses.each_ref().map(|access| self.side(access)),
            why: self.texts.add(&f.why),
            page: &f.page,
            ways: f
                .advice
                .iter()
                .map(|way| {
                    let text = advice::help(std::slice::from_ref(way));
                    let dialect = Dialect::of(&f.accesses);
                    (self.texts.add(&dialect.spoken(text)), self.way(way, dialect))
                })
                .collect(),
            replay: self.texts.add(&f.replay),
            also: f.also.iter().take(MEMBERS).map(|member| self.other(member)).collect(),
            more: f.also.len().saturating_sub(MEMBERS),
            place: self.place(run, f),
            pipeline: f.pipeline.as_ref(),
            history: f.history.as_ref(),
            story: f.interleaving.as_ref().map(|story| self.story(story)),
        }
    }

    /// Allocations of one call have the same name: their addresses tell them apart. Shared memory is its kernel's.
    fn place(&mut self, run: usize, f: &Described) -> usize {
        let of = match f.memory.base {
            Some(base) => format!("{base:#x}"),
            None => f.accesses[0].kernel.clone(),
        };
        self.texts.add(&format!("{run} {} {of}", f.memory.text))
    }

    fn story(&mut self, story: &Interleaving) -> Story {
        let lanes = story.lanes.iter();
        let lanes = lanes.map(|lane| (self.texts.add(&lane.who), self.texts.add(&abridged(&lane.kernel))));
        let lanes = lanes.collect();
        let steps = story.steps.iter().map(|step| Moment {
            lane: step.lane,
            kind: step.kind,
            what: self.texts.add(&step.what),
            memory: (!step.memory.is_empty()).then(|| self.texts.add(&step.memory)),
            at: (step.line > 0).then(|| {
                let file = self.file(&step.file);
                self.need(file, &step.file, step.line);
                (file, step.line)
            }),
            times: step.times,
            side: step.side,
            read: step.read.map(|value| value.to_string()),
            written: step.written.map(|value| value.to_string()),
            from: step.from,
            together: step.together,
            skipped: step.skipped,
        });
        Story { lanes, steps: steps.collect() }
    }

    fn way(&mut self, way: &Way, dialect: Dialect) -> Value {
        let mut value = serde_json::to_value(&way.steps).expect("plain data");
        dialect.write(&way.steps, &mut value);
        self.places(&mut value);
        value
    }

    /// In all places of the value: the file's text in place of its path.
    fn places(&mut self, value: &mut Value) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(|value| self.places(value)),
            Value::Object(map) if map.contains_key("role") => {
                map.remove("instruction");
                let path = map.remove("file").and_then(|file| Some(file.as_str()?.to_owned()));
                if let Some(path) = path {
                    let file = self.file(&path);
                    let line = map.get("line").and_then(Value::as_u64).unwrap_or(0) as u32;
                    self.need(file, &path, line);
                    let branch = map.get("branch").and_then(Value::as_u64).unwrap_or(0) as u32;
                    self.need(file, &path, branch);
                    map.insert("file".into(), file.into());
                }
            }
            Value::Object(map) => map.values_mut().for_each(|value| self.places(value)),
            _ => {}
        }
    }

    /// The line's text is to be there.
    fn need(&mut self, file: usize, path: &str, line: u32) {
        if line > 0 {
            self.needed.entry(file).or_insert_with(|| (path.to_owned(), BTreeSet::new())).1.insert(line);
        }
    }

    fn other(&mut self, member: &Member) -> Other {
        Other {
            class: member.class,
            count: member.count,
            memory: self.texts.add(&member.memory),
            accesses: member.accesses.each_ref().map(|access| self.side(access)),
        }
    }

    fn side(&mut self, a: &Access) -> Side {
        let file = self.file(&a.file);
        self.need(file, &a.file, a.line);
        // The first frame is the access itself: a chain of one says nothing new.
        let chain = if a.inlined.len() > 1 { &a.inlined[..] } else { &[] };
        Side {
            file,
            line: a.line,
            span: self.span(file, a),
            function: self.texts.add(&abridged(&a.function)),
            kernel: self.texts.add(&abridged(&a.kernel)),
            kind: self.texts.add(&a.kind),
            size: a.size,
            offset: a.offset,
            block: a.block,
            thread: a.thread,
            grid: a.grid,
            extent: a.extent,
            who: self.texts.add(&a.who),
            what: self.texts.add(&a.what),
            instruction: self.texts.add(&a.instruction),
            ptx_line: a.ptx_line,
            inlined: chain
                .iter()
                .map(|frame| (self.file(&frame.file), frame.line, self.texts.add(&abridged(&frame.function))))
                .collect(),
        }
    }

    fn file(&mut self, path: &str) -> usize {
        if let Some(&at) = self.shown.get(path) {
            return at;
        }
        let at = self.texts.add(&self.sources.display(path));
        self.shown.insert(path.to_owned(), at);
        at
    }

    fn span(&mut self, file: usize, a: &Access) -> Option<(u32, u32)> {
        let sources = self.sources;
        *self.spans.entry((file, a.line, a.column)).or_insert_with(|| {
            let text = sources.text(&a.file)?;
            let range = span(&text, a.line, a.column)?;
            let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            let units = |to: usize| text[line..to].encode_utf16().count() as u32;
            Some((units(range.start), units(range.end)))
        })
    }

    /// The lines of files that are needed, with what is around them.
    fn files(&self) -> BTreeMap<usize, Vec<Chunk>> {
        let mut out = BTreeMap::new();
        for (at, (path, lines)) in &self.needed {
            let Some(text) = self.sources.text(path) else { continue };
            let all: Vec<&str> = text.lines().collect();
            let last = all.len() as u32;
            let chunk = |from: u32, to: u32| Chunk {
                from,
                lines: all[from as usize - 1..to as usize].iter().map(|line| (*line).to_owned()).collect(),
            };
            if all.is_empty() {
                continue;
            }
            let mut ranges: Vec<(u32, u32)> = Vec::new();
            if all.len() <= WHOLE {
                ranges.push((1, last));
            } else {
                for &line in lines.iter().filter(|line| **line <= last) {
                    let (from, to) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(last));
                    match ranges.last_mut() {
                        Some(range) if from <= range.1 + 1 => range.1 = to,
                        _ => ranges.push((from, to)),
                    }
                }
            }
            out.insert(*at, ranges.into_iter().map(|(from, to)| chunk(from, to)).collect());
        }
        out
    }
}
