//! Containers made by our writer, whole and damaged.

#[path = "common/exercise.rs"]
mod exercise;

use exercise::exercise;
use fatbin::write::{ContainerBuilder, Image};
use fatbin::{Arch, Compression, Container, Error, Kind, best_ptx};
use proptest::prelude::*;

fn arch(text: &str) -> Arch {
    text.parse().unwrap()
}

fn with_archs(archs: &[&str]) -> Vec<u8> {
    let mut b = ContainerBuilder::new();
    for a in archs {
        b.ptx(arch(a), (9, 0), &format!("// {a}"), Compression::Lz4);
    }
    b.finish()
}

#[test]
fn everything_that_is_written_is_read_back() {
    let mut b = ContainerBuilder::new();
    b.entry(&Image {
        kind: Kind::Cubin,
        arch: arch("sm_90a"),
        version: (1, 8),
        name: Some("dir/kernel.cu"),
        options: None,
        image: b"\x7fELF and so on",
        compression: Compression::Stored,
    });
    b.entry(&Image {
        kind: Kind::Ptx,
        arch: arch("sm_100f"),
        version: (8, 7),
        name: Some("k.cu"),
        options: Some("--compile-only -maxrregcount=32"),
        image: b".version 8.7\n\0\0",
        compression: Compression::Zlib,
    });
    let bytes = b.finish();
    let got = Container::parse(&bytes).unwrap();
    assert_eq!(got.bytes, bytes.len());
    let [cubin, ptx] = &got.entries[..] else { panic!("{got:?}") };
    assert_eq!((cubin.kind, cubin.arch, cubin.version), (Kind::Cubin, arch("sm_90a"), (1, 8)));
    assert_eq!(cubin.name.as_deref(), Some("dir/kernel.cu"));
    // A stored image is padded; nothing says how long it was.
    assert_eq!(&cubin.image().unwrap()[..14], b"\x7fELF and so on");
    assert!(!cubin.is_relocatable());
    assert_eq!((ptx.kind, ptx.arch, ptx.version), (Kind::Ptx, arch("sm_100f"), (8, 7)));
    assert_eq!(ptx.options.as_deref(), Some("--compile-only -maxrregcount=32"));
    assert!(ptx.is_relocatable());
    assert_eq!(ptx.ptx().unwrap(), ".version 8.7\n");
}

#[test]
fn the_device_runs_the_highest_ptx_it_can() {
    let chosen = |archs: &[&str], device| {
        let bytes = with_archs(archs);
        let container = Container::parse(&bytes).unwrap();
        best_ptx(&container.entries, device).map(|e| e.arch.to_string())
    };
    assert_eq!(chosen(&["sm_75", "sm_90", "sm_80"], 90).as_deref(), Some("sm_90"));
    assert_eq!(chosen(&["sm_75", "sm_100", "sm_80"], 90).as_deref(), Some("sm_80"));
    assert_eq!(chosen(&["sm_90", "sm_90a"], 90).as_deref(), Some("sm_90a"));
    assert_eq!(chosen(&["sm_80", "sm_90a"], 100).as_deref(), Some("sm_80"));
    assert_eq!(chosen(&["sm_100f", "sm_90"], 103).as_deref(), Some("sm_100f"));
    assert_eq!(chosen(&["sm_100"], 90), None);
    assert_eq!(chosen(&[], 90), None);
}

#[test]
fn each_kind_of_damage_has_its_own_error() {
    let good = with_archs(&["sm_90"]);
    let damaged = |at: usize, with: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        Container::parse(&bytes).unwrap_err().to_string()
    };
    assert!(damaged(0, b"\0").starts_with("not a fatbin: container at offset 0x0 has magic"));
    assert!(damaged(4, &[9]).contains("version 9"));
    assert!(damaged(6, &[8]).contains("container header at offset 0x0 is 8 bytes"));
    assert!(damaged(8, &[0xff; 8]).contains("which cannot be"));
    assert!(damaged(8, &1_000_000u64.to_le_bytes()).starts_with("truncated fatbin: container"));
    assert!(damaged(16 + 2, &[0, 7]).contains("entry at offset 0x10 has version"));
    assert!(damaged(16 + 4, &[1, 0]).contains("entry header at offset 0x10 is 1 bytes"));
    assert!(damaged(16 + 8, &[0xff; 8]).contains("truncated fatbin: entry payload"));
    assert!(damaged(16 + 16, &[0xff; 4]).contains("compressed image at offset 0x10"));
    assert!(damaged(16 + 41, &[0xb0]).contains("unknown method"));
    for cut in 0..good.len() {
        assert!(
            matches!(Container::parse(&good[..cut]), Err(Error::Truncated { .. })),
            "cut at {cut} of {}",
            good.len()
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400), plausible: bool) {
        if plausible && bytes.len() >= 16 {
            let body = bytes.len() as u64 - 16;
            bytes[..8].copy_from_slice(&[0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0]);
            bytes[8..16].copy_from_slice(&body.to_le_bytes());
        }
        exercise(&bytes);
    }

    #[test]
    fn damaged_containers_never_panic(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = with_archs(&["sm_75", "sm_90", "sm_90a"]);
        for (at, with) in damage {
            let at = at.index(bytes.len());
            bytes[at] = with;
        }
        exercise(&bytes);
    }

    #[test]
    fn texts_round_trip(text in "[ -~\n]{0,600}", method in 0usize..4) {
        let method = [Compression::Stored, Compression::Zlib, Compression::Lz4, Compression::Zstd][method];
        let mut b = ContainerBuilder::new();
        b.ptx(arch("sm_90"), (9, 0), &text, method);
        let bytes = b.finish();
        prop_assert_eq!(Container::parse(&bytes).unwrap().entries[0].ptx().unwrap(), text);
    }
}
