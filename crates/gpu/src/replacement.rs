//! Makes the image that is loaded in the place of the program's, from instrumented PTX.

use crate::assemble::{self, Validation};
use crate::log;
use compilers::Texts;
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

/// Returns the image of instrumented texts for a device of this compute capability, in the place of `from`, if they are
/// valid. The error is a sentence fragment.
pub(crate) fn image(
    texts: &[String],
    from: &Texts,
    device: u32,
    validation: &Validation<'_>,
) -> Result<Image, String> {
    if assemble::is_possible() {
        let arch = format!("sm_{device}{}", variant(texts));
        match assemble::cubin(texts, &from.texts, &arch, from.relocatable, validation) {
            Ok(cubin) => return Ok(Image::Cubin(cubin)),
            // The toolkit may be older than the driver, which then compiles the PTX itself.
            Err(why) if texts.len() == 1 && !from.relocatable => log::note(|| why),
            Err(why) => return Err(why),
        }
    }
    match texts {
        [text] if !from.relocatable => {
            (validation.ask)()?;
            CString::new(text.as_str()).map(Image::Ptx).map_err(|_| "its PTX has a zero byte".into())
        }
        _ => Err("it must be linked, which needs a CUDA toolkit (ptxas and nvlink)".into()),
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
