//! What the texts of an image have in common: their functions may call each other.
//!
//! With `-rdc=true` a file's functions are visible to other files, and the image has a text for each file. If
//! nothing but these texts is linked, their functions receive the thread's state from all of their callers,
//! whatever text those are in, as the functions of a single text do ([`super::called`]). All functions that
//! exchange the state must agree on its layout, hence on the properties that determine it.

use super::called::{self, Calls};
use super::order::{is_partial, known};
use super::properties::Properties;
use super::{Options, emit};
use kernels::effects::{Place, effects};
use ptx::ast::{FunctionKind, Item, Linkage, Module};
use ptx::flat::{Flat, flatten};
use ptx::op::{MemSpace, Op};
use std::collections::BTreeSet;
use validate::Linked;

/// The texts of an image.
pub struct Image<'m> {
    /// Whether functions with a body receive the thread's state.
    pub(super) told: bool,
    /// The functions that receive the state, if `told`.
    pub(super) functions: Vec<Flat<'m>>,
    /// The properties common to all functions that exchange the state.
    pub(super) everywhere: Option<Properties>,
    /// Whether some text has barriers of some threads, and whether threads of some text may access the shared memory of
    /// other blocks.
    pub(super) meetings: bool,
    pub(super) clusters: bool,
    /// The visible functions that receive the state.
    visible: BTreeSet<String>,
}

impl<'m> Image<'m> {
    /// Examines the texts of an image, each with what the parser has made of it. `closed` says that no other text is
    /// linked to them.
    pub fn of(
        texts: &'m [(Module, &str)],
        closed: bool,
        options: &Options,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Image<'m> {
        let told = options.table.is_some() && called::may_be_told(texts, closed, wanted);
        // Most texts do not contain these words.
        let meetings = texts.iter().any(|(module, text)| text.contains("bar") && partial(module));
        let far = |text: &str| text.contains("mapa") || text.contains("::cluster");
        let clusters = texts.iter().any(|(module, text)| far(text) && reaches_others(module));
        let all = |kind: FunctionKind| {
            texts.iter().flat_map(|(module, _)| &module.items).filter_map(move |item| match item {
                Item::Function(f) if f.kind == kind && f.body.is_some() => Some(f),
                _ => None,
            })
        };
        let functions: Vec<Flat<'m>> = all(FunctionKind::Func).filter(|_| told).map(flatten).collect();
        let shared = all(FunctionKind::Func).filter(|f| told && f.linkage != Linkage::None);
        let visible = shared.map(|f| f.name.text.to_string()).collect();
        let mut out = Image { told, functions, everywhere: None, meetings, clusters, visible };
        // Kernels and the functions that they call share one notion of time.
        if let Some((module, _)) = texts.first().filter(|_| !out.functions.is_empty()) {
            let calls = Calls::of(module, told, None);
            let kernels: Vec<Flat<'_>> = all(FunctionKind::Entry).map(flatten).collect();
            let known = known(&out.functions.iter().chain(&kernels).collect::<Vec<_>>(), &calls);
            out.everywhere = Some(out.in_image(known));
        }
        out
    }

    /// Adds the image's properties to those of a kernel.
    pub(super) fn in_image(&self, known: Properties) -> Properties {
        Properties { module_meets: self.meetings, clusters: self.clusters, ..known }
    }

    /// Returns what the validation of each text needs to know of the others; `None` if functions do not receive the state.
    pub fn linked(&self, options: &Options) -> Option<Linked> {
        let known = self.everywhere?;
        let bytes = 8 * emit::kept(options, known).len() as u64;
        Some(Linked { functions: self.visible.clone(), bytes })
    }
}

/// Returns whether the module has barriers of some threads.
fn partial(module: &Module) -> bool {
    module.items.iter().any(|item| match item {
        Item::Function(function) if function.body.is_some() => {
            let flat = flatten(function);
            flat.instructions.iter().any(|inst| is_partial(&flat, inst))
        }
        _ => false,
    })
}

/// Returns whether its threads may access the shared memory of other blocks. Such addresses come from `mapa`.
fn reaches_others(module: &Module) -> bool {
    module.items.iter().any(|item| match item {
        Item::Function(function) if function.body.is_some() => {
            let flat = flatten(function);
            flat.instructions.iter().any(|inst| {
                let Ok(op) = &inst.op else { return false };
                let there = Place::Memory(MemSpace::SharedCluster);
                matches!(op, Op::Mapa { .. })
                    || effects(op, &inst.args).touches.iter().any(|touch| touch.place == there)
            })
        }
        _ => false,
    })
}
