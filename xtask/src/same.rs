//! Compares the reports of two builds.

use serde_json::Value;

/// Fields that differ from run to run, or measure the detector and not the program.
const MEASURES: [&str; 4] = ["ns", "kernel_ns", "shadow_bytes", "touched_bytes"];

/// Returns the place where the JSON report `new` differs from `old`, which may have fewer fields.
pub(crate) fn difference(old: &Value, new: &Value) -> Option<String> {
    at("", old, new)
}

fn at(path: &str, old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let said = old.iter().filter(|(name, _)| !MEASURES.contains(&name.as_str()));
            said.into_iter().find_map(|(name, old)| {
                let path = format!("{path}.{name}");
                match new.get(name) {
                    Some(new) => at(&path, old, new),
                    None => Some(format!("{path} is gone")),
                }
            })
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let pairs = old.iter().zip(new).enumerate();
            pairs.into_iter().find_map(|(i, (old, new))| at(&format!("{path}[{i}]"), old, new))
        }
        (Value::Array(old), Value::Array(new)) => {
            Some(format!("{path} has {} entries, not {}", new.len(), old.len()))
        }
        _ if old == new => None,
        _ => Some(format!("{path} is {new}, not {old}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_may_be_added_and_times_differ_but_nothing_else() {
        let old = json!({"verdict": "race", "races": [{"id": "a", "count": 3}], "summary": {"kernel_ns": 5}});
        let new = |count: u32, verdict: &str| json!({"verdict": verdict, "races": [{"id": "a", "count": count, "more": 1}], "summary": {"kernel_ns": 9}});
        assert_eq!(difference(&old, &new(3, "race")), None);
        assert_eq!(difference(&old, &new(4, "race")).as_deref(), Some(".races[0].count is 4, not 3"));
        assert_eq!(
            difference(&old, &new(3, "clean")).as_deref(),
            Some(".verdict is \"clean\", not \"race\"")
        );
        assert_eq!(
            difference(&old, &json!({"verdict": "race", "races": []})).as_deref(),
            Some(".races has 0 entries, not 1")
        );
        assert_eq!(difference(&json!({"gone": 1}), &json!({})).as_deref(), Some(".gone is gone"));
    }
}
