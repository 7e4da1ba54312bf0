//! Images whose kernels get their checks one by one, when they are first used.

use super::State;
use super::modules::{Function, ImageId};
use crate::hooks::Code;
use crate::replacement::Image;
use crate::{driver, log};
use compilers::Texts;
use instrument::guard::CHECKS;
use instrument::parts::Parts as Module;
use names::Engine;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether some image has parts.
static ANY: AtomicBool = AtomicBool::new(false);

/// Returns whether kernels of the program may have others in their place.
pub(crate) fn has_parts() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Returns the number of kernels from which on an image is worth it. Each part is assembled when the program waits for it,
/// while the kernels of a whole image are assembled side by side.
fn fewest() -> usize {
    const FEWEST: usize = 8;
    std::thread::available_parallelism().map_or(FEWEST, |processors| FEWEST.max(2 * processors.get()))
}

/// The most checks whose numbers are set aside for an image.
const ASIDE: u32 = CHECKS / 8;

/// An image whose kernels can be parts.
pub(super) struct Split {
    module: Module,
    /// The numbers that are set aside for the checks of each kernel, so that its text with checks, and what is cached of
    /// it, does not depend on which kernels the program has used before.
    aside: HashMap<String, Range<u32>>,
    hash: u128,
    /// The compute capability of the device that it was loaded for.
    device: u32,
}

/// The images with parts, and the kernels that take the place of the program's.
#[derive(Default)]
pub(super) struct Parts {
    images: HashMap<ImageId, Split>,
    /// The handle of the kernel with checks; `None` if there is none.
    checked: HashMap<(ImageId, String), Option<usize>>,
    /// The same for the program's handles of all kernels that it has used.
    used: HashMap<usize, usize>,
    /// The program's handles of kernels in whose place others are.
    own: HashMap<usize, usize>,
}

impl Split {
    /// Returns an image as parts, if it is worth it and the program lets modules be loaded lazily, which is the default.
    pub(super) fn of(texts: &Texts, device: u32) -> Option<Split> {
        let eager = std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|how| how == "EAGER");
        match &texts.texts[..] {
            [text] if !texts.relocatable && !eager && driver::has_libraries() => {
                let hash = || compilers::keep::hash(&[text.as_bytes()]);
                let split = |module| Split { module, aside: HashMap::new(), hash: hash(), device };
                Module::of(text, fewest()).map(split)
            }
            _ => None,
        }
    }

    /// Returns a hash of the module's text.
    pub(super) fn hash(&self) -> u128 {
        self.hash
    }

    /// Checks that a text is a part of the module.
    pub(super) fn has(&self, part: &str) -> Result<(), validate::Fault> {
        validate::part(self.module.whole(), part)
    }

    /// Returns whether a kernel's checks are put in when it is first used.
    pub(super) fn is_apart(&self, kernel: &str) -> bool {
        self.module.is_apart(kernel)
    }

    /// Returns whether some kernels get their checks when the image is loaded.
    pub(super) fn has_others(&self) -> bool {
        self.module.has_others()
    }
}

impl Parts {
    pub(super) fn image(&self, image: ImageId) -> Option<&Split> {
        self.images.get(&image)
    }

    /// Returns the program's handle of a kernel, whose module has the program's variables.
    pub(super) fn own(&self, handle: usize) -> usize {
        self.own.get(&handle).copied().unwrap_or(handle)
    }

    /// Forgets a handle, which the driver has given to another kernel.
    pub(super) fn forget(&mut self, handle: usize) {
        self.used.remove(&handle);
        self.own.remove(&handle);
    }
}

/// A text that is a part of an image, and the numbers that are set aside for its checks.
pub(super) struct Apart {
    pub(super) of: ImageId,
    pub(super) aside: Option<Range<u32>>,
}

/// What takes the place of a kernel.
pub(crate) enum Part {
    /// The kernel itself.
    Itself,
    Known(usize),
    /// This image has to be loaded; the kernel in it has this name.
    Made(Image, String),
}

impl State {
    /// Adds an image that the program has loaded.
    pub(super) fn split(&mut self, image: ImageId, mut split: Split) {
        let each = if matches!(self.options.engine, Engine::Guard { .. }) { 2 } else { 1 };
        let numbers: Vec<(&str, u32)> =
            split.module.kernels().map(|kernel| (kernel, each * split.module.accesses(kernel))).collect();
        let sum = numbers.iter().fold(0u32, |sum, (_, number)| sum.saturating_add(*number));
        if sum <= ASIDE {
            let mut first = self.checks.set_aside(sum);
            for (kernel, number) in numbers {
                split.aside.insert(kernel.to_owned(), first..first + number);
                first += number;
            }
        }
        let unwanted = split.module.kernels().filter(|kernel| !self.options.lets_through(kernel));
        self.modules.not_wanted(unwanted);
        self.parts.images.insert(image, split);
        ANY.store(true, Ordering::Relaxed);
    }

    /// Returns what was launched in the place of a kernel of the program before.
    pub(crate) fn known_part(&self, handle: usize) -> Option<usize> {
        self.parts.used.get(&handle).copied()
    }

    /// Returns what to launch in the place of a kernel of the program.
    pub(crate) fn part(&mut self, handle: usize) -> Part {
        let part = self.part_of(handle);
        match part {
            Part::Itself => drop(self.parts.used.insert(handle, handle)),
            Part::Known(checked) => drop(self.parts.used.insert(handle, checked)),
            Part::Made(..) => {}
        }
        part
    }

    fn part_of(&mut self, handle: usize) -> Part {
        let Some(Function { name, image: Some(image), .. }) = self.function_of(handle) else {
            return Part::Itself;
        };
        let of_image = self.parts.images.get(&image).filter(|split| split.is_apart(&name));
        let Some(split) = of_image.filter(|_| self.options.lets_through(&name)) else { return Part::Itself };
        let key = (image, name);
        if let Some(known) = self.parts.checked.get(&key) {
            return known.map_or(Part::Itself, Part::Known);
        }
        let device = split.device;
        let (text, aside) = (split.module.text(&key.1), split.aside.get(&key.1).cloned());
        log::note(|| format!("{} is used for the first time", key.1));
        let made = text
            .ok_or_else(|| "it has no text of its own".to_owned())
            .map(|text| Texts { texts: vec![text], ..Texts::default() })
            .and_then(|texts| self.replace(&texts, device, &|_| true, Some(Apart { of: image, aside })));
        match made {
            Ok(made) => Part::Made(made, key.1),
            Err(why) => {
                self.has_no_part(key, why);
                Part::Itself
            }
        }
    }

    /// Records the kernel that takes the place of one of the program, or the code with which the driver has refused it.
    pub(crate) fn has_part(&mut self, handle: usize, loaded: Result<usize, Code>) {
        let Some(Function { name, image: Some(image), .. }) = self.function_of(handle) else { return };
        match loaded {
            Ok(checked) => {
                self.function(checked, Function { name: name.clone(), image: Some(image), launched: None });
                self.parts.used.extend([(handle, checked), (checked, checked)]);
                self.parts.own.insert(checked, handle);
                self.parts.checked.insert((image, name), Some(checked));
            }
            Err(code) => {
                self.has_no_part((image, name), format!("the driver refused it with checks (error {code})"));
            }
        }
    }

    /// Records the function of a kernel with checks in the current context.
    pub(crate) fn part_in_context(&mut self, checked: usize, function: usize) {
        if let Some(known) = self.function_of(checked) {
            self.function(function, known);
            self.parts.own.insert(function, self.parts.own(checked));
        }
    }

    /// Records why a kernel runs without checks.
    fn has_no_part(&mut self, key: (ImageId, String), why: String) {
        self.modules.has_no_checks(&key.1);
        self.report.left_out.insert(key.1.clone(), why);
        self.parts.checked.insert(key, None);
    }
}
