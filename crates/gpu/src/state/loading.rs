//! What the program loads: images and texts are replaced by instrumented ones.

use super::State;
use super::modules::{Function, ImageId, Loaded};
use crate::hooks::Code;
use crate::replacement::{self, Image};
use crate::{callers, driver, library, log, stack};
use compilers::Texts;
use instrument::collide::IN_ORDER;
use instrument::constants;
use instrument::guard;
use instrument::pass::{Instrumented, Pass, Table};
use names::EqualValues;
use std::ffi::c_void;
use validate::{Declared, validate};

/// The largest text, in bytes, that is validated before it is loaded with checks. `validate` takes about as long as
/// `instrument`, and ptxas many times as long.
const VALIDATED: usize = 1 << 20;

/// Checks that texts with checks are the original ones with harmless additions.
fn validated(originals: &[String], texts: &[String], declared: &Declared) -> Result<(), String> {
    let pairs = originals.iter().zip(texts).filter(|(original, _)| original.len() <= VALIDATED);
    let mut faults = pairs.filter_map(|(original, text)| validate(original, text, declared).err());
    faults.next().map_or(Ok(()), |fault| {
        Err(format!("its text with checks failed validation ({fault}); please report this bug of warprace"))
    })
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
        let read = unsafe { compilers::image::texts(at, device) };
        let origin = read.is_err().then(|| library::of(at, &callers::callers())).flatten();
        let made = match &read {
            Ok(_) if self.only_saves() => Ok(None),
            Ok(texts) => self.replace(texts, device).map(Some),
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
        let texts = read.ok().filter(|_| self.saves());
        let image_id = self.modules.loaded(Loaded { texts, unchecked, origin });
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
            // A failure recurs at the launch, which reports it.
            let _ = sink.register();
            // With several devices a table is made only for those that launch a kernel.
            if driver::devices() == 1 {
                let _ = self.tables.begin();
            }
        }
    }

    /// What to load in the place of these texts.
    fn replace(&mut self, texts: &Texts, device: u32) -> Result<Image, String> {
        let module = self.instrument(texts, true)?;
        let image = replacement::image(&module.texts, texts, device)?;
        stack::loads(&texts.texts, self.options.engine);
        self.take(module);
        Ok(image)
    }

    /// What to link in the place of one text; `None` if it has to be linked as it is.
    pub(crate) fn replace_text(&mut self, texts: &Texts) -> Option<String> {
        self.report.result.uses_cuda = true;
        if self.only_saves() {
            return None;
        }
        // Other inputs of the link, and whether they launch kernels, are unknown here.
        let mut module = self.instrument(texts, false).ok()?;
        let text = module.texts.pop();
        stack::loads(&texts.texts, self.options.engine);
        self.modules.linked(&module);
        self.take(module);
        text
    }

    fn instrument(&mut self, texts: &Texts, alone: bool) -> Result<Instrumented, String> {
        let sink = self.sink()?;
        let first_check = self.checks.next();
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
        let wanted = |name: &str| self.options.lets_through(name);
        let module =
            Instrumented::of(&texts.texts, alone, &pass, first_check, &mut self.report.result.sites, &wanted)
                .map_err(|e| e.to_string())?;
        let declared = module.declared(&pass, first_check);
        validated(&texts.texts, &module.texts, &declared)?;
        let reserved = matches!(pass, Pass::Guard(..)).then_some(guard::SINK_BYTES);
        self.checks.make_room(module.checks.len() as u32, reserved)?;
        Ok(module)
    }

    /// Takes over the checks and kernels of an instrumented module.
    fn take(&mut self, module: Instrumented) {
        log::note(|| format!("{} checks in {} kernels", module.checks.len(), module.kernels.len()));
        self.checks.instrumented(&module, &self.report.result.sites);
        if module.in_order && !self.report.notes.iter().any(|note| note == IN_ORDER) {
            self.report.notes.push(IN_ORDER.into());
        }
        self.modules.instrumented(&module);
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

    pub(crate) fn function(&mut self, handle: usize, function: Function) {
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
