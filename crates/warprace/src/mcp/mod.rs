//! `warprace mcp`: a Model Context Protocol server on the standard streams.
//!
//! Each line of the standard input is one JSON-RPC 2.0 message, and each request is answered by one line of
//! the standard output (the protocol's stdio transport). A tool runs warprace itself as another process, whose
//! output is captured: nothing else may appear on the standard output. [`tools`] has the tools.

mod tools;

use crate::exit;
use serde_json::{Value, json};
use std::io::{BufRead, Write};

/// The protocol's versions that this server speaks, the newest first. They agree in what it uses.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Errors of JSON-RPC 2.0, §5.1.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

/// A refused request.
#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    code: i32,
    message: String,
}

impl Refusal {
    fn new(code: i32, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// Serves requests until the standard input ends.
pub(crate) fn serve() -> u8 {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if line.trim().is_empty() {
            continue;
        }
        let Some(answer) = answer(&line) else { continue };
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
            return exit::OUTPUT;
        }
    }
    0
}

/// Returns the answer to a message; `None` for notifications, which have no `id`.
fn answer(line: &str) -> Option<Value> {
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        Err(e) => return Some(refused(Value::Null, &Refusal::new(PARSE_ERROR, e.to_string()))),
    };
    let Some(method) = message["method"].as_str() else {
        // Answers of the client need no answer.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        let refusal = Refusal::new(INVALID_REQUEST, "a message without a method");
        return (!is_answer).then(|| refused(message["id"].clone(), &refusal));
    };
    let id = message.get("id")?.clone();
    Some(match call(method, &message["params"]) {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(refusal) => refused(id, &refusal),
    })
}

fn refused(id: Value, Refusal { code, message }: &Refusal) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

fn call(method: &str, params: &Value) -> Result<Value, Refusal> {
    match method {
        "initialize" => {
            let asked = params["protocolVersion"].as_str();
            let version = VERSIONS.iter().find(|version| asked == Some(version)).unwrap_or(&VERSIONS[0]);
            Ok(json!({
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "warprace", "version": env!("CARGO_PKG_VERSION")},
                "instructions": "Finds, explains and mends data races of CUDA programs without a GPU. Programs are \
                                 compiled with `nvcc -lineinfo -g`. `run` checks one; `explain` shows how a race \
                                 of it happens; `fix` finds the change of the source that removes it; `prove` \
                                 decides kernels without running a program.",
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools::list()})),
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default();
            tools::call(name, &params["arguments"]).map_err(|why| Refusal::new(INVALID_PARAMS, why))
        }
        _ => Err(Refusal::new(METHOD_NOT_FOUND, format!("no method `{method}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_the_version_that_it_asks_for_or_the_newest() {
        let version = |asked: &str| {
            let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": asked}});
            answer(&line.to_string()).unwrap()["result"]["protocolVersion"].as_str().unwrap().to_owned()
        };
        assert_eq!(version("2025-03-26"), "2025-03-26");
        assert_eq!(version("1999-01-01"), VERSIONS[0]);
    }

    #[test]
    fn requests_are_answered_and_notifications_are_not() {
        let tools = answer(r#"{"jsonrpc": "2.0", "id": "a", "method": "tools/list"}"#).unwrap();
        assert_eq!(tools["id"], "a");
        let names: Vec<&str> =
            tools["result"]["tools"].as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
        assert_eq!(names, ["run", "explain", "prove", "fix"]);
        assert_eq!(answer(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#), None);
        assert_eq!(answer(r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#), None);
    }

    #[test]
    fn what_is_wrong_has_its_code() {
        let code = |line: &str| answer(line).unwrap()["error"]["code"].as_i64().unwrap();
        assert_eq!(code("{"), i64::from(PARSE_ERROR));
        assert_eq!(code(r#"{"id": 1}"#), i64::from(INVALID_REQUEST));
        assert_eq!(code(r#"{"id": 1, "method": "resources/list"}"#), i64::from(METHOD_NOT_FOUND));
        assert_eq!(
            code(r#"{"id": 1, "method": "tools/call", "params": {"name": "x"}}"#),
            i64::from(INVALID_PARAMS)
        );
        let unknown =
            r#"{"id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"comand": []}}}"#;
        assert_eq!(code(unknown), i64::from(INVALID_PARAMS));
    }
}
