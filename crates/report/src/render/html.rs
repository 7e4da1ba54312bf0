//! A report to look at: one HTML file that needs nothing else.
//!
//! The file is a page (`html/page.html`, with its style and script) and the data that the script shows, as JSON. Texts
//! that many findings have are written once, so that ten thousand findings stay a file that opens at once. What
//! programs chose (names, paths, source) is data only: the script makes text of it, never markup.

mod data;

use super::Renderer;
use crate::model::Document;
use crate::source::Sources;
use data::Data;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
/// In the order in which they are put together.
const SCRIPTS: [&str; 8] = [
    include_str!("html/base.js"),
    include_str!("html/code.js"),
    include_str!("html/timeline.js"),
    include_str!("html/ring.js"),
    include_str!("html/maps.js"),
    include_str!("html/history.js"),
    include_str!("html/detail.js"),
    include_str!("html/app.js"),
];

#[derive(Clone, Copy, Debug)]
pub struct Html<'a> {
    pub sources: &'a Sources,
}

impl Renderer for Html<'_> {
    fn render(&self, documents: &[Document]) -> String {
        let data = serde_json::to_string(&Data::new(documents, self.sources)).expect("plain data");
        let script = SCRIPTS.concat();
        let mut out = String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len() + 1024);
        let mut rest = PAGE;
        for (mark, text) in [("/*STYLE*/", STYLE), ("{/*DATA*/}", &inert(&data)), ("/*SCRIPT*/", &script)] {
            let (before, after) = rest.split_once(mark).expect("the page has each mark once, in this order");
            out.push_str(before);
            out.push_str(text);
            rest = after;
        }
        out + rest
    }
}

/// JSON that no reader of HTML takes for the end of the element it is in: `<` is in its strings only.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}
