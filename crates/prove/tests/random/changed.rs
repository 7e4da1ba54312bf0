//! Kernels of which something is changed.

use super::Dice;

/// The kernel with a third of its ordinary accesses made volatile.
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

/// The kernel with a small variable in shared memory, which some of its accesses leave: launches in which they do fail.
/// Kernels with an mbarrier stay as they are, as what is behind the variable would be that.
pub(crate) fn with_small_shared(text: &str) -> String {
    if text.contains("[m]") {
        return text.to_owned();
    }
    text.replace(".shared .align 8 .b8 s[16384]; .shared .align 8 .b64 m;", ".shared .align 8 .b8 s[256];")
}

/// The kernel with numbers that move: some stores store what was loaded from the second array, and some loads are additions.
pub(crate) fn with_moved(text: &str, seed: u64) -> String {
    let mut dice = Dice(seed ^ 0x2c1b_3c6d);
    // Functions that it calls have registers of their own.
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
