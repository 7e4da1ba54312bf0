//! Which kernels are checked: the filters of `--kernel-name` and `--kernel-name-exclude`.

use crate::symbol;
use regex_lite::Regex;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One filter, in compute-sanitizer's forms or a bare substring.
#[derive(Clone, Debug)]
pub struct Filter {
    /// As it was given.
    text: String,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// `TEXT`, `kernel_substring=TEXT`, `kns=TEXT`: part of the name, mangled or not.
    Substring(String),
    /// `kernel_name=TEXT`, `kne=TEXT`: the whole name, mangled, or with or without parameters.
    Name(String),
    /// `kernel_regex=EXPRESSION`, `kre=EXPRESSION`: matches somewhere in the name without parameters, or
    /// in the mangled one.
    Regex(Regex),
}

/// Why a text is no filter. Printed, it is a fragment of a sentence.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FilterError {
    #[error("an empty filter matches everything")]
    Empty,
    #[error("nothing follows `{key}=`")]
    NothingFollows { key: String },
    #[error("not a regular expression: {0}")]
    Regex(#[from] regex_lite::Error),
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Filter::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Filter {
    /// Reads a filter.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let (key, value) = match text.split_once('=') {
            Some((
                key @ ("kernel_substring" | "kns" | "kernel_name" | "kne" | "kernel_regex" | "kre"),
                value,
            )) => (key, value),
            // Names of operators may have a `=`.
            _ => ("kns", text),
        };
        let form = match (key, value) {
            (_, "") if value.len() == text.len() => return Err(FilterError::Empty),
            (key, "") => return Err(FilterError::NothingFollows { key: key.to_owned() }),
            ("kernel_name" | "kne", name) => Form::Name(name.to_owned()),
            ("kernel_regex" | "kre", expression) => Form::Regex(Regex::new(expression)?),
            (_, part) => Form::Substring(part.to_owned()),
        };
        Ok(Filter { text: text.to_owned(), form })
    }

    /// Returns whether the filter matches the kernel with this mangled name.
    pub fn matches(&self, mangled: &str) -> bool {
        let short = || symbol::short(mangled);
        match &self.form {
            Form::Substring(text) => mangled.contains(text) || symbol::full(mangled).contains(text),
            Form::Name(name) => name == mangled || *name == short() || *name == symbol::full(mangled),
            Form::Regex(regex) => regex.is_match(&short()) || regex.is_match(mangled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_that_cannot_be_read_say_why() {
        for (text, expected) in
            [("", "empty filter"), ("kne=", "nothing follows `kne=`"), ("kre=(", "not a regular expression")]
        {
            let error = Filter::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
