//! One kernel of a module as a text of its own, so that it can be instrumented when it is first used.
//!
//! A part consists of items of the module, unchanged and in their order: the kernel, all that its text names, and what
//! all kernels share (line information, debug sections, pragmas). The other items are blank, so that lines keep their
//! numbers. `validate::part` proves this of each part.
//!
//! A part is loaded beside the program's own module and shares no memory with it. So only kernels that name no variable
//! that outlives a launch can be parts; others stay *together* with their module.

use crate::guard::launches::launches;
use ptx::ast::{Function, FunctionKind, Item, Module, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use validate::shares_nothing;

/// A module whose kernels can be parts.
#[derive(Clone, Debug)]
pub struct Parts {
    text: String,
    /// The functions and variables.
    items: Vec<Span>,
    /// The items that each kernel needs, if it can be a part.
    kernels: BTreeMap<String, BTreeSet<usize>>,
    /// Whether some kernels stay together with the module.
    together: bool,
}

/// A function or a variable of the module.
struct Named<'m> {
    name: &'m str,
    span: Span,
    item: &'m Item,
}

impl Parts {
    /// Returns the parts of a module; `None` if there would be fewer than `fewest`, or if functions may be called in other
    /// ways than by their names.
    pub fn of(text: &str, fewest: usize) -> Option<Parts> {
        // Kernels that launch others need them in their module.
        if text.matches(".entry").count() < fewest || text.contains(".callprototype") || launches(text) {
            return None;
        }
        let parse = ptx::parse(text);
        if !parse.errors.is_empty() {
            return None;
        }
        let items = named(&parse.module)?;
        let needs: Vec<BTreeSet<usize>> = needs(text, &items);
        let (mut kernels, mut together) = (BTreeMap::new(), BTreeSet::new());
        for (n, item) in items.iter().enumerate() {
            if kind(item.item) != Some(FunctionKind::Entry) {
                continue;
            }
            let all = reached(n, &needs);
            let lasting = |n: &usize| matches!(items[*n].item, Item::Variable(v) if !shares_nothing(v));
            match all.iter().any(lasting) {
                true => together.extend(all),
                false => drop(kernels.insert(item.name.to_owned(), all)),
            }
        }
        // Functions exchange the state of a thread with their callers only if all kernels of a module are instrumented.
        let calls = together.iter().any(|n| kind(items[*n].item) == Some(FunctionKind::Func));
        (kernels.len() >= fewest && !calls).then(|| Parts {
            text: text.to_owned(),
            items: items.iter().map(|item| item.span).collect(),
            kernels,
            together: !together.is_empty(),
        })
    }

    /// Returns whether a kernel can be a part.
    pub fn is_apart(&self, kernel: &str) -> bool {
        self.kernels.contains_key(kernel)
    }

    /// Returns the kernels that can be parts.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }

    /// Returns whether some kernels of the module cannot be parts.
    pub fn has_others(&self) -> bool {
        self.together
    }

    /// Returns the whole module.
    pub fn whole(&self) -> &str {
        &self.text
    }

    /// Returns about how many instructions of a kernel's part access memory; seldom less.
    pub fn accesses(&self, kernel: &str) -> u32 {
        const OPCODES: [&str; 10] =
            ["ld.", "st.", "atom.", "red.", "cp.", "ldmatrix.", "stmatrix.", "wmma.", "ldu.", "multimem."];
        let kept = self.kernels.get(kernel).into_iter().flatten();
        let bodies = kept.filter_map(|&n| {
            let span = self.items.get(n)?;
            self.text.get(span.start as usize..span.end as usize)
        });
        let accesses = |line: &str| {
            let words = line.split_ascii_whitespace();
            words.filter(|word| OPCODES.iter().any(|opcode| word.starts_with(opcode))).count() as u32
        };
        let private = |line: &str| line.contains("ld.param") || line.contains("st.param");
        bodies.flat_map(str::lines).filter(|line| !private(line)).map(accesses).sum()
    }

    /// Returns the text of a kernel's part.
    pub fn text(&self, kernel: &str) -> Option<String> {
        let kept = self.kernels.get(kernel)?;
        let (mut out, mut from) = (String::new(), 0);
        for (n, span) in self.items.iter().enumerate().filter(|(n, _)| !kept.contains(n)) {
            debug_assert!(self.items.get(n + 1).is_none_or(|next| next.start >= span.end));
            out.push_str(self.text.get(from..span.start as usize)?);
            let dropped = self.text.get(span.start as usize..span.end as usize)?;
            out.extend(dropped.chars().filter(|c| *c == '\n'));
            from = span.end as usize;
            // The end of a declaration lies behind its span.
            let rest = self.text.get(from..)?;
            let behind = rest.trim_start();
            if behind.starts_with(';') {
                out.extend(rest[..rest.len() - behind.len()].chars().filter(|c| *c == '\n'));
                from = self.text.len() - behind.len() + 1;
            }
        }
        out.push_str(self.text.get(from..)?);
        Some(out)
    }
}

fn kind(item: &Item) -> Option<FunctionKind> {
    match item {
        Item::Function(Function { kind, .. }) => Some(*kind),
        _ => None,
    }
}

/// Returns the functions and variables of a module; `None` if it has items of which parts cannot be made.
fn named(module: &Module) -> Option<Vec<Named<'_>>> {
    let mut out: Vec<Named<'_>> = Vec::new();
    for item in &module.items {
        let (name, span) = match item {
            Item::Function(function) => (&function.name.text, function.span),
            Item::Variable(variable) => (&variable.name.text, variable.span),
            Item::Alias(..) | Item::Other { .. } => return None,
            Item::File(_) | Item::Section(_) | Item::Pragma(_) => continue,
        };
        // Several variables of one declaration.
        if out.last().is_some_and(|last| last.span.end > span.start) {
            return None;
        }
        out.push(Named { name, span, item });
    }
    Some(out)
}

/// Returns the items that each item's text names. A name of a body's own may be taken for that of an item, which is then
/// kept needlessly.
fn needs(text: &str, items: &[Named<'_>]) -> Vec<BTreeSet<usize>> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (n, item) in items.iter().enumerate() {
        by_name.entry(item.name).or_default().push(n);
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let of = |item: &Named<'_>| {
        let body = text.get(item.span.start as usize..item.span.end as usize).unwrap_or_default();
        let words = body.split(|c: char| !is_name(c));
        words.filter_map(|word| by_name.get(word)).flatten().copied().collect()
    };
    items.iter().map(of).collect()
}

/// Returns all items that an item needs, itself included.
fn reached(from: usize, needs: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let (mut all, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(next) = left.pop() {
        if all.insert(next) {
            left.extend(&needs[next]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::Parts;
    use validate::part;

    const TEXT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.file 1 \"a.cu\"
.func inner(.param .b32 a);
.visible .global .align 4 .u32 total;
.global .align 1 .b8 $str[3] = {104, 105, 0};
.shared .align 4 .b8 tile[64];
.func inner(.param .b32 a)
{
ret;
}
.visible .entry first()
{
.reg .b64 %rd<2>;
mov.u64 %rd1, $str;
ret;
}
.visible .entry second()
{
.reg .b32 %r<2>;
ld.shared.u32 %r1, [tile];
{
.param .b32 a;
st.param.b32 [a], %r1;
call inner, (a);
}
ret;
}
.visible .entry third()
{
.reg .b32 %r<2>;
ld.global.u32 %r1, [total+0];
ret;
}
";

    #[test]
    fn a_part_has_what_its_kernel_names_in_the_same_lines() {
        let parts = Parts::of(TEXT, 2).unwrap();
        assert_eq!(["first", "second", "third"].map(|k| parts.is_apart(k)), [true, true, false]);
        assert!(parts.has_others() && parts.text("third").is_none());
        let second = parts.text("second").unwrap();
        assert_eq!(part(TEXT, &second), Ok(()));
        assert_eq!(second.lines().count(), TEXT.lines().count());
        for (n, (kept, line)) in second.lines().zip(TEXT.lines()).enumerate() {
            let dropped = matches!(n + 1, 6 | 7 | 13..=18 | 30..=35);
            assert_eq!(kept, if dropped { "" } else { line }, "line {}", n + 1);
        }
        assert_eq!(["first", "second"].map(|kernel| parts.accesses(kernel)), [0, 1]);
        let first = parts.text("first").unwrap();
        assert_eq!(part(TEXT, &first), Ok(()));
        assert!(first.contains("$str[3]") && !first.contains("inner") && !first.contains("tile"));
    }

    #[test]
    fn some_modules_have_no_parts() {
        let no_parts = |text: &str| Parts::of(text, 2).is_none();
        assert!(!no_parts(TEXT) && Parts::of(TEXT, 3).is_none());
        assert!(no_parts(&TEXT.replace("[tile]", "[total]")), "a function is called by a kernel that stays");
        assert!(no_parts(&TEXT.replace(
            "ret;\n}\n.visible .entry third",
            "p: .callprototype _ ();\nret;\n}\n.visible .entry third"
        )));
        assert!(no_parts(&TEXT.replace(".func inner(.param .b32 a);", ".alias a, inner;")));
        // Variables of one declaration cannot be told apart.
        assert!(no_parts(&TEXT.replace("tile[64]", "tile[64], other[4]")));
    }
}
