//! Everything that can be done with bytes that claim to hold device code.

use fatbin::{Binary, Container, best_ptx};

/// Must neither panic nor allocate without bound, whatever the bytes.
pub(crate) fn exercise(bytes: &[u8]) {
    if let Ok(container) = Container::parse(bytes) {
        assert!(container.bytes <= bytes.len());
        for entry in &container.entries {
            if let Ok(image) = entry.image() {
                assert!(image.len() <= fatbin::MAX_IMAGE_BYTES);
            }
            let _ = entry.ptx();
            let _ = entry.is_relocatable();
        }
        let _ = best_ptx(&container.entries, 90);
    }
    if let Ok(binary) = Binary::parse(bytes) {
        for block in &binary.blocks {
            assert!(block.offset as usize + block.container.bytes <= bytes.len());
        }
    }
    let _ = fatbin::wrapper::Wrapper::parse(bytes);
}
