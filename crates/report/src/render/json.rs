//! The JSON document; of several, an object of documents by the names of their detectors or programs.

use super::{Renderer, name};
use crate::model::Document;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Renderer for Json {
    fn render(&self, documents: &[Document]) -> String {
        let text = match documents {
            [one] => serde_json::to_string_pretty(one),
            many => {
                let by_name: BTreeMap<&str, &Document> = many.iter().map(|d| (name(d), d)).collect();
                serde_json::to_string_pretty(&by_name)
            }
        };
        text.expect("a document is plain data") + "\n"
    }
}
