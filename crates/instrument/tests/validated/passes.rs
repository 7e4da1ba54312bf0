//! Every pass on a text, with what it declares.

use events::SiteTable;
use instrument::collide::Options;
use instrument::guard::{self, FEWEST};
use instrument::pass::{Instrumented, Pass};
use validate::{Declared, Extent, Fault};

const SINK: u64 = 0x3000_0000_0000;
const TABLE: u64 = 0x6000_0000_0000;

/// A text with checks, and what is declared of them.
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) original: String,
    pub(crate) text: String,
    pub(crate) declared: Declared,
}

impl Made {
    pub(crate) fn validate(&self) -> Result<Extent, Fault> {
        validate::validate(&self.original, &self.text, &self.declared)
    }
}

fn guarding(table: Option<u64>, told: bool, prune: bool) -> guard::Options {
    guard::Options { sink: SINK, table, lines: FEWEST, exchange: true, told, first_check: 0, prune }
}

/// Returns every kind of pass, by name.
pub(crate) fn passes() -> Vec<(String, Pass)> {
    let mut all = Vec::new();
    for preset in ["fastest", "balanced", "sampled", "patient"] {
        let options = Options::preset(preset, SINK).unwrap();
        for prune in [true, false] {
            let options = Options { prune, ..options.clone() };
            all.push((format!("collide:{preset}:{prune}"), Pass::Collide(options.clone())));
            let beside = Pass::Guard(guarding(Some(TABLE), true, prune), Some(options.clone()));
            all.push((format!("guard,collide:{preset}:{prune}"), beside));
        }
        let shuffled = Options { shuffle: Some(7), trap: true, equal_values: true, ..options };
        all.push((format!("collide:{preset}:shuffle:trap"), Pass::Collide(shuffled)));
    }
    for (table, told) in [(Some(TABLE), true), (Some(TABLE), false), (None, true)] {
        for prune in [true, false] {
            let name = format!("guard:{}:{told}:{prune}", table.is_some());
            all.push((name, Pass::Guard(guarding(table, told, prune), None)));
        }
    }
    all
}

/// Returns the text with a pass; `None` if the pass does not take it.
pub(crate) fn made(original: &str, (name, pass): &(String, Pass)) -> Option<Made> {
    let texts = [original.to_owned()];
    let mut made = Instrumented::of(&texts, true, pass, 0, &mut SiteTable::default(), &|_| true).ok()?;
    let declared = made.declared(pass, 0);
    let text = made.texts.pop()?;
    Some(Made { name: name.clone(), original: original.to_owned(), text, declared })
}
