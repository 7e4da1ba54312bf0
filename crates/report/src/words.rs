//! Lists of names and numbers.

use std::fmt::Display;

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `warp 0`, `warps 1 and 3`; many are cut short.
pub(crate) fn counted(noun: &str, items: &[impl Display]) -> String {
    const NAMED: usize = 8;
    match items {
        [one] => format!("{noun} {one}"),
        many if many.len() > NAMED => {
            let rest = format!("{} more", many.len() - NAMED);
            let named = many[..NAMED].iter().map(|item| item.to_string()).chain([rest]);
            format!("{noun}s {}", list(named))
        }
        many => format!("{noun}s {}", list(many)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_one_two_and_many() {
        assert_eq!(list(["a"]), "a");
        assert_eq!(list(["a", "b", "c"]), "a, b and c");
        assert_eq!(counted("warp", &[3]), "warp 3");
        assert_eq!(counted("warp", &[0, 2]), "warps 0 and 2");
        assert_eq!(counted("line", &(0..10).collect::<Vec<_>>()), "lines 0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
    }
}
