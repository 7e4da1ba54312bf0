//! The reason why the program was not started.

use crate::terminal;
use report::Text;
use report::source::Sources;

/// An exit code and its message.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: u8,
    /// A sentence fragment, or a whole report in the style of findings.
    pub(crate) message: Message,
    pub(crate) help: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Message {
    Line(String),
    Failure(Box<report::model::Failure>),
}

impl Refusal {
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Refusal { code, message: Message::Line(message.into()), help: None }
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Returns the message in one line.
    pub(crate) fn line(&self) -> String {
        match &self.message {
            Message::Line(line) => line.clone(),
            Message::Failure(failure) => failure.title.clone(),
        }
    }

    pub(crate) fn show(&self, sources: &Sources) {
        match &self.message {
            Message::Line(line) => terminal::error(line),
            Message::Failure(failure) => {
                terminal::complain(Text { style: terminal::style(None), sources }.failure(failure));
            }
        }
        if let Some(help) = &self.help {
            terminal::help(help);
        }
    }
}
