//! What the program loads: images and texts are replaced by instrumented ones.

use super::State;
use super::modules::{Function, ImageId, Loaded};
use super::parts::{Apart, Split};
use crate::assemble::Validation;
use crate::hooks::Code;
use crate::replacement::{self, Image};
use crate::{callers, driver, library, log, proofs, stack};
use compilers::Texts;
use instrument::collide::IN_ORDER;
use instrument::constants;
use instrument::guard;
use instrument::pass::{Instrumented, Pass, Table};
use names::EqualValues;
use std::ffi::c_void;
use validate::{Declared, Fault, validate};

/// The largest text, in bytes, that is validated before it is loaded with checks. `validate` takes about as long as
/// `instrument`, and ptxas many times as long.
const VALIDATED: usize = 1 << 20;

/// Checks that texts with checks are the original ones with harmless additions.
fn validated(originals: &[String], texts: &[String], declared: &Declared) -> Result<(), String> {
    let pairs = originals.iter().zip(texts).filter(|(original, _)| original.len() <= VALIDATED);
    let mut faults = pairs.filter_map(|(original, text)| validate(original, text, declared).err());
    faults.next().map_or(Ok(()), |fault| Err(failed(&fault)))
}

fn failed(fault: &Fault) -> String {
    format!("its text with checks failed validation ({fault}); please report this bug of warprace")
}

impl State {
    /// Returns the id of an image, and the image to load in its place on a device of this compute capability.
    ///
    /// # Safety
    /// That of [`compilers::image::texts`].
    pub(crate) unsafe fn load(&mut self, at: *const c_void, device: u32) -> (ImageId, Option<Image>) {
        self.report.result.uses_cuda = true;
        self.report.dirty = true;
        // SAFETY: the caller's promise.
        let read = log::timed("reading an image's PTX", || unsafe { compilers::image::texts(at, device) });
        let origin = read.is_err().then(|| library::of(at, &callers::callers())).flatten();
        let mut split = None;
        let made = match &read {
            Ok(_) if self.only_saves() => Ok(None),
            Ok(texts) if texts.device_runtime => {
                Err(format!("its kernels may launch kernels: the device runtime has no PTX for sm_{device}"))
            }
            Ok(texts) => {
                split = Split::of(texts, device);
                match &split {
                    Some(split) if !split.has_others() => Ok(None),
                    Some(split) => {
                        self.replace(texts, device, &|kernel| !split.is_apart(kernel), None).map(Some)
                    }
                    None => self.replace(texts, device, &|_| true, None).map(Some),
                }
            }
            Err(why) => Err(why.clone()),
        };
        let (unchecked, image) = match made {
            Ok(image) => (None, image),
            Err(why) => {
                log::note(|| format!("an image is not checked: {why}"));
                (Some(why), None)
            }
        };
        self.ready();
        let read_by = read.as_ref().ok().filter(|_| image.is_some() && self.tells());
        let constants: Vec<_> =
            read_by.iter().flat_map(|texts| &texts.texts).flat_map(|t| constants::read(t)).collect();
        let has_checks = image.is_some() || split.is_some();
        let provable = read.as_ref().ok().filter(|_| has_checks && proofs::are_used()).cloned();
        let texts = read.ok().filter(|_| self.saves());
        let image_id = self.modules.loaded(Loaded { texts, unchecked, origin });
        if let Some(split) = split {
            self.split(image_id, split);
        }
        if let Some(texts) = provable {
            // SAFETY: the caller's promise.
            unsafe { self.brought(image_id, at, &texts, device) };
        }
        self.has_constants(image_id, constants);
        self.report.result.counters.modules += 1;
        self.write(false);
        self.report.writer.start();
        (image_id, image)
    }

    /// Prepares the sink and the table if there is a context already, so that the first launch need not wait
    /// for them.
    pub(super) fn ready(&mut self) {
        if let Some(sink) = self.checks.sink.as_mut().filter(|_| driver::has_context()) {
            log::timed("preparing the device's memory", || {
                // A failure recurs at the launch, which reports it.
                let _ = sink.register();
                // With several devices a table is made only for those that launch a kernel.
                if driver::devices() == 1 {
                    let _ = self.tables.begin();
                }
            });
        }
    }

    /// Returns what to load in the place of these texts, in which the `chosen` kernels have checks. The checks have the
    /// numbers that are set aside for them, if there are enough.
    pub(super) fn replace(
        &mut self,
        texts: &Texts,
        device: u32,
        chosen: &dyn Fn(&str) -> bool,
        apart: Option<Apart>,
    ) -> Result<Image, String> {
        let (of, aside) = apart.map_or((None, None), |apart| (Some(apart.of), apart.aside));
        let made = |state: &mut Self, first| state.instrument(texts, true, chosen, first);
        let (mut first, next) =
            (aside.as_ref().map_or(self.checks.next(), |aside| aside.start), self.checks.next());
        let (mut module, mut declared) = made(self, first)?;
        if aside.is_some_and(|aside| module.checks.len() > aside.len()) {
            first = next;
            (module, declared) = made(self, first)?;
        }
        let whole = of.and_then(|image| self.parts.image(image));
        let valid = || {
            log::timed("validating it", || {
                let parts =
                    whole.into_iter().flat_map(|whole| texts.texts.iter().map(|part| whole.has(part)));
                parts.collect::<Result<(), _>>().map_err(|fault| failed(&fault))?;
                validated(&texts.texts, &module.texts, &declared)
            })
        };
        let of = format!("{declared:?}{}", whole.map_or(0, Split::hash));
        let validation = Validation { ask: &valid, of };
        let image =
            log::timed("making its image", || replacement::image(&module.texts, texts, device, &validation))?;
        stack::loads(&texts.texts, self.options.engine);
        self.take(first, module);
        Ok(image)
    }

    /// What to link in the place of one text; `None` if it has to be linked as it is.
    pub(crate) fn replace_text(&mut self, texts: &Texts) -> Option<String> {
        self.report.result.uses_cuda = true;
        if self.only_saves() {
            return None;
        }
        // Other inputs of the link, and whether they launch kernels, are unknown here.
        let first = self.checks.next();
        let (mut module, declared) = self.instrument(texts, false, &|_| true, first).ok()?;
        validated(&texts.texts, &module.texts, &declared).ok()?;
        let text = module.texts.pop();
        stack::loads(&texts.texts, self.options.engine);
        self.modules.linked(&module);
        self.take(first, module);
        text
    }

    /// Returns texts with checks in the `chosen` kernels, with numbers from `first_check` on, and what their validation
    /// needs.
    fn instrument(
        &mut self,
        texts: &Texts,
        alone: bool,
        chosen: &dyn Fn(&str) -> bool,
        first_check: u32,
    ) -> Result<(Instrumented, Declared), String> {
        let sink = self.sink()?;
        let equal_values = self.options.equal_values == EqualValues::Race;
        let table = || {
            let (address, lines) = self.tables.prepare()?;
            // The launch parameter is used only if the driver can confirm that it exists.
            let asks = !driver::function(c"cuFuncGetParamInfo").is_null();
            let told = alone && asks && !texts.texts.iter().any(|text| guard::launches::launches(text));
            Ok::<_, String>(Table { address, lines, told })
        };
        let pass = Pass::of(self.options.engine, sink, equal_values, table)?
            .ok_or("its engine puts no checks into kernels")?;
        let wanted = |name: &str| chosen(name) && self.options.lets_through(name);
        let sites = &mut self.report.result.sites;
        let module = log::timed("putting checks into its PTX", || {
            Instrumented::of(&texts.texts, alone, &pass, first_check, sites, &wanted)
                .map_err(|e| e.to_string())
        })?;
        let declared = module.declared(&pass, first_check);
        let reserved = matches!(pass, Pass::Guard(..)).then_some(guard::SINK_BYTES);
        self.checks.make_room(first_check + module.checks.len() as u32, reserved)?;
        Ok((module, declared))
    }

    /// Takes over the checks and kernels of an instrumented module, whose first check has this number.
    fn take(&mut self, first_check: u32, module: Instrumented) {
        log::note(|| format!("{} checks in {} kernels", module.checks.len(), module.kernels.len()));
        self.checks.instrumented(first_check, &module, &self.report.result.sites);
        if module.in_order && !self.report.notes.iter().any(|note| note == IN_ORDER) {
            self.report.notes.push(IN_ORDER.into());
        }
        self.modules.instrumented(&module);
        self.proofs.outcomes.instrumented(&module.groups);
        for kernel in &module.kernels {
            self.report.kernel(&kernel.name).has_line_info |= kernel.has_line_info;
        }
        let left_out = module.left_out.into_iter().map(|(kernel, why)| (kernel, why.to_owned()));
        self.report.left_out.extend(left_out);
    }

    /// Records that the driver refused an instrumented image.
    pub(crate) fn refused(&mut self, image: ImageId, code: Code) {
        self.modules.not_checked(image, format!("the driver refused it with checks (error {code})"));
    }

    /// Returns the address of the sink, which the first call creates.
    pub(super) fn sink(&mut self) -> Result<u64, String> {
        let (folder, pid, begun) = (&self.options.results, self.report.result.pid, self.begun);
        self.checks.sink_at(|| folder.join(format!("{pid}-{begun:x}.sink")))
    }

    /// Associates a handle of a module or library with an image.
    pub(crate) fn named(&mut self, handle: usize, image: ImageId) {
        self.modules.named(handle, image);
    }

    pub(crate) fn image_of(&self, handle: usize) -> Option<ImageId> {
        self.modules.image_of(handle)
    }

    /// Associates a handle with a kernel. The driver gives the handle of an unloaded kernel to another one.
    pub(crate) fn function(&mut self, handle: usize, function: Function) {
        if self.modules.functions.get(&handle).is_some_and(|known| !known.is_same(&function)) {
            self.parts.forget(handle);
            self.proofs.forget_kernel(handle);
            self.order.forget_kernel(handle);
            self.constants.forget(handle);
            self.machine_code.forget(handle);
        }
        self.modules.functions.insert(handle, function);
    }

    pub(crate) fn function_of(&self, handle: usize) -> Option<Function> {
        self.modules.functions.get(&handle).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::SiteTable;
    use instrument::collide;

    #[test]
    fn a_text_that_its_checks_have_changed_is_not_loaded() {
        let original = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [p];
ld.global.u32 %r1, [%rd1];
red.global.add.u32 [%rd1+4], %r1;
ret;
}
";
        let pass = Pass::Collide(collide::Options::balanced(1 << 40));
        let originals = [original.to_owned()];
        let mut module =
            Instrumented::of(&originals, true, &pass, 0, &mut SiteTable::default(), &|_| true).unwrap();
        let declared = module.declared(&pass, 0);
        assert_eq!(validated(&originals, &module.texts, &declared), Ok(()));
        let changed = module.texts[0].replace("red.global.add.u32 [%rd1+4]", "red.global.add.u32 [%rd1+8]");
        module.texts = vec![changed];
        let why = validated(&originals, &module.texts, &declared).unwrap_err();
        assert!(why.contains("failed validation (line ") && why.contains("please report"), "{why}");
    }
}
