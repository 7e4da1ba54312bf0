use super::*;
use Argument::{Float, Int};

#[derive(Clone, Copy)]
enum Argument {
    /// A number, or the address of a string.
    Int(u64),
    Float(f64),
}

/// Formats with `text` as the content of every string.
fn print(text: &str, arguments: &[Argument]) -> String {
    let format = Format::of(text.as_bytes());
    let buffer = buffer(&format, arguments);
    let mut out = Text::default();
    format.print(&mut out, &mut Before::default(), &buffer, |_| b"text");
    String::from_utf8(out.as_bytes().to_vec()).unwrap()
}

fn buffer(format: &Format, arguments: &[Argument]) -> Vec<u8> {
    let mut buffer = vec![0; format.room];
    let mut arguments = arguments.iter();
    let mut put = |at: usize, bytes: usize| {
        let value = match arguments.next() {
            Some(Int(v)) => *v,
            Some(Float(v)) => v.to_bits(),
            None => 0,
        };
        buffer[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    };
    for piece in &format.pieces {
        let Piece::Conversion(s) = piece else { continue };
        for star in [s.width_at, s.precision_at].into_iter().flatten() {
            put(star, 4);
        }
        put(s.at, s.bytes);
    }
    buffer
}

/// Lanes that print in sequence, with some arguments equal to the previous lane's, print the same as each
/// lane alone. A string in a thread's local memory differs from lane to lane at the same address.
#[test]
fn lanes_print_what_each_prints_alone() {
    let mut seed = 1u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    let own = 2 << window::SHIFT;
    let texts = |lane: usize| {
        move |at: u64| match at {
            1 => &b"a text of more than sixteen bytes"[..],
            2 => b"",
            at if at >> window::SHIFT != 0 => &b"0123456789"[..1 + lane % 10],
            _ => b"of all",
        }
    };
    let (mut alike, mut all) = (0, 0);
    for round in 0..300 {
        let format = [
            "block %d thread %d: %d %f %s\n",
            "%s%s|%d",
            "%*d|%.*f",
            "%d",
            "%%only a text, and a long one%%\n",
            "%8.2f%-6d%x%u",
        ][round % 6];
        let format = Format::of(format.as_bytes());
        let (mut together, mut apart) = (Text::default(), String::new());
        let (mut before, mut last) = (Before::default(), None);
        for lane in 0..32 {
            let arguments: Vec<Argument> = (0..6)
                .map(|_| match random(5) {
                    0 => Float(random(1000) as f64 / 7.0),
                    1 => Int([1, 2, own][random(3) as usize]),
                    _ => Int(random(3)),
                })
                .collect();
            let mut now = buffer(&format, &arguments);
            if let Some(last) = last.filter(|_| random(3) != 0) {
                now = last;
                let at = random(6) as usize * 4;
                if let Some(one) = now.get_mut(at) {
                    *one ^= random(2) as u8;
                }
            }
            let mut alone = Text::default();
            let count = format.print(&mut alone, &mut Before::default(), &now, texts(lane));
            assert_eq!(format.print(&mut together, &mut before, &now, texts(lane)), count);
            let alone = std::str::from_utf8(alone.as_bytes()).unwrap();
            (alike, all) = (alike + usize::from(apart.ends_with(alone)), all + 1);
            apart.push_str(alone);
            last = Some(now);
        }
        assert_eq!(std::str::from_utf8(together.as_bytes()).unwrap(), apart, "{round}");
    }
    assert!((all / 10..all * 9 / 10).contains(&alike), "{alike} of {all}");
}

#[test]
fn conversions_print_as_in_c() {
    let minus = Int(u64::from(-5i32 as u32));
    for (f, args, want) in [
        ("%d|%5d|%-5d|%05d|%+d", vec![minus; 5], "-5|   -5|-5   |-0005|-5"),
        ("%u %x %#X %o", vec![Int(255); 4], "255 ff 0XFF 377"),
        ("%lld %hhd", vec![Int(u64::MAX), Int(0x1ff)], "-1 -1"),
        ("100%% %c%s|%6.2s|", vec![Int(65), Int(1), Int(1)], "100% Atext|    te|"),
        ("%f %.2f %8.3f|%-8.1f|%08.2f", vec![Float(2.7145); 5], "2.714500 2.71    2.715|2.7     |00002.71"),
        ("%e %.0e %E", vec![Float(12345.678); 3], "1.234568e+04 1e+04 1.234568E+04"),
        ("%g %g %g %g", vec![Float(1e-5), Float(100000.0), Float(1e6), Float(0.5)], "1e-05 100000 1e+06 0.5"),
        ("%a %.1a", vec![Float(1.0), Float(1.97)], "0x1p+0 0x2.0p+0"),
        ("%f %F", vec![Float(f64::INFINITY), Float(f64::NAN)], "inf NAN"),
        ("%*d|%-*d|%.*f", vec![Int(4), Int(7), Int(4), Int(7), Int(1), Float(2.55)], "   7|7   |2.5"),
        ("%p %k", vec![Int(0x1000)], "0x1000 %k"),
        ("%.3d %5.3d", vec![Int(7), Int(7)], "007   007"),
    ] {
        assert_eq!(print(f, &args), want, "{f}");
    }
}

#[test]
fn arguments_are_aligned_to_their_size() {
    let mut buffer = [0u8; 32];
    buffer[..4].copy_from_slice(&7u32.to_le_bytes());
    buffer[8..16].copy_from_slice(&1.5f64.to_le_bytes());
    buffer[16..20].copy_from_slice(&9u32.to_le_bytes());
    let mut out = Text::default();
    assert_eq!(Format::of(b"%d %f %d").print(&mut out, &mut Before::default(), &buffer, |_| b""), 3);
    assert_eq!(out.as_bytes(), b"7 1.500000 9");
    let rooms = ["", "text", "%d %f %d", "%d%d", "%*.*f", "%s"].map(|text| Format::of(text.as_bytes()).room);
    assert_eq!(rooms, [0, 0, 20, 8, 16, 8]);
}

#[test]
fn long_texts_and_numbers_are_whole() {
    let long = "a literal that is longer than what is copied at once, %% and ".repeat(200);
    assert_eq!(
        print(&format!("{long}%lld"), &[Int(i64::MIN as u64)]),
        long.replace("%%", "%") + "-9223372036854775808"
    );
    assert_eq!(print("%llu|%.0f", &[Int(u64::MAX), Float(1e300)]), format!("{}|{:.0}", u64::MAX, 1e300));
    assert_eq!(print("%+.18f|%4000d", &[Float(0.5), Int(1)]), format!("+{:.18}|{:4000}", 0.5, 1));
}

#[test]
fn numbers_are_rounded_half_to_even() {
    let mut state = 1u64;
    for i in 0..200_000u32 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let v = match i % 5 {
            // Ties, small and large numbers, and any bits.
            0 => f64::from(i) / 64.0,
            1 => (state >> 40) as f64 / 1024.0,
            2 => (state >> 11) as f64 * 2f64.powi(-(i as i32 % 140)),
            3 => f64::from(i) * 0.001,
            _ => f64::from_bits(state >> 1),
        };
        for precision in [1, 2, 6, 9, 15] {
            if v.is_finite() {
                let s = format!("%.{precision}f");
                assert_eq!(print(&s, &[Argument::Float(v)]), format!("{v:.precision$}"), "{v:e} {s}");
            }
        }
    }
    assert_eq!(print("%.1f %.1f %.2f", &[0.25, 0.75, 0.125].map(Argument::Float)), "0.2 0.8 0.12");
    assert_eq!(print("%f %.3f", &[0.9999999, 1e-300].map(Argument::Float)), "1.000000 0.000");
}
