//! Checks the pages of the first blocks. A process of its own, because earlier tests would have allocated
//! already.

heap::install!();

/// Returns the `VmFlags` of the mapping that contains an address, from `/proc/self/smaps`.
fn flags(at: usize) -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut inside = false;
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let hex = |text| usize::from_str_radix(text, 16);
        if let Some((Ok(start), Ok(end))) = range.map(|(start, end)| (hex(start), hex(end))) {
            inside = (start..end).contains(&at);
        } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| inside) {
            return flags.split_whitespace().map(str::to_string).collect();
        }
    }
    panic!("{at:#x} is in no mapping");
}

/// `nh` is the flag of `MADV_NOHUGEPAGE`, `hg` that of `MADV_HUGEPAGE`.
#[test]
fn first_blocks_are_in_small_pages_and_more_in_large_ones() {
    let has = |block: &Vec<u8>, flag: &str| flags(block.as_ptr().addr()).iter().any(|f| f == flag);
    for bytes in [64, 4 << 10, 16 << 10, 96 << 10] {
        assert!(has(&Vec::with_capacity(bytes), "nh"), "{bytes}");
    }
    let many: Vec<Vec<u8>> = (0..256).map(|_| Vec::with_capacity(96 << 10)).collect();
    assert!(many.iter().any(|block| has(block, "hg")));
}
