//! Reads files in their original form, truncated, altered and forged.

#[path = "hostile/exercise.rs"]
mod exercise;

use events::task::HostCall;
use events::{AllocKind, Allocation, Dim3};
use snapshot::ReadError::File;
use snapshot::{Addressing, Channel, Image, Layout, Object, Surface, Texture};
use snapshot::{Error, Launch, Limits, Range, Target, VERSION, Writer, read};

fn launch() -> Launch {
    Launch {
        program: "app".into(),
        module: "app".into(),
        texts: vec![".version 7.0\n".into()],
        variables: vec![("v".into(), 4096)],
        kernel: "k".into(),
        grid: Dim3::new(2, 1, 1),
        block: Dim3::new(32, 1, 1),
        cluster: Dim3::ONE,
        dynamic_shared: 0,
        cooperative: false,
        params: vec![1, 2, 3],
        number: 1,
        device: 0,
        devices: 1,
        heap: None,
        stack_limit: 1024,
        within: None,
    }
}

fn range(base: u64, bytes: u64) -> Range {
    let call = HostCall { api: "cudaMalloc".into(), site: None, within: None };
    let kind = AllocKind::Device;
    Range { allocation: Allocation { base, bytes, kind, name: None, call, device: 0 }, accessible_from: 1 }
}

/// A target that stores all records.
#[derive(Default)]
struct Told {
    launch: Option<Launch>,
    ranges: Vec<(Range, Vec<u8>)>,
    objects: Vec<Object>,
}

impl Target for Told {
    type Error = &'static str;

    fn launch(&mut self, launch: Launch) -> Result<(), &'static str> {
        self.launch = Some(launch);
        Ok(())
    }

    fn range(&mut self, range: Range) -> Result<(), &'static str> {
        let bytes = vec![0; range.allocation.bytes as usize];
        self.ranges.push((range, bytes));
        Ok(())
    }

    fn bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), &'static str> {
        let (_, all) = self.ranges.last_mut().ok_or("no range")?;
        all[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn object(&mut self, object: Object) -> Result<(), &'static str> {
        self.objects.push(object);
        Ok(())
    }
}

fn memory(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| if i / 5000 % 2 == 0 { 0 } else { i as u8 }).collect()
}

/// Returns a source of contents that repeats one byte.
fn filled_with(byte: u8) -> impl FnMut(u64, &mut [u8]) -> std::io::Result<()> {
    move |_, into| {
        into.fill(byte);
        Ok(())
    }
}

fn file() -> Vec<u8> {
    filled(Writer::new(Vec::new(), &launch()).unwrap())
}

fn filled(mut writer: Writer<Vec<u8>>) -> Vec<u8> {
    for (base, bytes) in [(4096, 10), (1 << 20, 100_001), (1 << 40, 3 << 20)] {
        let all = memory(bytes);
        writer
            .range(&range(base, bytes as u64), |offset, into| {
                into.copy_from_slice(&all[offset as usize..][..into.len()]);
                Ok(())
            })
            .unwrap();
    }
    objects().iter().for_each(|object| writer.object(object).unwrap());
    writer.finish().unwrap()
}

/// Returns two objects in the second range: 100 rows of ten texels of four bytes, and two layers of three
/// elements.
fn objects() -> [Object; 2] {
    let layout = Layout { base: 1 << 20, row: 64, slice: 0, width: 10, height: 100, depth: 0 };
    let texture = Texture {
        layout,
        channels: 2,
        bits: 16,
        channel: Channel::Float,
        addressing: [Addressing::Wrap, Addressing::Clamp, Addressing::Border],
        linear: true,
        normalized_float: false,
        normalized_coordinates: true,
        buffer: false,
        border: [0.0, 1.0, -2.5, 0.25],
    };
    let layout = Layout { base: (1 << 20) + 90_000, row: 0, slice: 256, width: 3, height: 0, depth: 2 };
    let surface = Surface { layout, element: 16, layered: true };
    [
        Object { handle: 1, image: Image::Texture(texture) },
        Object { handle: 1 << 63, image: Image::Surface(surface) },
    ]
}

#[test]
fn what_was_written_is_read() {
    let mut told = Told::default();
    read(&file()[..], Limits::default(), &mut told).unwrap();
    assert_eq!(told.launch, Some(launch()));
    assert_eq!(told.objects, objects());
    let lengths: Vec<usize> = told.ranges.iter().map(|(_, bytes)| bytes.len()).collect();
    assert_eq!(lengths, [10, 100_001, 3 << 20]);
    assert!(told.ranges.iter().all(|(_, bytes)| *bytes == memory(bytes.len())));
}

#[test]
fn textures_are_where_there_is_memory() {
    let ask = |object: &Object, limits: Limits| {
        let mut writer = Writer::new(Vec::new(), &launch()).unwrap();
        writer.range(&range(4096, 640), filled_with(1)).unwrap();
        writer.object(object).unwrap();
        read(&writer.finish().unwrap()[..], limits, &mut Told::default()).map_err(|e| e.to_string())
    };
    let with = |layout: Layout, element: u32| {
        let surface = Surface { layout, element, layered: false };
        ask(&Object { handle: 7, image: Image::Surface(surface) }, Limits::default())
    };
    let fits = Layout { base: 4096, row: 64, slice: 0, width: 16, height: 10, depth: 1 };
    assert_eq!(with(fits, 4), Ok(()));
    for (layout, element) in [
        (Layout { base: 4100, ..fits }, 4),
        (Layout { base: 4095, ..fits }, 4),
        (Layout { base: 1, ..fits }, 4),
        (Layout { height: 11, ..fits }, 4),
        (Layout { width: 17, ..fits }, 4),
        (Layout { width: 0, height: 0, ..fits }, 4),
        (Layout { row: u64::MAX, ..fits }, 4),
        (Layout { slice: u64::MAX, depth: 3, ..fits }, 4),
        (fits, 3),
        (fits, 0),
    ] {
        let error = with(layout, element).unwrap_err();
        assert!(error.contains("the texture or surface 0x7 is not in its memory"), "{layout:?}: {error}");
    }
    let [texture, _] = objects();
    let Image::Texture(odd) = texture.image else { panic!() };
    for odd in [Texture { channels: 3, ..odd }, Texture { bits: 64, ..odd }, Texture { channels: 0, ..odd }] {
        let layout = Layout { base: 4096, height: 2, ..odd.layout };
        let object = Object { handle: 2, image: Image::Texture(Texture { layout, ..odd }) };
        assert!(ask(&object, Limits::default()).is_err());
    }
    let one =
        Object { handle: 7, image: Image::Surface(Surface { layout: fits, element: 4, layered: false }) };
    let few = ask(&one, Limits { objects: 0, ..Limits::default() }).unwrap_err();
    assert!(few.contains("more than 0 textures"), "{few}");
    // A range behind an object is an error.
    let mut writer = Writer::new(Vec::new(), &launch()).unwrap();
    writer.range(&range(4096, 640), filled_with(0)).unwrap();
    writer.object(&one).unwrap();
    writer.range(&range(8192, 16), filled_with(0)).unwrap();
    let behind = read(&writer.finish().unwrap()[..], Limits::default(), &mut Told::default());
    assert!(behind.unwrap_err().to_string().contains("memory is behind"));
}

#[test]
fn files_of_earlier_versions_are_read() {
    let mut old = Writer::new(Vec::new(), &launch()).unwrap().finish().unwrap();
    assert_eq!(old[8], VERSION as u8);
    old[8] = 1;
    assert!(read(&old[..], Limits::default(), &mut Told::default()).is_ok());
    old[8] = 0;
    let error = read(&old[..], Limits::default(), &mut Told::default()).unwrap_err();
    assert!(matches!(error, File(Error::Version(0))));
}

#[test]
fn what_several_threads_have_written_is_read() {
    let mut told = Told::default();
    let whole = filled(Writer::quick(Vec::new(), &launch(), 3).unwrap());
    read(&whole[..], Limits::default(), &mut told).unwrap();
    assert!(told.ranges.len() == 3 && told.ranges.iter().all(|(_, bytes)| *bytes == memory(bytes.len())));
    for end in (0..whole.len()).step_by(97) {
        assert!(read(&whole[..end], Limits::default(), &mut Told::default()).is_err(), "{end} bytes");
    }
}

#[test]
fn zeros_take_no_room() {
    let mut writer = Writer::new(Vec::new(), &launch()).unwrap();
    writer
        .range(&range(4096, 1 << 28), |_, into| {
            into.fill(0);
            Ok(())
        })
        .unwrap();
    assert!(writer.finish().unwrap().len() < 1000);
}

#[test]
fn a_file_that_was_cut_off_or_changed_is_one_error() {
    let whole = file();
    let ask = |bytes: &[u8]| read(bytes, Limits::default(), &mut Told::default());
    for end in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        let error = ask(&whole[..end]).unwrap_err();
        let expected = if end < 8 {
            matches!(error, File(Error::NotALaunch))
        } else {
            matches!(error, File(Error::Truncated))
        };
        assert!(expected, "{end} bytes: {error}");
    }
    let mut newer = whole.clone();
    newer[8] += 1;
    assert!(matches!(ask(&newer), Err(File(Error::Version(v))) if v == VERSION + 1));
    // The checksum covers the data.
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert!(matches!(ask(&changed), Err(File(Error::Damaged(_)))));
    assert!(matches!(ask(b"\x7fELF and more than that"), Err(File(Error::NotALaunch))));
}

#[test]
fn what_cannot_be_is_refused() {
    let with = |ranges: &[(u64, u64)], limits: Limits| {
        let mut writer = Writer::new(Vec::new(), &launch()).unwrap();
        for &(base, bytes) in ranges {
            // The writer stops at the contents; the forged file has ranges without them.
            writer.range(&range(base, bytes), |_, _| Err(std::io::Error::other("enough"))).unwrap_err();
        }
        read(&writer.finish().unwrap()[..], limits, &mut exercise::Nobody).unwrap_err().to_string()
    };
    let limits = Limits::default();
    for (ranges, expected) in [
        (&[(0, 16)][..], "cannot be there"),
        (&[(u64::MAX - 8, 16)], "cannot be there"),
        (&[(4096, 16), (4100, 16)], "cannot be there"),
        (&[(4096, 1 << 41)], "too large"),
    ] {
        let error = with(ranges, limits);
        assert!(error.contains(expected), "{ranges:?}: {error}");
    }
    let few = with(&[(4096, 16), (8192, 16)], Limits { ranges: 1, ..limits });
    assert!(few.contains("more than 1 ranges"), "{few}");
    let strange = Launch { block: Dim3::new(0, 1, 1), ..launch() };
    let bytes = Writer::new(Vec::new(), &strange).unwrap().finish().unwrap();
    assert!(matches!(read(&bytes[..], limits, &mut exercise::Nobody), Err(File(Error::Damaged(_)))));
}

/// Runs the body of the fuzz target on altered files.
#[test]
fn changed_files_break_nothing() {
    let whole = file();
    let mut seed = 1u64;
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..4 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = 16 + (seed >> 20) as usize % (bytes.len() - 16);
            bytes[at] = (seed >> 50) as u8;
        }
        exercise::exercise(&bytes);
    }
}
