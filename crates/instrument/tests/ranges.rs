//! Tests the kernel of engine `collide` that represents copies, on the virtual GPU: it reports concurrent
//! changes, and nothing else.

use crate::support::Machine;
use crate::toolkit::ptxas;
use events::task::AllocKind;
use instrument::collide::{KINDS, Options, ranges};
use instrument::sink::{RECORD, Record};
use simt::{Region, Schedule};
use std::process::Command;

const SINK: u64 = instrument::sink::ADDRESS;

/// Returns the reports for a range, within one piece, while a thread writes to the byte at `at`: address and
/// values.
fn seen_of_a_range(range: (u64, u64), at: u64) -> Vec<(u64, u64, u64)> {
    let options = Options::fastest(SINK);
    let text = ranges::text(&options, "sm_80");
    let store = format!("add.u64 %wr_e, %wr_a5, {at};\nst.global.u8 [%wr_e], 7;\n");
    // `%wr_a5` is unused at that point.
    let text = text.replace("\tnanosleep.u32 1;\n", &format!("ld.param.u64 %wr_a5, [wr_at];\n{store}"));
    let text = text.replace("\t.param .u32 wr_number\n", "\t.param .u32 wr_number,\n.param .u64 wr_at\n");
    let mut machine = Machine::try_new(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    machine.options.schedule = Schedule::ConvergedFirst;
    let bytes = 8 * u64::from(KINDS) * RECORD;
    let mut sink = vec![0u64; (bytes / 8) as usize].into_boxed_slice();
    let host = sink.as_mut_ptr().cast();
    let (kind, accessible_from) = (AllocKind::Device, 1);
    let region = Region { base: SINK, bytes, host, kind, device: 0, accessible_from, read_only: false };
    machine.memory.map(region).unwrap();
    let words = machine.upload(&[0; 128]);
    let range = (words + range.0, range.1);
    let what = ranges::parameters(range, 5);
    let number = u32::from_le_bytes(what[16..].try_into().unwrap());
    let arguments = args![range.0, range.1, number, words];
    machine.finish(ranges::NAME, ranges::blocks(range), ranges::THREADS, arguments);
    let mut out = Vec::new();
    for i in 0..8 * u64::from(KINDS) {
        let mut bytes = [0; RECORD as usize];
        machine.memory.read(SINK + i * RECORD, &mut bytes).unwrap();
        if let Some(first) = Record::read(&bytes).and_then(|record| record.first) {
            assert_eq!(i, 5 * u64::from(KINDS));
            out.push((first.address - words, first.expected, first.found));
        }
    }
    drop(machine);
    out
}

#[test]
fn ranges_that_change_before_a_copy_are_seen_by_byte() {
    assert_eq!(seen_of_a_range((0, 64), 8), [(8, 0, 7)]);
    assert_eq!(seen_of_a_range((0, 64), 11), [(8, 0, 7 << 24)]);
    assert_eq!(seen_of_a_range((9, 1), 9), [(8, 0, 7 << 8)]);
    // Bytes outside the range in the same word are ignored.
    assert_eq!(seen_of_a_range((9, 1), 8), []);
    assert_eq!(seen_of_a_range((9, 1), 10), []);
    assert_eq!(seen_of_a_range((0, 64), 64), []);
    assert_eq!(seen_of_a_range((3, 100), 102), [(100, 0, 7 << 16)]);
    assert_eq!(seen_of_a_range((3, 100), 103), []);
}

#[test]
fn large_ranges_cost_no_more() {
    assert_eq!(ranges::blocks((0, 4)), 1);
    assert_eq!(ranges::blocks((510, 4)), 2);
    assert_eq!(ranges::blocks((0, 1 << 40)), 64);
}

#[test]
fn ptxas_takes_the_kernel_for_copies() {
    let Some(ptxas) = ptxas() else { return };
    for arch in ["sm_80", "sm_90"] {
        let file = std::env::temp_dir().join(format!("warprace-ranges-{}-{arch}.ptx", std::process::id()));
        std::fs::write(&file, ranges::text(&Options::patient(SINK), arch)).unwrap();
        let out = file.with_extension("cubin");
        let done =
            Command::new(&ptxas).args(["-arch", arch]).arg(&file).arg("-o").arg(&out).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let _ = (std::fs::remove_file(&file), std::fs::remove_file(&out));
    }
}
