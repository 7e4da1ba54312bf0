//! Tests textures and surfaces: their elements are checked by the objects that the host describes.

use crate::guardian::{BODY, Guardian, TABLE, module, options};
use instrument::collide::Unchecked;
use instrument::guard::objects::{Kind, Object, Objects};
use instrument::guard::{OBJECTS, Options};
use simt::Schedule;
use simt::surface::Surface;
use simt::texture::{Addressing, ChannelKind, Texture};

/// Four rows of 64 elements of four bytes.
const WIDTH: u32 = 64;
const HEIGHT: u32 = 4;
const ROW: u64 = 256;

/// Runs a body whose parameter points to the elements, the texture's handle and the surface's handle; returns the
/// lines of its races, from the body's first line on.
fn races(body: &str, blocks: u32, threads: u32, linear: bool) -> Vec<(u32, u32)> {
    let text = module(&format!(
        "ld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, [%rd1+8];\nld.global.u64 %rd4, [%rd1+16];\n\
         .reg .f32 %f<9>;\nmad.lo.u32 %r5, %r2, 32, %r1;\n{body}"
    ));
    let mut all = Vec::new();
    for (schedule, prune) in [(Schedule::ConvergedFirst, false), (Schedule::RoundRobin { quantum: 3 }, true)]
    {
        let mut guardian = Guardian::with(&text, schedule, &Options { prune, ..options() });
        let machine = &guardian.machine;
        let base = machine.alloc(ROW * u64::from(HEIGHT));
        let texture = Texture {
            base,
            row: ROW,
            slice: 0,
            width: WIDTH,
            height: HEIGHT,
            depth: 0,
            channels: 1,
            bits: 32,
            kind: ChannelKind::Float,
            addressing: [Addressing::Clamp; 3],
            linear,
            normalized_float: false,
            normalized_coordinates: false,
            buffer: false,
            border: [0.0; 4],
        };
        let surface = Surface {
            base,
            row: ROW,
            slice: 0,
            width: WIDTH,
            height: HEIGHT,
            depth: 0,
            element: 4,
            layered: false,
        };
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes
                .chunks(4)
                .map(|c| u32::from_le_bytes(std::array::from_fn(|i| *c.get(i).unwrap_or(&0))))
                .collect()
        };
        let handles = [machine.upload(&words(&texture.encode())), machine.upload(&words(&surface.encode()))];
        let mut objects = Objects::default();
        let of = |kind| Object { kind, base, row: ROW, slice: 0, extents: [WIDTH, HEIGHT, 0], element: 4 };
        assert!(objects.insert(handles[0], &of(Kind::Texture { linear, normalized: false })));
        assert!(objects.insert(handles[1], &of(Kind::Surface)));
        let given = [base, handles[0], handles[1]].map(|v| [v as u32, (v >> 32) as u32]);
        let given = machine.upload(given.as_flattened());
        for (at, entry) in objects.since(0) {
            for (n, word) in entry.chunks(8).enumerate() {
                let place = &mut guardian._memory[1][(OBJECTS + at) as usize / 8 + n];
                *place = u64::from_le_bytes(word.try_into().unwrap());
            }
        }
        guardian.machine.finish("k", blocks, threads, args![given]);
        // The five lines before the body are those of the parameters.
        let line = |line: u32| line - BODY - 5;
        let pairs = guardian.seen().into_iter().map(|(a, b, _)| (line(a.min(b)), line(a.max(b))));
        pairs.for_each(|pair| {
            if !all.contains(&pair) {
                all.push(pair);
            }
        });
    }
    all.sort_unstable();
    all
}

#[test]
fn surfaces_are_checked_by_bytes() {
    let at = "shl.b32 %r6, %r5, 2;\n";
    let store = "sust.b.2d.b32.trap [%rd4, {%r6, 0}], %r1;\n";
    // Each thread stores its own element, and then a neighbour's.
    assert_eq!(races(&format!("{at}{store}"), 2, 32, false), []);
    let next = "xor.b32 %r6, %r6, 128;\nsust.b.2d.b32.trap [%rd4, {%r6, 0}], %r1;";
    assert_eq!(races(&format!("{at}{store}{next}"), 2, 32, false), [(1, 3)]);
    // Another row is other memory, and so is what lies outside of the surface.
    let row = "xor.b32 %r6, %r6, 128;\nsust.b.2d.b32.trap [%rd4, {%r6, 1}], %r1;";
    assert_eq!(races(&format!("{at}{store}{row}"), 2, 32, false), []);
    let outside = "mov.u32 %r7, 0;\nsust.b.2d.b32.zero [%rd4, {%r7, 4}], %r1;";
    assert_eq!(races(outside, 2, 32, false), []);
    // Through a pointer in the first block, and through the surface; reductions are atomic.
    let pointer =
        "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd5, %rd5, %rd2;\n@%p2 st.global.u32 [%rd5+128], %r1;";
    assert_eq!(races(&format!("{at}{store}{pointer}"), 2, 32, false), [(1, 4)]);
    let reduce = "mov.u32 %r7, 8;\nsured.b.add.2d.u32.trap [%rd4, {%r7, 0}], %r1;";
    assert_eq!(races(reduce, 2, 32, false), []);
    let load = "\nsuld.b.2d.b32.trap %r8, [%rd4, {%r7, 0}];";
    assert_eq!(races(&format!("{reduce}{load}"), 2, 32, false), [(1, 2)]);
}

#[test]
fn fetches_race_with_what_their_launch_has_written() {
    let store = "mul.wide.u32 %rd5, %r5, 4;\nadd.u64 %rd5, %rd5, %rd2;\nst.global.u32 [%rd5], %r1;\n";
    let own = "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd3, {%r5, %r7}];";
    // The thread itself has stored it, in another order or behind a barrier; another row is not written.
    assert_eq!(races(&format!("mov.u32 %r7, 0;\n{store}{own}"), 1, 32, false), [(3, 4)]);
    assert_eq!(races(&format!("mov.u32 %r7, 0;\n{store}bar.sync 0;\n{own}"), 1, 32, false), [(3, 5)]);
    assert_eq!(races(&format!("mov.u32 %r7, 1;\n{store}{own}"), 1, 32, false), []);
    assert_eq!(races(&format!("mov.u32 %r7, 0;\n{own}\nbar.sync 0;\n{store}"), 1, 32, false), []);
    let cached = format!("{store}ld.global.nc.u32 %r8, [%rd5];");
    assert_eq!(races(&cached, 1, 32, false), [(2, 3)]);
    assert_eq!(races(&format!("{store}ld.global.u32 %r8, [%rd5];"), 1, 32, false), []);
}

#[test]
fn only_texels_that_are_surely_fetched_are_checked() {
    // Block 0 fetches at 31 and a fraction, where the next texel is the first that block 1 stores.
    let fetch = |x: &str, y: &str| {
        format!(
            "mul.wide.u32 %rd5, %r5, 4;\nadd.u64 %rd5, %rd5, %rd2;\n@!%p2 st.global.u32 [%rd5], %r1;\n\
             @%p2 tex.2d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [%rd3, {{{x}, {y}}}];"
        )
    };
    let [middle, quarter, near, whole] = ["0f41FC0000", "0f41FE0000", "0f41FFFFFF", "0f42000000"];
    let (first, second) = ("0f3F000000", "0f3FC00000");
    // Without filtering: 31.5 and 31.75 are of texel 31, 32 of texel 32, and what is just below is of either.
    for (x, expected) in [(middle, vec![]), (quarter, vec![]), (near, vec![]), (whole, vec![(2, 3)])] {
        assert_eq!(races(&fetch(x, first), 2, 32, false), expected, "{x}");
    }
    // With it: 31.5 is the middle of texel 31, 31.75 lies between it and the next one, and 32 does, too.
    for (x, expected) in [(middle, vec![]), (quarter, vec![(2, 3)]), (whole, vec![(2, 3)])] {
        assert_eq!(races(&fetch(x, first), 2, 32, true), expected, "{x}");
    }
    // The next row is not stored, and a row between two is.
    assert_eq!(races(&fetch(quarter, second), 2, 32, true), []);
    assert_eq!(races(&fetch(quarter, "0f3F800000"), 2, 32, true), [(2, 3)]);
}

#[test]
fn images_without_a_handle_or_a_known_place_are_counted() {
    let cube = module("tex.cube.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%r1, %r1, %r1, %r1}];");
    let guardian = Guardian::new(&cube, Schedule::ConvergedFirst);
    assert_eq!(guardian.guarded.unchecked.get(&Unchecked::Image), Some(&1));
    // A handle that the host has not described is no reason for a report.
    let unknown = module("@!%p2 sust.b.1d.b32.trap [%rd1, {%r1}], %r1;");
    let guardian = Guardian::new(&unknown, Schedule::ConvergedFirst);
    assert!(guardian.guarded.unchecked.is_empty() && TABLE > 0);
    let given = guardian.machine.upload(&[0; 64]);
    guardian.machine.finish("k", 1, 32, args![given]);
    assert!(guardian.seen().is_empty());
}
