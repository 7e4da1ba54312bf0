//! Boxes that an NVIDIA H200 loaded on 2026-11-30 (driver 580, CUDA 13.0), with elements that are their own index in units of two
//! bytes. Elements outside of the tensor are zero.

use super::*;

/// A load: the map's numbers, the coordinates, and what shared memory had.
struct Load {
    what: &'static str,
    element: Element,
    sizes: &'static [u64],
    strides: &'static [u64],
    /// Empty for a copy of pixels.
    boxed: &'static [u32],
    steps: &'static [u32],
    interleave: u8,
    at: [i32; 5],
    /// The bounding box and the offsets of a copy of pixels.
    pixels: Option<(Im2col, [u16; 3])>,
    /// Runs of values that grow by 1, or are zero: `place:value+length`.
    runs: &'static str,
}

const fn pixels(
    lower: [i16; 3],
    upper: [i16; 3],
    channels: u16,
    pixels: u16,
    offsets: [u16; 3],
) -> Option<(Im2col, [u16; 3])> {
    Some((Im2col { mode: Im2colMode::Whole, channels, pixels, lower, upper }, offsets))
}

const LOADS: &[Load] = &[
    Load {
        what: "a tile",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+128 128:2048+128",
    },
    Load {
        what: "from the second pixel",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [1, 0, 0, 0, 0],
        pixels: None,
        runs: "0:8+128 128:2056+128",
    },
    Load {
        what: "from a pixel, a slice and an image",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [2, 3, 1, 0, 0],
        pixels: None,
        runs: "0:2448+128 128:4496+128",
    },
    Load {
        what: "pixels behind the tensor",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [8, 3, 1, 0, 0],
        pixels: None,
        runs: "0:2496+96 96:0+32 128:4544+96 224:0+32",
    },
    Load {
        what: "an image behind the tensor",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [16, 10, 9, 0, 0],
        pixels: None,
        runs: "0:19840+32 32:0+224",
    },
    Load {
        what: "a slice before the tensor",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [-1, -1, 0, 0, 0],
        pixels: None,
        runs: "0:0+256",
    },
    Load {
        what: "every second pixel",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[2, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+8 8:16+8 16:32+8 24:48+8 32:64+8 40:80+8 48:96+8 56:112+8 64:2048+8 72:2064+8 \
               80:2080+8 88:2096+8 96:2112+8 104:2128+8 112:2144+8 120:2160+8",
    },
    Load {
        what: "a stride over slices",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[16, 4, 2],
        steps: &[1, 2, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+128 128:2048+128",
    },
    Load {
        what: "rows of pixels",
        element: Element::U16,
        sizes: &[20, 6, 5, 3],
        strides: &[512, 4096, 20480],
        boxed: &[16, 4, 2, 2],
        steps: &[1, 1, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+128 128:256+128 256:512+128 384:768+128 512:10240+128 640:10496+128 768:10752+128 \
               896:11008+128",
    },
    Load {
        what: "rows behind the tensor",
        element: Element::U16,
        sizes: &[20, 6, 5, 3],
        strides: &[512, 4096, 20480],
        boxed: &[16, 4, 2, 2],
        steps: &[1, 1, 1, 1],
        interleave: 1,
        at: [8, 1, 2, 1, 0],
        pixels: None,
        runs: "0:14656+96 96:0+32 128:14912+96 224:0+32 256:15168+96 352:0+32 384:15424+96 480:0+32 \
               512:24896+96 608:0+32 640:25152+96 736:0+32 768:25408+96 864:0+32 896:25664+96 992:0+32",
    },
    Load {
        what: "planes",
        element: Element::U16,
        sizes: &[20, 6, 5, 3, 2],
        strides: &[512, 4096, 20480, 40960],
        boxed: &[16, 2, 2, 2, 2],
        steps: &[1, 1, 1, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+128 128:256+128 256:2048+128 384:2304+128 512:20480+128 640:20736+128 768:22528+128 \
               896:22784+128",
    },
    Load {
        what: "words",
        element: Element::U32,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[8, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+64 64:2048+64",
    },
    Load {
        what: "bytes",
        element: Element::U8,
        sizes: &[40, 12, 10],
        strides: &[256, 4096],
        boxed: &[32, 4, 2],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: None,
        runs: "0:0+256 256:2048+256",
    },
    Load {
        what: "interleaved pixels",
        element: Element::U16,
        sizes: &[20, 12, 10],
        strides: &[256, 4096],
        boxed: &[],
        steps: &[1, 1, 1],
        interleave: 1,
        at: [0, 0, 0, 0, 0],
        pixels: pixels([-1, 0, 0], [-1, 0, 0], 16, 20, [1, 0, 0]),
        runs: "0:8+152 152:2048+8",
    },
    Load {
        what: "interleaved pixels of two rows",
        element: Element::U16,
        sizes: &[20, 6, 5, 3],
        strides: &[512, 4096, 20480],
        boxed: &[],
        steps: &[1, 1, 1, 1],
        interleave: 1,
        at: [8, 1, 0, 1, 0],
        pixels: pixels([-1, -1, 0], [-1, -1, 0], 16, 20, [0, 2, 0]),
        runs: "0:11072+88 88:0+8 96:11264+64",
    },
    Load {
        what: "a slice before the channels",
        element: Element::U16,
        sizes: &[20, 6, 5, 3],
        strides: &[512, 4096, 20480],
        boxed: &[],
        steps: &[1, 2, 2, 1],
        interleave: 1,
        at: [0, -1, -1, 0, 0],
        pixels: pixels([-1, -1, 0], [-1, -1, 0], 16, 20, [1, 1, 0]),
        runs: "0:0+160",
    },
    Load {
        what: "pixels",
        element: Element::U16,
        sizes: &[24, 12, 10],
        strides: &[256, 4096],
        boxed: &[],
        steps: &[1, 1, 1],
        interleave: 0,
        at: [8, 0, 0, 0, 0],
        pixels: pixels([-1, 0, 0], [-1, 0, 0], 16, 20, [1, 0, 0]),
        runs: "0:136+16 16:264+16 32:392+16 48:520+16 64:648+16 80:776+16 96:904+16 112:1032+16 \
               128:1160+16 144:1288+16 160:1416+16 176:2056+16 192:2184+16 208:2312+16 224:2440+16 \
               240:2568+16 256:2696+16 272:2824+16 288:2952+16 304:3080+16",
    },
    Load {
        what: "every second pixel of two rows",
        element: Element::U16,
        sizes: &[24, 6, 5, 3],
        strides: &[512, 4096, 20480],
        boxed: &[],
        steps: &[1, 2, 2, 1],
        interleave: 0,
        at: [8, -1, -1, 0, 0],
        pixels: pixels([-1, -1, 0], [-1, -1, 0], 16, 20, [1, 1, 0]),
        runs: "0:8+16 16:520+16 32:1032+16 48:4104+16 64:4616+16 80:5128+16 96:8200+16 112:8712+16 \
               128:9224+16 144:10248+16 160:10760+16 176:11272+16 192:14344+16 208:14856+16 \
               224:15368+16 240:18440+16 256:18952+16 272:19464+16 288:20488+16 304:21000+16",
    },
];

fn map(load: &Load) -> TensorMap {
    fn padded<T: Copy, const N: usize>(from: &[T], rest: T) -> [T; N] {
        std::array::from_fn(|i| from.get(i).copied().unwrap_or(rest))
    }
    TensorMap {
        rank: load.sizes.len() as u32,
        element: load.element,
        interleave: load.interleave,
        swizzle: Swizzle::None,
        nan: false,
        address: 0,
        sizes: padded(load.sizes, 1),
        strides: padded(load.strides, 0),
        boxed: padded(load.boxed, 1),
        steps: padded(load.steps, 1),
        im2col: load.pixels.map(|(im2col, _)| im2col),
    }
}

/// Returns the values that shared memory has, as runs.
fn runs(values: &[u16]) -> String {
    let mut out = Vec::new();
    let mut at = 0;
    while at < values.len() {
        let zeros = values[at] == 0 && values.get(at + 1) == Some(&0);
        let step = u16::from(!zeros);
        let follows = |pair: &&[u16]| pair[1] == pair[0] + step;
        let length = 1 + values[at..].windows(2).take_while(follows).count();
        out.push(format!("{at}:{}+{length}", values[at]));
        at += length;
    }
    out.join(" ")
}

#[test]
fn boxes_are_those_that_a_gpu_loads() {
    for load in LOADS {
        let (map, what) = (map(load), load.what);
        let offsets = load.pixels.map_or([0; 3], |(_, offsets)| offsets);
        assert_eq!(map.check(), Ok(()), "{what}");
        let mode = if map.im2col.is_some() { TensorMode::Im2col } else { TensorMode::Tile };
        let lines = Lines::of(&map, mode, &load.at, &offsets).unwrap();
        let mut values = Vec::new();
        for line in &lines.lines {
            let inside = (line.address / 2..).take(line.inside as usize / 2);
            let before = line.before as usize / 2;
            let behind = (lines.pitch - line.before - line.inside) as usize / 2;
            values.extend(std::iter::repeat_n(0, before));
            values.extend(inside.map(|value| value as u16));
            values.extend(std::iter::repeat_n(0, behind));
        }
        assert_eq!(runs(&values), load.runs, "{what}");
    }
}

#[test]
fn pixels_left_of_the_bounding_box_are_illegal() {
    let load = LOADS.iter().find(|load| load.what == "pixels").unwrap();
    let found = Lines::of(&map(load), TensorMode::Im2col, &[0, -3, 0, 0, 0], &[0; 3]);
    assert!(matches!(found, Err(FailureKind::IllegalInstruction { .. })), "{found:?}");
}
