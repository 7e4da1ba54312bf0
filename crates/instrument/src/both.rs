//! Engines `guard` and `collide` in one kernel.
//!
//! Both passes read the same text and insert into it, so neither instruments the other's insertions. Around
//! an access the checks of [`collide`] are the inner ones: no slow code of [`guard`] lies between the access
//! and its second read, and [`guard`] records the access before all delays. Blocks that [`collide`] does not
//! check execute the text that [`guard`] alone produces.

use crate::Error;
use crate::collide::{self, Check, suitable};
use crate::edit::Edits;
use crate::guard::image::Image;
use crate::guard::{self, CHECKS, Guarded};
use crate::sample::Plain;
use events::{SiteId, SiteTable};
use ptx::ast::Module;
use std::collections::HashMap;

/// Instruments a module by both passes. The checks of `guard` come first, then those of `collide`, regardless
/// of the number in `colliding`; all other attributes of the module are those of `guard`. Blocks are not
/// shuffled.
pub fn both(
    text: &str,
    guarding: &guard::Options,
    colliding: &collide::Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Guarded, Error> {
    let texts = [(suitable(text)?, text)];
    let image = Image::of(&texts, false, guarding, wanted);
    text_of(&texts[0], &image, guarding, colliding, sites, wanted)
}

/// Instruments a text of an image by both passes.
pub(crate) fn text_of(
    whole: &(Module, &str),
    image: &Image<'_>,
    guarding: &guard::Options,
    colliding: &collide::Options,
    sites: &mut SiteTable,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Guarded, Error> {
    let (module, text) = whole;
    let before = sites.len();
    let mut outer = Edits::new(text);
    let mut out = guard::into(whole, image, guarding, sites, wanted, &mut outer)?;
    let outer = outer.settle();
    let options = collide::Options {
        first_check: guarding.first_check + out.checks.len() as u32,
        shuffle: None,
        ..colliding.clone()
    };
    let (mut inner, mut own) = (Edits::new(text), SiteTable::default());
    let collided =
        collide::into(module, text, &options, &mut own, wanted, &Plain::Edited(&outer), &mut inner);
    let mut known = Known::of(sites, before);
    let checks = collided.checks.into_iter();
    out.checks.extend(checks.map(|check| Check { site: known.site(check.site, &own, sites), ..check }));
    if guarding.first_check as usize + out.checks.len() > CHECKS as usize {
        return Err(Error::TooMany(CHECKS));
    }
    out.text = outer.unsettle().around(inner).finish();
    Ok(out)
}

/// The sites of a module, by function and position in the text.
struct Known(HashMap<(String, u32, String), SiteId>);

impl Known {
    /// Returns the sites from number `first` on.
    fn of(sites: &SiteTable, first: usize) -> Known {
        let of_module = sites.iter().skip(first);
        Known(of_module.map(|(id, s)| ((s.function.clone(), s.ptx_line, s.text.clone()), id)).collect())
    }

    /// Returns the number in `sites` of a site of `own`.
    fn site(&mut self, id: SiteId, own: &SiteTable, sites: &mut SiteTable) -> SiteId {
        let Some(site) = own.get(id) else { return id };
        let key = (site.function.clone(), site.ptx_line, site.text.clone());
        *self.0.entry(key).or_insert_with(|| sites.push(site.clone()))
    }
}
