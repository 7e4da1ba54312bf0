//! Checks `.approx` instructions over whole ranges of arguments against hashes of an H200's results
//! (`tests/ptx/results/mufu.txt`).

use simt::num::approx;
use simt::num::half::Half;

/// Returns an instruction as a function of bit patterns; for `f64`, of upper words.
fn function(name: &str) -> fn(u32) -> u32 {
    fn upper(a: u64) -> u32 {
        assert_eq!(a as u32, 0, "the lower word is zero");
        (a >> 32) as u32
    }
    match name {
        "rcp.approx.ftz.f32" => |a| approx::rcp(a, true),
        "rsqrt.approx.ftz.f32" => |a| approx::rsqrt(a, true),
        "sqrt.approx.ftz.f32" => |a| approx::sqrt(a, true),
        "lg2.approx.ftz.f32" => |a| approx::lg2(a, true),
        "ex2.approx.ftz.f32" => |a| approx::ex2(a, true),
        "sin.approx.ftz.f32" => |a| approx::sin(a, true),
        "cos.approx.ftz.f32" => |a| approx::cos(a, true),
        "ex2.approx.f16" => |a| approx::ex2_half(Half::F16, a as u16).into(),
        "ex2.approx.ftz.bf16" => |a| approx::ex2_half(Half::Bf16, a as u16).into(),
        "rcp.approx.ftz.f64" => |a| upper(approx::rcp_f64(u64::from(a) << 32)),
        "rsqrt.approx.ftz.f64" => |a| upper(approx::rsqrt_f64(u64::from(a) << 32, true)),
        other => panic!("no function for {other}"),
    }
}

/// Returns whether a range's results have the recorded hash, FNV-1a over 32-bit words.
fn check(line: &str) -> bool {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let &[name, start, step, count, expected] = &fields[..] else { panic!("bad line: {line}") };
    let hex = |s| u64::from_str_radix(s, 16).unwrap();
    let (f, start) = (function(name), hex(start) as u32);
    let (step, count): (u32, u32) = (step.parse().unwrap(), count.parse().unwrap());
    let hash = (0..count).fold(0xcbf2_9ce4_8422_2325, |h: u64, i| {
        (h ^ u64::from(f(start.wrapping_add(i * step)))).wrapping_mul(0x100_0000_01b3)
    });
    hash == hex(expected)
}

#[test]
fn whole_ranges_agree_with_the_recordings() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ptx/results/mufu.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(lines.len(), 15);
    let wrong: Vec<&str> = std::thread::scope(|scope| {
        // Two threads: some ranges have 2^24 arguments.
        let halves = [0, 1].map(|half| {
            let part: Vec<&str> = lines.iter().copied().skip(half).step_by(2).collect();
            scope.spawn(move || part.into_iter().filter(|line| !check(line)).collect::<Vec<_>>())
        });
        halves.into_iter().flat_map(|h| h.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "these ranges differ from the GPU: {wrong:#?}");
}
