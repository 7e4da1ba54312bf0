use super::*;

fn texture() -> Texture {
    Texture {
        base: 0x1000,
        row: 64,
        slice: 640,
        width: 8,
        height: 4,
        depth: 6,
        channels: 1,
        bits: 32,
        kind: ChannelKind::Float,
        addressing: [Addressing::Clamp; 3],
        linear: false,
        normalized_float: false,
        normalized_coordinates: false,
        buffer: false,
        border: [7.0; 4],
    }
}

fn offsets(t: &Texture, geometry: TexGeometry, at: [f32; 3]) -> Vec<(Option<u64>, f32)> {
    let raw = [at[0].to_bits(), at[1].to_bits(), at[2].to_bits(), 0];
    t.corners(geometry, false, raw).iter().map(|c| (c.offset, c.weight)).collect()
}

#[test]
fn an_object_survives_memory() {
    let t = Texture { linear: true, addressing: [Addressing::Mirror; 3], buffer: true, ..texture() };
    assert_eq!(Texture::decode(&t.encode()), Some(t));
    assert_eq!(Texture::decode(&[0; Texture::BYTES]), None);
    assert_eq!(Texture::decode(&[]), None);
}

#[test]
fn points_are_found_whatever_the_addressing() {
    let mut t = texture();
    let at = |t: &Texture, x, y| offsets(t, TexGeometry::D2, [x, y, 0.0])[0].0;
    assert_eq!(at(&t, 3.9, 2.0), Some(2 * 64 + 12));
    assert_eq!(at(&t, -5.0, 99.0), Some(3 * 64));
    t.addressing = [Addressing::Border; 3];
    assert_eq!(at(&t, -0.1, 0.0), None);
    t.normalized_coordinates = true;
    t.addressing = [Addressing::Wrap; 3];
    assert_eq!(at(&t, 1.26, -0.25), Some(3 * 64 + 2 * 4));
    t.addressing = [Addressing::Mirror; 3];
    assert_eq!(at(&t, 1.26, -0.25), Some(64 + 5 * 4));
}

#[test]
fn a_square_has_the_corners() {
    let modes = [Addressing::Wrap, Addressing::Clamp, Addressing::Mirror, Addressing::Border];
    for (i, mode) in modes.into_iter().cycle().take(8).enumerate() {
        let t = Texture {
            linear: true,
            addressing: [mode, modes[i / 2], mode],
            normalized_coordinates: i & 4 != 0,
            ..texture()
        };
        for (x, y) in (-40..80).flat_map(|x| (-20..30).map(move |y| (x as f32 * 0.17, y as f32 * 0.23))) {
            let raw = [x.to_bits(), y.to_bits(), 0, 0];
            let square = t.square(TexGeometry::D2, false, raw).unwrap();
            assert_eq!(t.corners(TexGeometry::D2, false, raw).as_slice(), square, "{x} {y} {mode:?}");
        }
    }
    assert!(texture().square(TexGeometry::D2, false, [0; 4]).is_none());
}

#[test]
fn floors_are_floors() {
    for x in [0.0, -0.5, 1.5, -1.0, 8_388_607.5, -8_388_607.5, 1e20, -1e20, f32::INFINITY] {
        assert_eq!(floor(x), x.floor());
    }
    assert!(floor(f32::NAN).is_nan());
}

#[test]
fn a_point_is_the_only_corner() {
    let modes = [Addressing::Wrap, Addressing::Clamp, Addressing::Mirror, Addressing::Border];
    for (i, mode) in modes.into_iter().cycle().take(16).enumerate() {
        let (normalized, buffer) = (i & 4 != 0, i & 8 != 0);
        let t = Texture { addressing: [mode; 3], normalized_coordinates: normalized, buffer, ..texture() };
        let points: [(f32, f32); 6] =
            [(0.0, 0.0), (0.3, 1.7), (-1.2, 3.9), (7.99, -0.1), (8.0, 4.0), (f32::NAN, 1e30)];
        for (x, y) in points {
            for geometry in [TexGeometry::D1, TexGeometry::D2] {
                for (integers, raw) in [
                    (false, [x.to_bits(), y.to_bits(), 0, 0]),
                    (true, [x as i32 as u32, y as i32 as u32, 0, 0]),
                ] {
                    let corners = t.corners(geometry, integers, raw);
                    assert_eq!(corners.len(), 1);
                    assert_eq!(t.point(geometry, integers, raw), Some(corners[0].offset), "{t:?} {x} {y}");
                }
            }
        }
    }
    assert_eq!(Texture { linear: true, ..texture() }.point(TexGeometry::D2, false, [0; 4]), None);
    assert_eq!(texture().point(TexGeometry::Cube, false, [0; 4]), None);
}

#[test]
fn linear_filtering_weighs_the_neighbours() {
    let t = Texture { linear: true, ..texture() };
    let got = offsets(&t, TexGeometry::D1, [2.75, 0.0, 0.0]);
    assert_eq!(got, [(Some(8), 0.75), (Some(12), 0.25)]);
    let got = offsets(&t, TexGeometry::D2, [0.0, 1.5, 0.0]);
    assert_eq!(got, [(Some(64), 0.5), (Some(128), 0.0), (Some(64), 0.5), (Some(128), 0.0)]);
    assert!(offsets(&t, TexGeometry::D3, [1.0; 3]).len() == 8);
}

#[test]
fn layers_and_faces_are_slices() {
    let t = texture();
    let raw = [2, 1.5f32.to_bits(), 0.5f32.to_bits(), 0];
    assert_eq!(t.corners(TexGeometry::A2, false, raw)[0].offset, Some(2 * 640 + 4));
    assert_eq!(offsets(&t, TexGeometry::Cube, [0.0, 0.0, -1.0])[0].0, Some(5 * 640 + 2 * 64 + 16));
}

#[test]
fn buffers_end() {
    let t = Texture { buffer: true, ..texture() };
    assert_eq!(t.corners(TexGeometry::D1, true, [7, 0, 0, 0])[0].offset, Some(28));
    assert_eq!(t.corners(TexGeometry::D1, true, [8, 0, 0, 0])[0].offset, None);
}

#[test]
fn channels_are_what_their_format_says() {
    let t = Texture { channels: 4, bits: 8, kind: ChannelKind::Signed, ..texture() };
    assert_eq!(t.channels_of(0x7f80_01ff), [u32::MAX, 1, 0xffff_ff80, 127]);
    let t = Texture { normalized_float: true, ..t };
    assert_eq!(t.channels_of(0x7f80_0000).map(f32::from_bits), [0.0, 0.0, -1.0, 1.0]);
    let t = Texture { channels: 1, bits: 16, kind: ChannelKind::Float, ..texture() };
    assert_eq!(f32::from_bits(t.channels_of(0xc100)[0]), -2.5);
}
