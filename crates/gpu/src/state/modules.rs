//! Images that the program has loaded, their kernels, and the driver's handles of both.

use compilers::Texts;
use instrument::guard::launches::{BYTES, Launched};
use instrument::pass::Instrumented;
use std::collections::{HashMap, HashSet};

/// Index into [`Modules::images`], to which handles of the driver refer.
pub(crate) type ImageId = usize;

/// An image that the program has loaded.
#[derive(Debug)]
pub(super) struct Loaded {
    /// Its PTX, if launches are to be saved.
    pub(super) texts: Option<Texts>,
    /// Why its kernels have no checks, if they have none.
    pub(super) unchecked: Option<String>,
    /// The library that has brought it, if it is machine code only.
    pub(super) origin: Option<String>,
}

/// A kernel, found by its handle.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The mangled name.
    pub(crate) name: String,
    pub(crate) image: Option<ImageId>,
    /// The launch parameter that was added, if one was. `None`: the driver was not asked yet.
    pub(crate) launched: Option<Option<Launched>>,
}

impl Function {
    /// Returns whether both are one kernel of one image that was observed.
    pub(super) fn is_same(&self, other: &Function) -> bool {
        self.image.is_some() && (&self.name, self.image) == (&other.name, other.image)
    }
}

#[derive(Debug, Default)]
pub(super) struct Modules {
    images: Vec<Loaded>,
    /// Image ids by the handles of modules and libraries.
    handles: HashMap<usize, ImageId>,
    pub(super) functions: HashMap<usize, Function>,
    /// Instrumented entry points by name, and whether they were to be checked.
    instrumented: HashMap<String, bool>,
    /// Kernels of texts that the driver links. The linked image comes back as machine code.
    linked: HashSet<String>,
    /// Kernels to which engine `guard` has added the launch parameter, by name.
    launched: HashMap<String, Vec<Launched>>,
    /// Kernels of engine `collide` that synchronise with the host by launch and end only, with the number of
    /// their parameters; `None` for all other kernels.
    quiet: HashMap<String, Option<u32>>,
}

impl Modules {
    /// Adds an image.
    pub(super) fn loaded(&mut self, image: Loaded) -> ImageId {
        self.images.push(image);
        self.images.len() - 1
    }

    /// Adds the kernels of an instrumented image.
    pub(super) fn instrumented(&mut self, module: &Instrumented) {
        for (kernel, launched) in &module.launched {
            let all = self.launched.entry(kernel.clone()).or_default();
            if !all.contains(launched) {
                all.push(*launched);
            }
        }
        for (kernel, parameters) in &module.quiet {
            // All kernels with one name must agree.
            self.quiet
                .entry(kernel.clone())
                .and_modify(|known| *known = known.filter(|_| known == parameters))
                .or_insert(*parameters);
        }
        for kernel in &module.kernels {
            self.instrumented.insert(kernel.name.clone(), kernel.checked);
        }
    }

    /// Records kernels that are not to be checked.
    pub(super) fn not_wanted<'k>(&mut self, kernels: impl Iterator<Item = &'k str>) {
        self.instrumented.extend(kernels.map(|kernel| (kernel.to_owned(), false)));
    }

    /// Records that a kernel has no checks after all.
    pub(super) fn has_no_checks(&mut self, kernel: &str) {
        self.instrumented.remove(kernel);
    }

    /// Records that the driver links a text with these kernels.
    pub(super) fn linked(&mut self, module: &Instrumented) {
        self.linked.extend(module.kernels.iter().map(|kernel| kernel.name.clone()));
    }

    /// Records why an image's kernels have no checks.
    pub(super) fn not_checked(&mut self, image: ImageId, why: String) {
        if let Some(image) = self.images.get_mut(image) {
            image.unchecked = Some(why);
        }
    }

    pub(super) fn named(&mut self, handle: usize, image: ImageId) {
        self.handles.insert(handle, image);
    }

    pub(super) fn image_of(&self, handle: usize) -> Option<ImageId> {
        self.handles.get(&handle).copied()
    }

    /// Returns the PTX of an image, if launches are to be saved.
    pub(super) fn texts(&self, image: ImageId) -> Option<&Texts> {
        self.images.get(image)?.texts.as_ref()
    }

    /// Returns the library that has brought a kernel of which there is machine code only.
    pub(super) fn origin_of(&self, handle: usize) -> Option<&str> {
        self.images.get(self.functions.get(&handle)?.image?)?.origin.as_deref()
    }

    /// Returns whether a kernel was instrumented in order to be checked.
    pub(super) fn is_checked(&self, name: &str) -> bool {
        self.instrumented.get(name).copied().unwrap_or(false)
    }

    /// Returns the reason why a kernel has no checks, or, if launches are only saved, cannot be saved.
    pub(super) fn unchecked(&self, name: &str, image: Option<ImageId>, only_saves: bool) -> Option<String> {
        match image.and_then(|image| self.images.get(image)) {
            Some(Loaded { unchecked: Some(why), .. }) if !self.linked.contains(name) => Some(why.clone()),
            Some(_) if only_saves => None,
            _ if self.instrumented.contains_key(name) => None,
            _ => Some("nobody saw it being loaded".into()),
        }
    }

    /// Returns the launch parameter of a kernel. `parameter` asks the driver for a parameter's offset and
    /// size.
    pub(super) fn launch_parameter(
        &mut self,
        handle: usize,
        parameter: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Option<Launched> {
        let function = self.functions.get_mut(&handle)?;
        if let Some(known) = function.launched {
            return known;
        }
        let found = self.launched.get(&function.name).and_then(|all| with_parameter(all, parameter));
        // The driver may reuse a handle whose origin was not observed, so nothing is cached for it.
        if function.image.is_some() {
            function.launched = Some(found);
        }
        found
    }

    /// Returns the number of parameters of a kernel of a checked image, if it synchronises with the host by launch and
    /// end only.
    pub(super) fn quiet(&self, handle: usize) -> Option<u32> {
        let function = self.functions.get(&handle)?;
        self.images.get(function.image?).filter(|image| image.unchecked.is_none())?;
        *self.quiet.get(&function.name)?
    }
}

/// Returns the description, out of those of kernels of one name, of the one whose last parameter is the launch
/// parameter, with the offset that the driver says. `parameter` returns the offset and the size of a parameter.
///
/// The driver aligns parameters by their addresses in a constant bank, in which they do not begin at a multiple of
/// 128: a tensor map has the offset 112 on an H100.
fn with_parameter(
    kernels: &[Launched],
    parameter: impl Fn(usize) -> Option<(usize, usize)>,
) -> Option<Launched> {
    let there = |launched: &Launched| {
        let own = launched.parameters as usize;
        let (at, bytes) = parameter(own)?;
        let is_last = bytes == BYTES as usize && parameter(own + 1).is_none();
        is_last.then_some(Launched { at: at as u32, ..*launched })
    };
    let found = || kernels.iter().filter_map(|launched| Some((launched.at, there(launched)?)));
    found().find(|(at, there)| *at == there.at).or_else(|| found().next()).map(|(_, there)| there)
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Launched, with_parameter};

    #[test]
    fn the_launch_parameter_behind_a_tensor_map_is_found() {
        // As the driver of an H100 describes a map, a pointer and the launch parameter.
        let of_driver = [(112, 128), (240, 8), (248, BYTES as usize)];
        let kernel = |parameters, at| Launched { at, ..Launched::plain(parameters) };
        let found = with_parameter(&[kernel(1, 128), kernel(2, 136)], |n| of_driver.get(n).copied());
        assert_eq!(found, Some(kernel(2, 248)));
        assert_eq!(with_parameter(&[kernel(2, 136)], |n| of_driver[..2].get(n).copied()), None);
    }
}
