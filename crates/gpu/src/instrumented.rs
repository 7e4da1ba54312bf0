//! Instruments an image's PTX and makes the image that is loaded in its place.

use crate::{assemble, log};
use compilers::Texts;
use events::SiteTable;
use instrument::both::both;
use instrument::collide::{Collided, Options, collide};
use instrument::guard::launches::Launched;
use instrument::guard::{self, Guarded, guard as guarded};
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};

/// An image that the driver can load.
#[derive(Debug)]
pub(crate) enum Image {
    Cubin(Vec<u8>),
    /// PTX, which the driver compiles.
    Ptx(CString),
}

impl Image {
    /// Returns the image's address for the driver, and leaks the image: the driver may read it until the
    /// module is unloaded, which this library does not observe.
    pub(crate) fn leak(self) -> *const c_void {
        match self {
            // The driver requires an alignment that a vector of bytes may lack.
            Image::Cubin(bytes) => {
                let mut words = vec![0u64; bytes.len().div_ceil(8)];
                for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
                    let mut eight = [0; 8];
                    eight[..chunk.len()].copy_from_slice(chunk);
                    *word = u64::from_le_bytes(eight);
                }
                words.leak().as_ptr().cast()
            }
            Image::Ptx(text) => text.into_raw().cast_const().cast(),
        }
    }
}

/// The checks to insert.
#[derive(Clone, Debug)]
pub(crate) enum Pass {
    Collide(Options),
    /// Checks of `guard`, together with those of `collide` if the second field has options.
    Guard(guard::Options, Option<Options>),
}

impl Pass {
    /// Returns the same pass with checks numbered from `first_check` on.
    fn from(&self, first_check: u32) -> Pass {
        match self {
            Pass::Collide(options) => Pass::Collide(Options { first_check, ..options.clone() }),
            Pass::Guard(options, beside) => {
                Pass::Guard(guard::Options { first_check, ..options.clone() }, beside.clone())
            }
        }
    }

    fn first_check(&self) -> u32 {
        match self {
            Pass::Collide(options) => options.first_check,
            Pass::Guard(options, _) => options.first_check,
        }
    }
}

/// The instrumented texts of an image, and what was inserted in them.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) texts: Vec<String>,
    pub(crate) checks: Vec<instrument::collide::Check>,
    pub(crate) kernels: Vec<instrument::collide::Kernel>,
    pub(crate) unchecked: BTreeMap<instrument::collide::Unchecked, u32>,
    pub(crate) pruned: instrument::prune::Pruned,
    /// Whether blocks should have been renamed and were not.
    pub(crate) in_order: bool,
    /// Kernels with the additional launch parameter, by name.
    pub(crate) launched: Vec<(String, Launched)>,
    /// Kernels of engine `collide`, each with the number of its parameters if it synchronises with the host
    /// by launch and end only.
    pub(crate) quiet: Vec<(String, Option<u32>)>,
    /// Kernels without checks, and the reasons.
    pub(crate) left_out: Vec<(String, &'static str)>,
}

impl Module {
    /// Instruments all texts. Their checks are numbered from the pass's first number on. The error is a
    /// sentence fragment.
    pub(crate) fn of(
        texts: &[String],
        pass: &Pass,
        sites: &mut SiteTable,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Module, String> {
        let mut out = Module::default();
        for text in texts {
            let (text, checks, kernels, unchecked, pruned) = match pass
                .from(pass.first_check() + out.checks.len() as u32)
            {
                Pass::Collide(options) => {
                    let Collided { text, checks, kernels, unchecked, pruned, shuffled, quiet } =
                        collide(text, &options, sites, wanted).map_err(|e| e.to_string())?;
                    out.in_order |= options.shuffle.is_some() && !shuffled;
                    out.quiet.extend(kernels.iter().map(|k| (k.name.clone(), quiet.get(&k.name).copied())));
                    (text, checks, kernels, unchecked, pruned)
                }
                Pass::Guard(options, beside) => {
                    let guarded = match beside {
                        Some(beside) => both(text, &options, &beside, sites, wanted),
                        None => guarded(text, &options, sites, wanted),
                    };
                    let Guarded { text, checks, kernels, unchecked, pruned, left_out, launched } =
                        guarded.map_err(|e| e.to_string())?;
                    out.launched.extend(launched);
                    out.left_out.extend(left_out);
                    (text, checks, kernels, unchecked, pruned)
                }
            };
            out.texts.push(text);
            out.checks.extend(checks);
            out.kernels.extend(kernels);
            out.pruned.add(pruned);
            for (why, count) in unchecked {
                *out.unchecked.entry(why).or_default() += count;
            }
        }
        Ok(out)
    }

    /// Returns the image for a device of this compute capability. The error is a sentence fragment.
    pub(crate) fn image(&self, from: &Texts, device: u32) -> Result<Image, String> {
        if assemble::is_possible() {
            let arch = format!("sm_{device}{}", variant(&self.texts));
            match assemble::cubin(&self.texts, &from.texts, &arch, from.relocatable) {
                Ok(cubin) => return Ok(Image::Cubin(cubin)),
                // The toolkit may be older than the driver, which then compiles the PTX itself.
                Err(why) if self.texts.len() == 1 && !from.relocatable => log::note(|| why),
                Err(why) => return Err(why),
            }
        }
        match &self.texts[..] {
            [text] if !from.relocatable => {
                CString::new(text.as_str()).map(Image::Ptx).map_err(|_| "its PTX has a zero byte".into())
            }
            _ => Err("it must be linked, which needs a CUDA toolkit (ptxas and nvlink)".into()),
        }
    }
}

/// Returns the suffix of the target, `a` or `f` as in `.target sm_90a`. Such a target is specific to one
/// architecture or family.
fn variant(texts: &[String]) -> &'static str {
    let named = |suffix: char| {
        texts.iter().any(|text| {
            let target = text.lines().find_map(|line| line.trim().strip_prefix(".target"));
            let arch = target.and_then(|t| t.split([',', ' ', '\t']).find(|word| word.starts_with("sm_")));
            arch.is_some_and(|arch| arch.trim_end().ends_with(suffix))
        })
    };
    if named('a') {
        "a"
    } else if named('f') {
        "f"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_one_device_keep_their_letter() {
        let text = |target: &str| vec![format!(".version 8.0\n.target {target}\n.address_size 64\n")];
        assert_eq!(variant(&text("sm_90")), "");
        assert_eq!(variant(&text("sm_90a")), "a");
        assert_eq!(variant(&text("sm_100f, debug")), "f");
        assert_eq!(variant(&[]), "");
    }
}
