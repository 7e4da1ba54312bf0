//! Atomic operations in place of ordinary accesses.

use super::{Made, Source};
use crate::change::{Atomic, Edit};
use crate::text::Text;
use report::advice::Spot;

/// `lead place operator= value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assignment<'t> {
    /// The text before the statement on its line: `else`, `do`, `if (…)`, `for (…)`, `while (…)`.
    pub(super) lead: &'t str,
    pub(super) place: &'t str,
    /// `+` of `+=`; empty for `=`.
    pub(super) operator: &'t str,
    pub(super) value: &'t str,
}

impl<'t> Assignment<'t> {
    /// Reads a statement without its semicolon.
    pub(super) fn parse(statement: &'t str) -> Option<Self> {
        // Several statements in one line.
        let (lead, rest) = lead(statement).filter(|(_, rest)| !rest.contains(';'))?;
        let alone = |place: &&str| is_place(place.trim());
        if let Some(place) = rest.strip_suffix("++").or_else(|| rest.strip_prefix("++")).filter(alone) {
            return Some(Assignment { lead, place: place.trim(), operator: "+", value: "1" });
        }
        let at = rest.find(" = ").or_else(|| {
            let mut all = ["+", "-", "*", "|", "&", "^"].iter();
            all.find_map(|o| rest.find(&format!(" {o}= ")).map(|at| at + 1))
        })?;
        let (left, right) = rest.split_at(at);
        let (operator, value) = right.trim_start().split_once("= ")?;
        let place = left.trim();
        (!place.is_empty()).then_some(Assignment { lead, place, operator, value: value.trim() })
    }
}

/// Splits a statement into the keywords and conditions that lead to it, and the rest.
fn lead(statement: &str) -> Option<(&str, &str)> {
    let mut rest = statement;
    loop {
        if let Some(after) = ["else ", "do "].iter().find_map(|word| rest.strip_prefix(word)) {
            rest = after.trim_start();
            continue;
        }
        let words = ["if (", "if constexpr (", "for (", "while ("];
        let Some(after) = words.iter().find_map(|word| rest.strip_prefix(word)) else { break };
        let mut depth = 1;
        let end = after.char_indices().find_map(|(i, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            (depth == 0).then_some(i)
        })?;
        rest = after[end + 1..].trim_start();
    }
    Some(statement.split_at(statement.len() - rest.len()))
}

/// Makes the plain accesses at the spots atomic.
pub(super) fn made(source: Source<'_>, at: &[Spot]) -> Vec<Made> {
    let reads = |spot: &Spot| spot.instruction.starts_with("ld.");
    let mut spots: Vec<(usize, bool)> =
        at.iter().filter_map(|spot| Some((source.of(spot)?, reads(spot)))).collect();
    spots.sort_unstable();
    // A line that reads and writes is an update.
    spots.dedup_by_key(|(line, _)| *line);
    let mut text = source.text.clone();
    let mut edits = Vec::new();
    for &(line, reads) in &spots {
        let Some((changed, form)) = one(&text, line, reads) else { continue };
        text = changed;
        let number = source.text.line(line).number;
        edits.push(Edit::Atomic { file: source.file.to_owned(), line: number, form });
    }
    if edits.is_empty() {
        return vec![];
    }
    let numbers: Vec<u32> = spots.iter().map(|&(i, _)| source.text.line(i).number).collect();
    vec![Made { said: format!("atomic accesses in lines {numbers:?}"), text, edits: Some(edits) }]
}

/// Returns a volatile read of a place.
fn volatile(place: &str) -> String {
    format!("*(volatile decltype({place} + 0) *)&({place})")
}

/// Replaces the plain statement of a line by an atomic operation. `reads` tells that the line's value is what
/// races, not its place.
fn one(text: &Text, at: usize, reads: bool) -> Option<(Text, Atomic)> {
    let code = text.code(at);
    if code.contains("atomic") || code.contains("volatile") {
        return None;
    }
    if let Some(changed) = loop_condition(code) {
        return Some((text.replace(at, &changed), Atomic::Load));
    }
    let statement = code.strip_suffix(';')?;
    // The last line of a conditional expression.
    if let Some(place) = statement.strip_prefix(": ").filter(|place| is_place(place)) {
        return Some((text.replace(at, &format!(": {};", volatile(place))), Atomic::Load));
    }
    let a = Assignment::parse(statement)?;
    if reads && a.operator.is_empty() && is_place(a.value) {
        let new = format!("{}{} = {};", a.lead, a.place, volatile(a.value));
        return Some((text.replace(at, &new), Atomic::Load));
    }
    let (place, value) = (a.place, a.value);
    if !a.operator.is_empty() && !is_place(place) {
        return None;
    }
    let (new, form) = match a.operator {
        "+" => (format!("atomicAdd(&({place}), {value});"), Atomic::Update),
        "-" => (format!("atomicSub(&({place}), {value});"), Atomic::Update),
        "|" => (format!("atomicOr(&({place}), {value});"), Atomic::Update),
        "&" => (format!("atomicAnd(&({place}), {value});"), Atomic::Update),
        "^" => (format!("atomicXor(&({place}), {value});"), Atomic::Update),
        "" => match value.strip_suffix("++") {
            Some(counter) => (format!("{place} = atomicAdd(&({counter}), 1);"), Atomic::Fetch),
            // A declaration reads the value, one value.
            None if place.contains(' ') && !is_place(value) => return None,
            None if place.contains(' ') => (format!("{place} = {};", volatile(value)), Atomic::Load),
            None => (format!("atomicExch(&({place}), {value});"), Atomic::Store),
        },
        _ => return None,
    };
    Some((text.replace(at, &format!("{}{new}", a.lead)), form))
}

/// Makes the read of `while (place == value)` and of `if (place == value)` volatile.
fn loop_condition(code: &str) -> Option<String> {
    let (word, rest) =
        ["while (", "if ("].iter().find_map(|w| code.strip_prefix(w).map(|rest| (*w, rest)))?;
    let read = volatile;
    if let Some(place) = rest.strip_prefix('!') {
        let (place, rest) = place.split_once(')')?;
        return is_place(place).then(|| format!("{word}!{}){rest}", read(place)));
    }
    let operator = [" == ", " != ", " < ", " > ", " <= ", " >= "].iter().find(|o| rest.contains(**o))?;
    let (place, rest) = rest.split_once(operator)?;
    // An assignment under a condition is the statement's own.
    let reads =
        rest.ends_with(") {") || rest.ends_with(");") || rest.ends_with(") {}") || rest.ends_with(") ;");
    (reads && is_place(place)).then(|| format!("{word}{}{operator}{rest}", read(place)))
}

/// Returns whether the text can be an lvalue without side effects.
fn is_place(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_[]*.->&() +".contains(c);
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(plain)
        && !text.contains("++")
        && !text.contains("()")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(code: &str) -> Option<(String, Atomic)> {
        let text = Text::new(&format!("void k() {{\n    {code}\n}}\n"));
        one(&text, 1, false).map(|(text, form)| (text.code(1).to_owned(), form))
    }

    /// An `else` in front of a statement had become part of its place.
    #[test]
    fn words_before_a_statement_stay_before_it() {
        let is = |code: &str, new: &str, form| assert_eq!(changed(code), Some((new.to_owned(), form)));
        is("else sum[0] += 1;", "else atomicAdd(&(sum[0]), 1);", Atomic::Update);
        is("else *flag = 1;", "else atomicExch(&(*flag), 1);", Atomic::Store);
        is("else if (a(b) == 0) x -= 2;", "else if (a(b) == 0) atomicSub(&(x), 2);", Atomic::Update);
        let each = "for (int i = 0; i < n; i++) x += in[i];";
        is(each, "for (int i = 0; i < n; i++) atomicAdd(&(x), in[i]);", Atomic::Update);
    }

    #[test]
    fn what_is_read_becomes_volatile_and_not_where_it_goes() {
        let text = Text::new("void k() {\n    else seen = table->payload;\n    : counts[source];\n}\n");
        let (changed, form) = one(&text, 1, true).unwrap();
        let expected = "else seen = *(volatile decltype(table->payload + 0) *)&(table->payload);";
        assert_eq!((changed.code(1), form), (expected, Atomic::Load));
        let (changed, _) = one(&text, 2, true).unwrap();
        assert_eq!(changed.code(2), ": *(volatile decltype(counts[source] + 0) *)&(counts[source]);");
    }

    #[test]
    fn statements_become_atomic() {
        let is = |code: &str, new: &str, form| assert_eq!(changed(code), Some((new.to_owned(), form)));
        is("x[i] += 2;", "atomicAdd(&(x[i]), 2);", Atomic::Update);
        is("if (f(t) == 0) *n |= 4;", "if (f(t) == 0) atomicOr(&(*n), 4);", Atomic::Update);
        is("x++;", "atomicAdd(&(x), 1);", Atomic::Update);
        is("*flag = 1;", "atomicExch(&(*flag), 1);", Atomic::Store);
        is("int v = *flag;", "int v = *(volatile decltype(*flag + 0) *)&(*flag);", Atomic::Load);
        is(
            "while (*flag == 0) {}",
            "while (*(volatile decltype(*flag + 0) *)&(*flag) == 0) {}",
            Atomic::Load,
        );
        is("int job = (*head)++;", "int job = atomicAdd(&((*head)), 1);", Atomic::Fetch);
        assert_eq!(changed("f(x);"), None);
        assert_eq!(changed("x = 1; y += 2;"), None);
        assert_eq!(changed("int v = 1;"), None);
        assert_eq!(changed("int v = f(x, y);"), None);
        assert_eq!(changed("atomicAdd(x, 1);"), None);
    }
}
