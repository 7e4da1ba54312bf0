//! Random changes of kernels.

use super::Dice;

/// Returns the kernel with a third of its ordinary accesses made volatile.
pub(crate) fn with_volatile(text: &str, seed: u64) -> String {
    let mut dice = Dice(seed ^ 0x5bd1_e995);
    let mut out = String::new();
    for line in text.lines() {
        let ordinary = ["ld.global.u32", "ld.shared.u32", "st.global.u32", "st.shared.u32"];
        match ordinary.iter().find(|name| line.trim_start().starts_with(*name)) {
            Some(name) if dice.one(3) => {
                let (kind, rest) = name.split_at(2);
                out += &line.replacen(name, &format!("{kind}.volatile{rest}"), 1);
            }
            _ => out += line,
        }
        out.push('\n');
    }
    out
}

/// Returns the kernel with a small shared variable that some of its accesses exceed; launches in which they
/// do fail. Kernels with an mbarrier stay unchanged, because accesses behind the variable would touch it.
pub(crate) fn with_small_shared(text: &str) -> String {
    if text.contains("[m]") {
        return text.to_owned();
    }
    text.replace(".shared .align 8 .b8 s[16384]; .shared .align 8 .b64 m;", ".shared .align 8 .b8 s[256];")
}

/// Returns the kernel with values that move through memory: some stores store what was loaded from the second
/// array, and some loads become additions.
pub(crate) fn with_moved(text: &str, seed: u64) -> String {
    let mut dice = Dice(seed ^ 0x2c1b_3c6d);
    // The functions that it calls have their own registers.
    let (before, text) = text.split_at(text.find(".visible .entry").unwrap_or(0));
    let mut out = String::new();
    for line in text.lines() {
        let (start, rest) = line.split_at(line.len() - line.trim_start().len());
        let load = ["global", "shared"].iter().find_map(|space| {
            let (to, at) =
                rest.strip_prefix(&format!("ld.{space}.u32 "))?.strip_suffix(';')?.split_once(", ")?;
            Some(format!("atom.{space}.add.u32 {to}, {at}, 1;"))
        });
        let store = ["st.global.u32 ", "st.shared.u32 "].iter().any(|s| rest.starts_with(s));
        match load {
            Some(atom) if dice.one(4) => out += &format!("{start}{atom}"),
            None if store && rest.ends_with(", 7;") && dice.one(2) => {
                let place = 1024 + 4 * dice.roll(8);
                out += &format!(
                    "{start}ld.global.u32 %moved, [%rd2+{place}];\n{start}and.b32 %moved, %moved, 15;\n"
                );
                out += &format!("{start}{}%moved;", rest.trim_end_matches("7;"));
            }
            _ => out += line,
        }
        out.push('\n');
    }
    before.to_owned() + &out.replacen(".reg .b32", ".reg .b32 %moved; .reg .b32", 1)
}
