//! The tools of the server: each is a subcommand of warprace with its JSON output.

use crate::exit;
use crate::folder::Folder;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An argument of a tool.
struct Argument {
    name: &'static str,
    kind: Kind,
    required: bool,
    text: &'static str,
}

/// The type of an argument, and the option that it becomes.
enum Kind {
    /// The program and its arguments.
    Command,
    /// A value that tools use themselves.
    Text,
    Number,
    /// `--NAME VALUE`.
    TextOption(&'static str),
    NumberOption(&'static str),
    /// `--NAME` if true.
    Flag(&'static str),
}

struct Tool {
    name: &'static str,
    text: &'static str,
    arguments: &'static [Argument],
}

const fn argument(name: &'static str, kind: Kind, text: &'static str) -> Argument {
    Argument { name, kind, required: false, text }
}

const COMMAND: Argument =
    Argument { name: "command", kind: Kind::Command, required: true, text: "The program and its arguments" };
const FOLDER: Argument =
    argument("folder", Kind::Text, "The folder in which it runs [default: that of the server]");
const FINDING: Argument =
    argument("finding", Kind::Number, "Which finding, from 1, in the order of the report [default: 1]");
const EXPLORE: Argument =
    argument("explore", Kind::NumberOption("--explore"), "Run each kernel launch under so many schedules");
const REPLAY: Argument =
    argument("replay", Kind::TextOption("--replay"), "Repeat a finding by its replay_string");

const TOOLS: [Tool; 4] = [
    Tool {
        name: "run",
        text: "Runs a CUDA program on the virtual GPU, without a GPU, and reports its data races with both source \
               lines, the reason, and advice.",
        arguments: &[
            COMMAND,
            FOLDER,
            EXPLORE,
            argument(
                "strategy",
                Kind::TextOption("--strategy"),
                "What explore runs: mixed, dfs, or weak, which shows values that only a weak memory has",
            ),
            argument("predict", Kind::Flag("--predict"), "Also predict races that other schedules have"),
            argument("lens", Kind::TextOption("--lens"), "The detector [default: ptx, the PTX memory model]"),
            argument("schedule", Kind::TextOption("--schedule"), "The order in which threads run"),
            argument("seed", Kind::NumberOption("--seed"), "Another order of the same schedule"),
            REPLAY,
            argument("timeout", Kind::NumberOption("--timeout"), "End the program after so many seconds"),
        ],
    },
    Tool {
        name: "explain",
        text: "Runs a program, and explains one of its races step by step: what both threads did before, and what \
               would have ordered them.",
        arguments: &[COMMAND, FOLDER, FINDING, EXPLORE, REPLAY],
    },
    Tool {
        name: "prove",
        text: "Proves the kernels of a program or PTX file free of races for all launches, or shows a launch that \
               has one.",
        arguments: &[
            Argument {
                name: "file",
                kind: Kind::Text,
                required: true,
                text: "A program, library, object file, fatbin or PTX file",
            },
            FOLDER,
            argument("kernel", Kind::TextOption("--kernel-name"), "Only kernels whose name contains this"),
            argument("assume", Kind::TextOption("--assume"), "A relation between parameters and extents"),
            argument("timeout", Kind::NumberOption("--timeout"), "Seconds for one kernel"),
        ],
    },
    Tool {
        name: "fix",
        text: "Finds the smallest change of the source after which a program has no race: tried under 20 schedules, \
               by prediction and by proof before it is offered as a diff.",
        arguments: &[
            COMMAND,
            FOLDER,
            argument("finding", Kind::NumberOption("--finding"), "Which finding, from 1 [default: 1]"),
            argument("all", Kind::Flag("--all"), "Mend the whole program"),
            argument("apply", Kind::Flag("--apply"), "Write the change to the sources"),
            argument(
                "build",
                Kind::TextOption("--build"),
                "A shell command that builds {program} of the changed {source}; changes without an equivalent in \
                 PTX need it",
            ),
            argument("project", Kind::TextOption("--project"), "Change sources in this folder only"),
        ],
    },
];

/// Returns the tools as the protocol lists them.
pub(super) fn list() -> Vec<Value> {
    TOOLS.iter().map(Tool::listed).collect()
}

impl Kind {
    fn schema(&self) -> Value {
        match self {
            Kind::Command => json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            Kind::Text | Kind::TextOption(_) => json!({"type": "string"}),
            Kind::Number | Kind::NumberOption(_) => json!({"type": "integer", "minimum": 0}),
            Kind::Flag(_) => json!({"type": "boolean"}),
        }
    }

    fn allows(&self, value: &Value) -> bool {
        match self {
            Kind::Command => {
                value.as_array().is_some_and(|words| !words.is_empty() && words.iter().all(Value::is_string))
            }
            Kind::Text | Kind::TextOption(_) => value.is_string(),
            Kind::Number | Kind::NumberOption(_) => value.is_u64(),
            Kind::Flag(_) => value.is_boolean(),
        }
    }

    /// Returns the words of the command line that the argument becomes.
    fn words(&self, value: &Value) -> Vec<String> {
        let option = |name: &str, value: String| vec![format!("{name}={value}")];
        match *self {
            Kind::TextOption(name) => option(name, value.as_str().unwrap_or_default().to_owned()),
            Kind::NumberOption(name) => option(name, value.to_string()),
            Kind::Flag(name) if value == true => vec![name.to_owned()],
            _ => Vec::new(),
        }
    }
}

impl Tool {
    fn listed(&self) -> Value {
        let mut properties = Map::new();
        for Argument { name, kind, text, .. } in self.arguments {
            let mut schema = kind.schema();
            schema["description"] = json!(text);
            properties.insert((*name).to_owned(), schema);
        }
        let required: Vec<&str> = self.arguments.iter().filter(|a| a.required).map(|a| a.name).collect();
        json!({
            "name": self.name,
            "description": self.text,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
        })
    }

    /// Checks the arguments of a call. The error is a sentence.
    fn check(&self, given: &Map<String, Value>) -> Result<(), String> {
        for (name, value) in given {
            let Some(argument) = self.arguments.iter().find(|a| a.name == name) else {
                return Err(format!("`{}` has no argument `{name}`", self.name));
            };
            if !argument.kind.allows(value) {
                return Err(format!("`{name}` does not fit the schema of `{}`", self.name));
            }
        }
        match self.arguments.iter().find(|a| a.required && !given.contains_key(a.name)) {
            Some(missing) => Err(format!("`{}` needs `{}`", self.name, missing.name)),
            None => Ok(()),
        }
    }

    fn options(&self, given: &Map<String, Value>) -> Vec<String> {
        let value = |a: &'static Argument| given.get(a.name).map(|value| a.kind.words(value));
        self.arguments.iter().filter_map(value).flatten().collect()
    }
}

/// Calls a tool. The error says what is wrong with the call; failures of the tool itself are results.
pub(super) fn call(name: &str, arguments: &Value) -> Result<Value, String> {
    let tool = TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| format!("no tool `{name}`"))?;
    let none = Map::new();
    let given = arguments.as_object().unwrap_or(&none);
    tool.check(given)?;
    let call = Call { tool, given };
    Ok(match call.run() {
        Ok(done) => done.result(),
        Err(why) => json!({"content": [{"type": "text", "text": why}], "isError": true}),
    })
}

struct Call<'a> {
    tool: &'static Tool,
    given: &'a Map<String, Value>,
}

/// What a tool has written.
struct Done {
    text: String,
    structured: Value,
    failed: bool,
}

impl Done {
    fn result(self) -> Value {
        json!({
            "content": [{"type": "text", "text": self.text}],
            "structuredContent": self.structured,
            "isError": self.failed,
        })
    }
}

/// The output of a run of warprace.
struct Ran {
    code: i32,
    output: String,
    errors: String,
}

impl Call<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name).and_then(Value::as_str)
    }

    fn command(&self) -> Vec<String> {
        let words = self.given.get("command").and_then(Value::as_array);
        words.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn run(&self) -> Result<Done, String> {
        let folder = Folder::new(false)?;
        let json = folder.path().join("answer.json");
        let subcommand = if self.tool.name == "explain" { "run" } else { self.tool.name };
        let mut words = vec![subcommand.to_owned(), "--json".into(), json.to_string_lossy().into_owned()];
        words.extend(self.tool.options(self.given));
        match self.text("file") {
            Some(file) => words.push(file.to_owned()),
            None => {
                words.push("--".into());
                words.extend(self.command());
            }
        }
        let ran = self.warprace(&words)?;
        if self.tool.name == "explain" {
            return self.explain(&json, &ran);
        }
        let written = std::fs::read_to_string(&json).ok();
        let structured = written.and_then(|text| serde_json::from_str(&text).ok());
        let failed = structured.is_none() || ran.code == i32::from(exit::USAGE);
        let text = format!("{}{}", ran.output, ran.errors);
        Ok(Done { text, structured: structured.unwrap_or_else(|| json!({"exit_code": ran.code})), failed })
    }

    fn explain(&self, report: &Path, ran: &Ran) -> Result<Done, String> {
        if !report.is_file() {
            return Err(ran.errors.clone());
        }
        let number = self.given.get("finding").and_then(Value::as_u64).unwrap_or(1);
        let words = ["explain", "--yes", &report.to_string_lossy(), &number.to_string()].map(str::to_owned);
        let told = self.warprace(&words)?;
        if told.code != 0 {
            return Err(told.errors);
        }
        let structured = json!({"finding": number, "explanation": told.output});
        Ok(Done { text: told.output, structured, failed: false })
    }

    fn warprace(&self, words: &[String]) -> Result<Ran, String> {
        let own = std::env::current_exe().map_err(|e| format!("cannot find warprace itself: {e}"))?;
        let mut command = Command::new(own);
        command.args(words).stdin(Stdio::null());
        if let Some(folder) = self.text("folder") {
            command.current_dir(PathBuf::from(folder));
        }
        let done = command.output().map_err(|e| format!("cannot run warprace: {e}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Ran {
            code: done.status.code().unwrap_or(-1),
            output: text(&done.stdout),
            errors: text(&done.stderr),
        })
    }
}
