//! Which kernels are checked.

use report::protocol::RunOptions;

/// Do the name filters let the kernel with this mangled name through?
pub(crate) fn matches(options: &RunOptions, mangled: &str) -> bool {
    let demangled = demangle(mangled);
    let hits = |filters: &[String]| filters.iter().any(|f| one(f, mangled, &demangled));
    (options.kernel_names.is_empty() || hits(&options.kernel_names)) && !hits(&options.kernel_names_exclude)
}

/// compute-sanitizer's forms, or a bare substring.
fn one(filter: &str, mangled: &str, demangled: &str) -> bool {
    let exact = filter.strip_prefix("kernel_name=").or_else(|| filter.strip_prefix("kne="));
    if let Some(name) = exact {
        // The name as written in the source: without arguments.
        let base = demangled.split('(').next().unwrap_or(demangled);
        return name == mangled || name == demangled || name == base;
    }
    let text =
        filter.strip_prefix("kernel_substring=").or_else(|| filter.strip_prefix("kns=")).unwrap_or(filter);
    mangled.contains(text) || demangled.contains(text)
}

fn demangle(mangled: &str) -> String {
    cpp_demangle::Symbol::new(mangled)
        .ok()
        .and_then(|symbol| symbol.demangle().ok())
        .unwrap_or_else(|| mangled.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(names: &[&str], exclude: &[&str]) -> RunOptions {
        let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        RunOptions { kernel_names: own(names), kernel_names_exclude: own(exclude), ..RunOptions::default() }
    }

    #[test]
    fn names_match_in_every_form() {
        let mangled = "_ZN3foo6reduceEPfi"; // foo::reduce(float*, int)
        for filter in ["reduce", "kns=foo::red", "kernel_substring=reduce", "kne=foo::reduce", mangled] {
            assert!(matches(&options(&[filter], &[]), mangled), "{filter}");
            assert!(!matches(&options(&[], &[filter]), mangled), "{filter}");
        }
        assert!(!matches(&options(&["kne=reduce"], &[]), mangled));
        assert!(matches(&options(&[], &["other"]), mangled));
        assert!(!matches(&options(&["other"], &[]), mangled));
    }
}
