//! Names as their authors wrote them.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

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
    let name = full(mangled);
    match last_scope(&name) {
        "" => name,
        last => last.to_owned(),
    }
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
        .map_or_else(|| mangled.to_owned(), |name| without_internal_namespaces(&name))
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

/// What follows the last `::` that is not inside brackets.
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
    fn kernels_and_variables() {
        assert_eq!(full("_Z9reduceSumPKfPfi"), "reduceSum(float const*, float*, int)");
        assert_eq!(short("_Z9reduceSumPKfPfi"), "reduceSum");
        assert_eq!(variable("_ZZ9reduceSumPKfPfiE7partial"), "partial");
        assert_eq!(variable("counter"), "counter");
        assert_eq!(full("main"), "main");
        assert_eq!(short("_Z4scanIfLi128EEvPT_"), "scan<float, 128>");
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
