//! Barriers and waits that are there and do too little: masks without a lane, barriers at two places, waits
//! that leave groups under way.

use super::{Made, Source, slimmer};
use crate::change::{Call, Edit};
use report::advice::Spot;

/// Names all lanes in the masks of the warp-wide functions of a line.
pub(super) fn lanes(source: Source<'_>, at: &Spot) -> Option<Made> {
    let i = source.of(at)?;
    let (text, code) = (source.text, source.text.code(i));
    let mut new = String::new();
    let mut rest = code;
    while let Some(at) = ["_sync(", "__syncwarp("].iter().filter_map(|f| Some(rest.find(f)? + f.len())).min()
    {
        let (head, tail) = rest.split_at(at);
        let end = tail.find([',', ')'])?;
        new.push_str(head);
        new.push_str("0xffffffff");
        rest = &tail[end..];
    }
    new.push_str(rest);
    let said = format!("all lanes in the mask of line {}", text.line(i).number);
    (new != code).then(|| Made { said, text: text.replace(i, &new), edits: None })
}

/// Lets all threads meet at one barrier in place of the several that they meet at.
pub(super) fn at_one(source: Source<'_>, spots: &[Spot]) -> Vec<Made> {
    let text = source.text;
    let mut lines: Vec<usize> = spots.iter().filter_map(|spot| source.of(spot)).collect();
    lines.sort_unstable();
    lines.dedup();
    let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else { return vec![] };
    let mut out = Vec::new();
    for &kept in &lines {
        let others: Vec<usize> = lines.iter().copied().filter(|&at| at != kept).collect();
        out.extend(without(source, &others));
    }
    let mut places = [text.ahead(first), text.rounds(last), text.between(first, last)].concat();
    places.dedup();
    for made in source.each(places, Call::Block) {
        let inner = Source { text: &made.text, ..source };
        let numbers: Vec<usize> = lines.iter().filter_map(|&i| made.text.at(text.line(i).number)).collect();
        if let Some(removed) = without(inner, &numbers) {
            let edits = made.edits.zip(removed.edits).map(|(a, b)| [a, b].concat());
            out.push(Made { said: format!("{}, {}", made.said, removed.said), text: removed.text, edits });
        }
    }
    out.extend(split(source, first, last));
    out
}

/// Removes the barriers of some lines.
fn without(source: Source<'_>, lines: &[usize]) -> Option<Made> {
    let numbers: Vec<u32> = lines.iter().map(|&i| source.text.line(i).number).collect();
    let mut text = source.text.clone();
    let mut edits: Vec<Edit> = Vec::new();
    for &line in &numbers {
        let made = slimmer::removed(source.file, &text, line);
        if made.text == text {
            return None;
        }
        text = made.text;
        edits.extend(made.edits.unwrap_or_default());
    }
    (!numbers.is_empty()).then(|| Made {
        said: format!("lines {numbers:?} without their barriers"),
        text,
        edits: Some(edits),
    })
}

/// Ends a branch at its barrier, and begins the other way of it behind the one barrier that is left:
/// `if (c) { a; sync; } else { b; sync; d; }` becomes `bool way = c; if (way) { a; } else { b; } sync; if (!way) { d; }`.
fn split(source: Source<'_>, first: usize, last: usize) -> Option<Made> {
    let text = source.text;
    let at_else = (first + 1..last).find(|&i| text.code(i) == "} else {")?;
    let open = (0..first).rev().find(|&i| text.depth(i) < text.depth(first))?;
    let condition = text.code(open).strip_prefix("if (")?.strip_suffix(") {")?;
    let close = (last..text.len()).find(|&i| text.depth(i + 1) < text.depth(last))?;
    let plain = |i: usize| text.code(i) == "__syncthreads();";
    let same = text.depth(first) == text.depth(last) && text.code(close) == "}";
    let before_else = (first + 1..at_else).all(|i| text.code(i).is_empty());
    if !(plain(first) && plain(last) && same && before_else) || text.to_string().contains("takes_this_way") {
        return None;
    }
    let changed = text
        .replace(last, "if (!takes_this_way) {")
        .insert(last, "__syncthreads();")
        .insert(last, "}")
        .without(first)
        .replace(open, "if (takes_this_way) {")
        .insert(open, &format!("const bool takes_this_way = {condition};"));
    let said =
        format!("one barrier in place of those of lines {:?}", [first, last].map(|i| text.line(i).number));
    Some(Made { said, text: changed, edits: None })
}

/// Functions and instructions that wait until at most so many groups are under way.
const WAITS: [&str; 4] = ["wait_group", "__pipeline_wait_prior(", "wait_prior<", "CP_ASYNC_WAIT("];

/// Lets waits of the function around a spot wait for all groups.
pub(super) fn for_all_groups(source: Source<'_>, at: &Spot) -> Vec<Made> {
    let text = source.text;
    let Some(region) = source.of(at).and_then(|at| text.region(at)) else { return vec![] };
    let inside = (0..text.len()).filter(|&i| region.function.contains(&text.line(i).number));
    inside
        .filter_map(|i| {
            let new = tightened(text.code(i))?;
            let said = format!("line {} waits for all groups", text.line(i).number);
            Some(Made { said, text: text.replace(i, &new), edits: None })
        })
        .collect()
}

fn tightened(code: &str) -> Option<String> {
    let at = WAITS.iter().find_map(|word| Some(code.find(word)? + word.len()))?;
    let (head, tail) = code.split_at(at);
    let digit = tail.find(|c: char| c.is_ascii_digit())?;
    let end = digit + tail[digit..].find(|c: char| !c.is_ascii_digit())?;
    let known = tail[..digit].chars().all(|c| c.is_alphabetic() || " .".contains(c));
    (known && &tail[digit..end] != "0").then(|| format!("{head}{}0{}", &tail[..digit], &tail[end..]))
}

/// Gives the pointer casts of two lines one type: that of the other line, or the pointer's own.
pub(super) fn one_size(source: Source<'_>, spots: &[Spot]) -> Vec<Made> {
    let text = source.text;
    let lines: Vec<usize> = spots.iter().filter_map(|spot| source.of(spot)).collect();
    let mut out = Vec::new();
    for &at in &lines {
        let Some((head, _, pointer, tail)) = cast(text.code(at)) else { continue };
        let others = lines.iter().filter(|&&other| other != at);
        let others = others.filter_map(|&other| cast(text.code(other))).map(|(_, kind, ..)| kind.to_owned());
        for kind in others.chain([format!("volatile decltype(*({pointer}) + 0) *")]) {
            let new = format!("{head}({kind})({pointer}){tail}");
            let said = format!("the whole word in line {}", text.line(at).number);
            out.push(Made { said, text: text.replace(at, &new), edits: None });
        }
    }
    out
}

/// Splits a line at a cast to a volatile pointer: what is before, the type, the pointer, what is behind.
fn cast(code: &str) -> Option<(&str, &str, &str, &str)> {
    if let Some(at) = code.find("reinterpret_cast<volatile ") {
        let (kind, rest) = code[at + "reinterpret_cast<".len()..].split_once(">(")?;
        let (pointer, tail) = rest.split_once(')')?;
        return Some((&code[..at], kind, pointer, tail));
    }
    let at = code.find("(volatile ")?;
    let (kind, rest) = code[at + 1..].split_once(')').filter(|(kind, _)| kind.ends_with('*'))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some((&code[..at], kind, &rest[..end], &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::spot;
    use crate::text::Text;
    use report::advice::Role;

    fn code(line: &str) -> Text {
        Text::new(&format!("__global__ void k() {{\n    {line}\n}}\n"))
    }

    #[test]
    fn masks_name_all_lanes() {
        let text = code("int large = __any_sync(0x7fffffff, mine > 90); __syncwarp(m);");
        let made = lanes(Source { file: "", text: &text }, &spot("", 2, Role::First)).unwrap();
        let expected = "int large = __any_sync(0xffffffff, mine > 90); __syncwarp(0xffffffff);";
        assert_eq!(made.text.code(1), expected);
    }

    #[test]
    fn a_wait_leaves_no_group() {
        let old = r#"asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");"#;
        let new = r#"asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");"#;
        assert_eq!(tightened(old).as_deref(), Some(new));
        assert_eq!(tightened(new), None);
        assert_eq!(tightened("__pipeline_wait_prior(2);").as_deref(), Some("__pipeline_wait_prior(0);"));
        assert_eq!(tightened("cp_async_wait_group(n);"), None);
    }

    #[test]
    fn a_word_is_accessed_whole() {
        let lines = [
            "void k() {",
            "    *(volatile unsigned char*)flags = 1;",
            "    x = *(volatile unsigned*)flags;",
            "}",
        ];
        let text = Text::new(&lines.join("\n"));
        let spots = [spot("", 2, Role::First), spot("", 3, Role::Second)];
        let all = one_size(Source { file: "", text: &text }, &spots);
        assert_eq!(all[0].text.code(1), "*(volatile unsigned*)(flags) = 1;");
        let (head, kind, pointer, tail) = cast("a = *reinterpret_cast<volatile int *>(c);").unwrap();
        assert_eq!((head, kind, pointer, tail), ("a = *", "volatile int *", "c", ";"));
    }

    #[test]
    fn two_ways_of_a_branch_meet_at_one_barrier() {
        let lines =
            ["__global__ void k() {", "    if (t < 32) {", "        a();", "        __syncthreads();"];
        let more = ["    } else {", "        b();", "        __syncthreads();", "        c();", "    }", "}"];
        let text = Text::new(&[&lines[..], &more[..]].concat().join("\n"));
        let source = Source { file: "", text: &text };
        let all = at_one(source, &[spot("", 4, Role::First), spot("", 7, Role::Second)]);
        let last = all.last().unwrap().text.to_string();
        let expected = [
            "const bool takes_this_way = t < 32;",
            "if (takes_this_way) {",
            "a();",
            "} else {",
            "b();",
            "}",
            "__syncthreads();",
            "if (!takes_this_way) {",
            "c();",
            "}",
            "}",
        ];
        let found: Vec<&str> = last.lines().skip(1).map(str::trim).collect();
        assert_eq!(found, expected);
    }
}
