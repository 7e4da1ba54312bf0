//! Names as their authors wrote them.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};
use std::borrow::Cow;

/// `_Z9reduceSumPKfPfi` as `reduceSum(float const*, float*, int)`. Names that are not mangled
/// come back as they are.
pub fn full(mangled: &str) -> String {
    demangle(mangled, DemangleOptions::new().hide_expression_literal_types())
}

/// The same without return type and parameters: `reduceSum`, `scan<float, 128>`.
pub fn short(mangled: &str) -> String {
    demangle(mangled, DemangleOptions::new().no_params().no_return_type().hide_expression_literal_types())
}

/// A variable without the scopes around it: `_ZZ9reduceSumPKfPfiE7partial` as `partial`.
pub fn variable(mangled: &str) -> String {
    // The compiler's name for a member that it keeps apart.
    let whole = mangled.rsplit_once("_$_").filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    let name = full(whole.map_or(mangled, |(name, _)| name));
    match last_scope(&name) {
        "" => name,
        last => last.to_owned(),
    }
}

/// A function's name without parameters and template arguments, so that all instances of a template have the
/// same: `scan`.
pub fn base(mangled: &str) -> String {
    without_arguments(&short(mangled), "")
}

/// A name to read past, not to search for: of one that is longer than a line, template arguments are left out.
pub fn abridged(name: &str) -> Cow<'_, str> {
    const LINE: usize = 100;
    if name.chars().count() <= LINE {
        return Cow::Borrowed(name);
    }
    Cow::Owned(without_arguments(name, "<…>"))
}

/// The name with `instead` in the place of each list of template arguments.
fn without_arguments(name: &str, instead: &str) -> String {
    let (mut out, mut depth, mut previous) = (String::new(), 0u32, ' ');
    for c in name.chars() {
        let operator = depth == 0 && (out.ends_with("operator") || out.ends_with("operator<"));
        match c {
            '<' if !operator => {
                if depth == 0 {
                    out.push_str(instead);
                }
                depth += 1;
            }
            '>' if depth > 0 && previous != '-' => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
        previous = c;
    }
    out
}

fn demangle(mangled: &str, options: DemangleOptions) -> String {
    if !mangled.starts_with("_Z") {
        return mangled.to_owned();
    }
    // The default limits reject deeply nested templates of libcu++ and thrust.
    let parse = ParseOptions::default().recursion_limit(512);
    Symbol::new_with_options(mangled, &parse)
        .ok()
        .and_then(|symbol| symbol.demangle_with_options(&options).ok())
        .map_or_else(|| mangled.to_owned(), |name| pythons(without_internal_namespaces(&name)))
}

/// A kernel of Numba's as Python names it: `module.kernel` for `module::kernel[abi:v1][abi:cw51…]`, without the script's own
/// module, `__main__`. Its tags tell versions of a function and the compiler's flags. Other names come back as they are.
fn pythons(name: String) -> String {
    let Some((path, tagged)) = name.split_once("[abi:v") else { return name };
    let Some(rest) = tagged.split_once("][abi:c").and_then(|(version, flags)| {
        let is_number = version.bytes().all(|b| b.is_ascii_digit());
        flags.split_once(']').filter(|_| is_number).map(|(_, rest)| rest)
    }) else {
        return name;
    };
    let path = path.replace("::", ".");
    format!("{}{rest}", path.strip_prefix("__main__.").unwrap_or(&path))
}

/// nvcc puts functions with internal linkage into namespaces such as
/// `_INTERNAL_5b779deb_4_c_cu_main_1234` or `_GLOBAL__N__…`: noise to a reader.
fn without_internal_namespaces(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("_INTERNAL_").or_else(|| rest.find("_GLOBAL__N__")) {
        let starts_word = at == 0 || !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match rest[at..].find("::").filter(|_| starts_word) {
            Some(end) => {
                out.push_str(&rest[..at]);
                rest = &rest[at + end + 2..];
            }
            None => break,
        }
    }
    out.push_str(rest);
    out
}

/// Returns the text behind the last `::` that is not inside brackets.
fn last_scope(name: &str) -> &str {
    let (mut depth, mut start, mut previous) = (0i32, 0, ' ');
    for (at, c) in name.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ':' if previous == ':' && depth == 0 => start = at + 1,
            _ => {}
        }
        previous = c;
    }
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_numba_have_their_python_names() {
        let flags = "B2v1B108cw51cXTLSUwv1sDUaKthqaNgoKmjgMVuW1AiA8rAEg2UjxRKtuAI0FEA2gSVRE8cSMKQdIgkgJq2YBJIfrWtVofFgLqVAjQm1YGSQJ5xrSYA";
        let array = "E5ArrayIiLi1E1C7mutable7alignedE";
        let script = format!("_ZN8__main__7reverse{flags}{array}");
        assert_eq!(short(&script), "reverse");
        assert_eq!(full(&script), "reverse(Array<int, 1, C, mutable, aligned>)");
        assert_eq!(base(&script), "reverse");
        assert_eq!(short(&format!("_ZN3pkg5tools7reverse{flags}{array}")), "pkg.tools.reverse");
        assert_eq!(short("_ZN3pkg7reverseB2v1Ei"), "pkg::reverse[abi:v1]");
    }

    #[test]
    fn kernels_and_variables() {
        assert_eq!(full("_Z9reduceSumPKfPfi"), "reduceSum(float const*, float*, int)");
        assert_eq!(short("_Z9reduceSumPKfPfi"), "reduceSum");
        assert_eq!(variable("_ZZ9reduceSumPKfPfiE7partial"), "partial");
        assert_eq!(variable("_ZZ6rangesPKiPiE5range_$_0"), "range");
        assert_eq!(variable("counter"), "counter");
        assert_eq!(full("main"), "main");
        assert_eq!(base("_Z4scanIfLi128EEvPT_"), "scan");
        assert_eq!(base("main"), "main");
        assert_eq!(short("_Z4scanIfLi128EEvPT_"), "scan<float, 128>");
    }

    #[test]
    fn long_names_lose_their_template_arguments() {
        let long = "a::b::c<a::d<1, 2>, a::strided_iterator_t<int, 3> >";
        assert_eq!(abridged(long), long);
        let twice = format!("{long}({long}, {long})::operator<<(int) const::{{lambda(int)#1}}::operator->");
        assert_eq!(
            abridged(&twice),
            "a::b::c<…>(a::b::c<…>, a::b::c<…>)::operator<<(int) const::{lambda(int)#1}::operator->"
        );
    }

    #[test]
    fn internal_namespaces_are_left_out() {
        assert_eq!(without_internal_namespaces("_INTERNAL_5b779deb_4_c_cu_main::helper(int)"), "helper(int)");
        assert_eq!(without_internal_namespaces("a::_GLOBAL__N__5b77_a_cu::f<x::y>"), "a::f<x::y>");
        assert_eq!(without_internal_namespaces("MY_INTERNAL_x::f"), "MY_INTERNAL_x::f");
    }

    #[test]
    fn hostile_names_come_back() {
        for name in ["_Z", "_ZZZZZZ", "_Z999999999999999999999x", "_ZN", "", "a::"] {
            full(name);
            short(name);
            assert_eq!(variable(name).is_empty(), name.is_empty());
        }
    }
}
