//! The pass of an engine, chosen from its name, and what the pass makes of all texts of an image.

use crate::Error;
use crate::both;
use crate::collide::{self, Check, Collided, KINDS, Kernel, Unchecked, suitable};
use crate::guard::groups::Groups;
use crate::guard::image::Image;
use crate::guard::launches::Launched;
use crate::guard::{self, Guarded};
use crate::prune::Pruned;
use crate::sink::RECORD;
use events::SiteTable;
use names::Engine;
use ptx::ast::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use validate::{Declared, Linked};

/// The table of [`guard`], and whether launches have a launch parameter.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its address; `None` if each launch receives it.
    pub address: Option<u64>,
    /// The logarithm of its number of lines.
    pub lines: u32,
    /// Whether the host passes each launch a launch parameter ([`guard::launches`]).
    pub told: bool,
}

/// The checks to insert.
#[derive(Clone, Debug)]
pub enum Pass {
    Collide(collide::Options),
    /// Checks of `guard`, together with those of `collide` if the second field has options.
    Guard(guard::Options, Option<collide::Options>),
}

impl Pass {
    /// Chooses the pass of an engine whose kernels write their records to `sink`; `None` for engines that
    /// insert nothing. `table` is asked for the table if there is to be one.
    pub fn of<E>(
        engine: Engine,
        sink: u64,
        equal_values: bool,
        table: impl FnOnce() -> Result<Table, E>,
    ) -> Result<Option<Pass>, E> {
        let judged = |options| collide::Options { equal_values, ..options };
        if !matches!(engine, Engine::Guard { .. }) {
            return Ok(collide::Options::of(engine, sink).map(judged).map(Pass::Collide));
        }
        let Table { address, lines, told } = table()?;
        let prune = engine.prunes();
        let guarding =
            guard::Options { sink, table: address, lines, exchange: true, told, first_check: 0, prune };
        Ok(Some(Pass::Guard(guarding, collide::Options::beside(engine, sink).map(judged))))
    }

    /// Returns the memory and the exceptions of a text with this pass, for its validation. `checks` is the number
    /// of checks of the process, those of the text included.
    pub fn declared(&self, checks: u32) -> Declared {
        match self {
            Pass::Collide(options) => {
                let bytes = u64::from(checks) * u64::from(KINDS) * RECORD;
                let sink = options.sink..options.sink + bytes;
                Declared {
                    memory: vec![sink],
                    passed: 0,
                    renames: options.shuffle.is_some(),
                    traps: options.trap,
                    linked: None,
                }
            }
            Pass::Guard(options, _) => {
                let bytes = guard::table_bytes(options.lines);
                let table = options.table.map(|table| table..table + bytes);
                // Checks of pending copies have their number from memory.
                let sink = options.sink..options.sink + guard::SINK_BYTES;
                Declared {
                    memory: [sink].into_iter().chain(table).collect(),
                    passed: if options.table.is_none() { bytes } else { 0 },
                    renames: false,
                    traps: false,
                    linked: None,
                }
            }
        }
    }
}

/// The instrumented texts of an image, and what was inserted in them.
#[derive(Debug, Default)]
pub struct Instrumented {
    pub texts: Vec<String>,
    pub checks: Vec<Check>,
    pub kernels: Vec<Kernel>,
    pub unchecked: BTreeMap<Unchecked, u32>,
    pub pruned: Pruned,
    /// Whether blocks should have been renamed and were not.
    pub in_order: bool,
    /// Kernels with the additional launch parameter, by name.
    pub launched: Vec<(String, Launched)>,
    /// The checks that single launches of kernels can leave out, by name.
    pub groups: Vec<(String, Groups)>,
    /// Kernels of engine `collide`, each with the number of its parameters if it synchronises with the host
    /// by launch and end only.
    pub quiet: Vec<(String, Option<u32>)>,
    /// Kernels without checks, and the reasons.
    pub left_out: Vec<(String, &'static str)>,
    /// What texts whose functions exchange the thread's state have in common.
    linked: Option<Linked>,
}

impl Instrumented {
    /// Instruments all texts of an image. Their checks are numbered from `first_check` on. `closed` says that no other
    /// text is linked to them.
    pub fn of(
        texts: &[String],
        closed: bool,
        pass: &Pass,
        first_check: u32,
        sites: &mut SiteTable,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Instrumented, Error> {
        let mut out = Instrumented::default();
        match pass {
            Pass::Collide(options) => {
                let texts = parsed(texts)?;
                let reached = closed.then(|| reached(&texts));
                for text in &texts {
                    let first_check = first_check + out.checks.len() as u32;
                    let options =
                        collide::Options { first_check, reached: reached.clone(), ..options.clone() };
                    let collided = collide::text_of(text, &options, sites, wanted);
                    out.in_order |= options.shuffle.is_some() && !collided.shuffled;
                    out.collided(collided);
                }
            }
            Pass::Guard(options, beside) => {
                let texts = parsed(texts)?;
                let reached = (closed && beside.is_some()).then(|| reached(&texts));
                let image = Image::of(&texts, closed, options, wanted);
                out.linked = image.linked(options);
                for text in &texts {
                    let first_check = first_check + out.checks.len() as u32;
                    let options = guard::Options { first_check, ..options.clone() };
                    out.guarded(match beside {
                        None => guard::text_of(text, &image, &options, sites, wanted)?,
                        Some(beside) => {
                            let beside = collide::Options { reached: reached.clone(), ..beside.clone() };
                            both::text_of(text, &image, &options, &beside, sites, wanted)?
                        }
                    });
                }
            }
        }
        Ok(out)
    }

    /// Returns the memory and the exceptions of each text, for its validation. `pass` and `first_check` are those that the
    /// texts were made with.
    pub fn declared(&self, pass: &Pass, first_check: u32) -> Declared {
        let declared = pass.declared(first_check + self.checks.len() as u32);
        Declared { linked: self.linked.clone(), ..declared }
    }

    fn collided(&mut self, module: Collided) {
        let Collided { text, checks, kernels, unchecked, pruned, shuffled: _, quiet } = module;
        self.quiet.extend(kernels.iter().map(|k| (k.name.clone(), quiet.get(&k.name).copied())));
        self.add(text, checks, kernels, pruned);
        self.count(unchecked);
    }

    fn guarded(&mut self, module: Guarded) {
        let Guarded { text, checks, kernels, unchecked, pruned, left_out, launched, groups } = module;
        self.launched.extend(launched);
        self.groups.extend(groups);
        self.left_out.extend(left_out);
        self.add(text, checks, kernels, pruned);
        self.count(unchecked);
    }

    fn add(&mut self, text: String, checks: Vec<Check>, kernels: Vec<Kernel>, pruned: Pruned) {
        self.texts.push(text);
        self.checks.extend(checks);
        self.kernels.extend(kernels);
        self.pruned.add(pruned);
    }

    fn count(&mut self, unchecked: BTreeMap<Unchecked, u32>) {
        for (why, count) in unchecked {
            *self.unchecked.entry(why).or_default() += count;
        }
    }
}

/// Returns the texts, each with what the parser has made of it.
fn parsed(texts: &[String]) -> Result<Vec<(Module, &str)>, Error> {
    texts.iter().map(|text| Ok((suitable(text)?, text.as_str()))).collect()
}

/// Returns the names that the kernels of the texts reach.
fn reached(texts: &[(Module, &str)]) -> Arc<BTreeSet<String>> {
    Arc::new(crate::reached::reached(texts.iter().map(|(module, _)| module)))
}
