//! The four ways in which an image is stored.

use crate::error::Error;
use std::borrow::Cow;
use std::io::Read;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    #[default]
    Stored,
    /// CUDA 5 to 8.
    Zlib,
    /// One LZ4 block without a frame: `--compress-mode=speed`, and the default before CUDA 12.4.
    Lz4,
    /// One frame: the default since.
    Zstd,
}

impl Compression {
    pub const fn name(self) -> &'static str {
        match self {
            Compression::Stored => "stored",
            Compression::Zlib => "zlib",
            Compression::Lz4 => "LZ4",
            Compression::Zstd => "zstd",
        }
    }
}

/// The image behind `data`, of at most `limit` bytes. `hint` is the size its producer claims,
/// which is neither trusted nor required to be right (nvcc's hint for LZ4 may be low).
pub fn decompress(
    data: &[u8],
    method: Compression,
    hint: usize,
    limit: usize,
) -> Result<Cow<'_, [u8]>, Error> {
    let fail = |reason: String| Error::Decompress { method: method.name(), reason };
    match method {
        Compression::Stored if data.len() > limit => Err(Error::TooLarge { limit }),
        Compression::Stored => Ok(Cow::Borrowed(data)),
        Compression::Zlib => match miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(data, limit) {
            Ok(image) => Ok(Cow::Owned(image)),
            Err(e) if e.status == miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
                Err(Error::TooLarge { limit })
            }
            Err(e) => Err(fail(e.to_string())),
        },
        Compression::Lz4 => lz4(data, hint, limit).map(Cow::Owned),
        Compression::Zstd => {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(data).map_err(|e| fail(e.to_string()))?;
            // `zstd -d` allows as much by default: this bounds the decoder's own buffer to 128 MiB.
            decoder.window_log_max(27).map_err(|e| fail(e.to_string()))?;
            let mut image = Vec::with_capacity(hint.min(1 << 20));
            decoder
                .single_frame()
                .take(limit as u64 + 1)
                .read_to_end(&mut image)
                .map_err(|e| fail(e.to_string()))?;
            if image.len() > limit { Err(Error::TooLarge { limit }) } else { Ok(Cow::Owned(image)) }
        }
    }
}

/// A block does not say how long its image is: try the hint, then longer buffers, up to the
/// longest image that so short a block can hold (each byte stands for at most 255).
fn lz4(data: &[u8], hint: usize, limit: usize) -> Result<Vec<u8>, Error> {
    let longest = data.len().saturating_mul(255).saturating_add(64);
    let most = longest.min(limit);
    let mut capacity = hint.max(data.len()).clamp(1, most.max(1));
    loop {
        let mut image = vec![0; capacity];
        match lz4_flex::block::decompress_into(data, &mut image) {
            Ok(n) => {
                image.truncate(n);
                return Ok(image);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if capacity < most => {
                capacity = capacity.saturating_mul(2).min(most);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if longest > limit => {
                return Err(Error::TooLarge { limit });
            }
            Err(e) => return Err(Error::Decompress { method: "LZ4", reason: e.to_string() }),
        }
    }
}

/// The inverse, for [`crate::write`].
pub fn compress(image: &[u8], method: Compression) -> Vec<u8> {
    match method {
        Compression::Stored => image.to_vec(),
        Compression::Zlib => miniz_oxide::deflate::compress_to_vec_zlib(image, 6),
        Compression::Lz4 => lz4_flex::block::compress(image),
        // Compressing into memory fails only for a level out of range.
        Compression::Zstd => zstd::bulk::compress(image, 3).expect("level 3 is valid"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 4] =
        [Compression::Stored, Compression::Zlib, Compression::Lz4, Compression::Zstd];

    #[test]
    fn every_method_round_trips() {
        let image: Vec<u8> = (0..20_000u32).map(|i| ((i * i) >> 7) as u8).collect();
        for method in ALL {
            let packed = compress(&image, method);
            for hint in [0, 10, image.len(), usize::MAX] {
                assert_eq!(decompress(&packed, method, hint, 1 << 20).unwrap(), image, "{method:?}");
            }
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let image = vec![0; 1 << 20];
        for method in ALL {
            let packed = compress(&image, method);
            assert_eq!(
                decompress(&packed, method, 0, 1 << 16),
                Err(Error::TooLarge { limit: 1 << 16 }),
                "{method:?}"
            );
        }
    }

    #[test]
    fn truncation_is_an_error_not_a_shorter_image() {
        let image: Vec<u8> = (0..5_000u32).map(|i| (i.wrapping_mul(2654435761) >> 24) as u8).collect();
        for method in &ALL[1..] {
            let packed = compress(&image, *method);
            let cut = &packed[..packed.len() / 2];
            match decompress(cut, *method, image.len(), 1 << 20) {
                Err(Error::Decompress { .. }) => {}
                other => panic!("{method:?}: {other:?}"),
            }
        }
    }
}
