//! What is loaded in an image's place.

use crate::image::Texts;
use crate::{assemble, log};
use events::SiteTable;
use instrument::both::both;
use instrument::collide::{Collided, Options, collide};
use instrument::guard::launches::Launched;
use instrument::guard::{self, Guarded, guard as guarded};
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};

/// An image for the driver.
#[derive(Debug)]
pub(crate) enum Image {
    Cubin(Vec<u8>),
    /// For the driver to compile.
    Ptx(CString),
}

impl Image {
    /// What the driver is given. It may read it as long as the module is loaded, which nobody tells: it stays.
    pub(crate) fn leak(self) -> *const c_void {
        match self {
            // The driver wants alignment that a vector of bytes need not have.
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

/// What is to be put into texts.
#[derive(Clone, Debug)]
pub(crate) enum Pass {
    Collide(Options),
    /// With `collide` beside it, if that is asked for.
    Guard(guard::Options, Option<Options>),
}

impl Pass {
    /// The same, with checks from that number on.
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

/// All of an image.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) texts: Vec<String>,
    pub(crate) checks: Vec<instrument::collide::Check>,
    pub(crate) kernels: Vec<instrument::collide::Kernel>,
    pub(crate) unchecked: BTreeMap<instrument::collide::Unchecked, u32>,
    pub(crate) pruned: instrument::prune::Pruned,
    /// Were blocks to be renamed, and are not?
    pub(crate) in_order: bool,
    /// Kernels with one parameter more, by name.
    pub(crate) launched: Vec<(String, Launched)>,
    /// Of engine `collide`, what is ordered with the host by launches and ends alone: the number of its parameters.
    pub(crate) quiet: Vec<(String, Option<u32>)>,
    /// Kernels without checks, and why.
    pub(crate) left_out: Vec<(String, &'static str)>,
}

impl Module {
    /// Instruments all texts; their checks are numbered from the pass's first. The error is a sentence fragment.
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

    /// The image for a device of such a compute capability. The error is a sentence fragment.
    pub(crate) fn image(&self, from: &Texts, device: u32) -> Result<Image, String> {
        if assemble::is_possible() {
            let arch = format!("sm_{device}{}", variant(&self.texts));
            match assemble::cubin(&self.texts, &from.texts, &arch, from.relocatable) {
                Ok(cubin) => return Ok(Image::Cubin(cubin)),
                // An older toolkit than the driver's.
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

/// `a` or `f` of `.target sm_90a`, of which one device runs what another does not.
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
