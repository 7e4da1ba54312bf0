//! Kernels, copies and host code put into an order.

use super::{Made, Source, moved};
use report::advice::{Position, Role, Spot, TaskOrder};

const SYNCHRONISE: &str = "cudaDeviceSynchronize();";

/// Puts the two tasks into an order.
pub(super) fn ordered(source: Source<'_>, by: TaskOrder, at: &Position) -> Vec<Made> {
    let mut out = match by {
        TaskOrder::SameStream | TaskOrder::Event | TaskOrder::GraphEdge => one_stream(source, at),
        TaskOrder::TailLaunch => tail(source),
        TaskOrder::BeforeLaunch => barrier(source),
        TaskOrder::Synchronise => vec![],
    };
    out.extend(once(source, at));
    out.extend(synchronised(source, at));
    out.extend(moved::across(source, &spots(at)));
    out
}

/// Returns a device synchronisation behind each launch of the host, and launches moved across what is beside
/// them: other launches, waits, events of a stream that is captured.
pub(super) fn rearranged(source: Source<'_>) -> Vec<Made> {
    let own = launches(source).filter(|&i| !in_kernel(source, i));
    let spots: Vec<Spot> =
        own.map(|i| super::spot(source.file, source.text.line(i).number, Role::FirstCall)).collect();
    let mut out = behind_launches(source);
    out.extend(moved::across(source, &spots.iter().collect::<Vec<_>>()));
    out
}

/// Lets each kernel of a text with programmatic launches wait for the kernel before.
pub(super) fn awaited(source: Source<'_>) -> Vec<Made> {
    let text = source.text;
    if !text.to_string().contains("rogrammatic") {
        return vec![];
    }
    let kernels = (0..text.len()).filter(|&i| {
        text.code(i).contains("__global__") && text.code(i).ends_with('{') && i + 1 < text.len()
    });
    source.each(kernels.map(|i| i + 1).collect(), crate::change::Call::PreviousKernel)
}

fn spots(at: &Position) -> Vec<&Spot> {
    match at {
        Position::Between(a, b) | Position::BetweenRounds(a, b) => vec![a, b],
        Position::Before(a) | Position::After(a) => vec![a],
    }
}

/// Inserts a device synchronisation before the second call, or after each launch of the host.
fn synchronised(source: Source<'_>, at: &Position) -> Vec<Made> {
    let text = source.text;
    let places: Vec<usize> = match at {
        Position::Between(a, b) | Position::BetweenRounds(a, b) => {
            let mut lines: Vec<usize> = [b, a].into_iter().filter_map(|spot| source.of(spot)).collect();
            lines.sort_unstable_by(|a, b| b.cmp(a));
            let ahead = lines.iter().flat_map(|&at| text.ahead(at));
            ahead.chain(lines.first().map(|&at| text.behind(at))).collect()
        }
        Position::Before(b) => source.of(b).map_or_else(Vec::new, |at| text.ahead(at)),
        Position::After(a) => source.of(a).map(|at| text.behind(at)).into_iter().collect(),
    };
    let mut out: Vec<Made> = places.into_iter().filter_map(|i| waits(source, i)).collect();
    out.extend(behind_launches(source));
    out
}

fn behind_launches(source: Source<'_>) -> Vec<Made> {
    let launches = launches(source).filter(|&i| source.text.code(i).ends_with(';'));
    launches.filter_map(|i| waits(source, i + 1)).collect()
}

/// Inserts a device synchronisation in host code.
fn waits(source: Source<'_>, at: usize) -> Option<Made> {
    let text = source.text;
    let region = text.region(at).filter(|_| text.begins(at) && !in_kernel(source, at))?;
    let said = format!("`{SYNCHRONISE}` before line {}", region.before);
    Some(Made { said, text: text.insert(at, SYNCHRONISE), edits: None })
}

fn launches<'t>(source: Source<'t>) -> impl Iterator<Item = usize> + 't {
    (0..source.text.len()).filter(move |&i| source.text.code(i).contains("<<<"))
}

/// Returns whether a line is in device code.
fn in_kernel(source: Source<'_>, at: usize) -> bool {
    let text = source.text;
    let head = text.region(at).and_then(|region| text.at(region.function.start));
    head.is_some_and(|head| ["__global__", "__device__"].iter().any(|word| text.code(head).contains(word)))
}

/// Gives the second task the stream of the first, or the first that of the second.
fn one_stream(source: Source<'_>, at: &Position) -> Vec<Made> {
    let (Position::Between(a, b) | Position::BetweenRounds(a, b)) = at else { return vec![] };
    let (Some(a), Some(b)) = (source.of(a), source.of(b)) else { return vec![] };
    let text = source.text;
    let code = |i: usize| text.code(i);
    let (Some(first), Some(second)) = (stream(code(a)), stream(code(b))) else { return vec![] };
    let mut out: Vec<Made> =
        [(b, first), (a, second)].into_iter().filter_map(|(at, stream)| with(source, at, stream)).collect();
    if [first, second].contains(&"cudaStreamFireAndForget") {
        out.extend(with(source, b, "cudaStreamTailLaunch"));
    }
    out
}

/// Returns the stream that a call names; `0` for the default stream of a launch or a copy without one.
fn stream(code: &str) -> Option<&str> {
    match launch(code) {
        Some(configuration) => Some(words(configuration).get(3).copied().unwrap_or("0")),
        None => copy(code).and_then(|list| words(list).last().copied()),
    }
}

/// Returns the configuration of a launch.
fn launch(code: &str) -> Option<&str> {
    let (_, rest) = code.split_once("<<<")?;
    Some(rest.split_once(">>>")?.0)
}

/// Returns the arguments of an asynchronous copy, whose last one is the stream.
fn copy(code: &str) -> Option<&str> {
    let at = ["cudaMemcpyAsync(", "cudaMemsetAsync("].iter().find_map(|f| Some(code.find(f)? + f.len()))?;
    let mut depth = 1;
    let end = code[at..].char_indices().find_map(|(i, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(i)
    })?;
    Some(&code[at..at + end])
}

/// Splits a list at its outermost commas.
pub(super) fn words(list: &str) -> Vec<&str> {
    let (mut out, mut depth, mut from) = (Vec::new(), 0, 0);
    for (i, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(list[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    out.push(list[from..].trim());
    out
}

/// Gives the call of a line another stream.
fn with(source: Source<'_>, at: usize, stream: &str) -> Option<Made> {
    let text = source.text;
    let code = text.code(at);
    let (old, mut all) = match launch(code) {
        Some(configuration) => (configuration, words(configuration)),
        None => copy(code).map(|list| (list, words(list)))?,
    };
    if launch(code).is_some() {
        while all.len() < 4 {
            all.push("0");
        }
    }
    if all.last() == Some(&stream) {
        return None;
    }
    *all.last_mut()? = stream;
    let said = format!("line {} in stream `{stream}`", text.line(at).number);
    Some(Made { said, text: text.replace(at, &code.replacen(old, &all.join(", "), 1)), edits: None })
}

/// Lets kernels that kernels launch begin when the launching one has ended.
fn tail(source: Source<'_>) -> Vec<Made> {
    let own = launches(source).filter(|&i| in_kernel(source, i));
    own.filter_map(|i| with(source, i, "cudaStreamTailLaunch")).collect()
}

/// Lets the threads of a block meet before one of them launches a kernel.
fn barrier(source: Source<'_>) -> Vec<Made> {
    let own = launches(source).filter(|&i| in_kernel(source, i));
    own.flat_map(|i| source.each(source.text.ahead(i), crate::change::Call::Block)).collect()
}

/// Lets one block alone make a launch that each block makes.
fn once(source: Source<'_>, at: &Position) -> Option<Made> {
    let text = source.text;
    let [a, b] = spots(at)[..] else { return None };
    let i = source.of(a).filter(|_| a.line == b.line && a.file == b.file)?;
    let code = text.code(i);
    let statement = in_kernel(source, i) && code.contains("<<<") && text.begins(i) && code.ends_with(';');
    let said = format!("line {} by one block only", text.line(i).number);
    statement.then(|| Made {
        said,
        text: text.replace(i, &format!("if (blockIdx.x == 0) {code}")),
        edits: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::spot;
    use crate::text::Text;
    use report::advice::Role;

    #[test]
    fn two_tasks_get_one_stream() {
        let code = "void f() {\n    g<<<1, N, 0, first>>>(p);\n    h<<<dim3(1, 2), N>>>(p);\n    cudaMemcpyAsync(a, p, n, cudaMemcpyDeviceToHost, second);\n}\n";
        let text = Text::new(code);
        let source = Source { file: "a.cu", text: &text };
        let of = |a, b| {
            let at = Position::Between(spot("a.cu", a, Role::FirstCall), spot("a.cu", b, Role::SecondCall));
            one_stream(source, &at).into_iter().map(|made| made.text.to_string()).collect::<Vec<_>>()
        };
        assert!(of(2, 3)[0].contains("h<<<dim3(1, 2), N, 0, first>>>(p);"));
        assert!(of(2, 4)[0].contains("cudaMemcpyAsync(a, p, n, cudaMemcpyDeviceToHost, first);"));
        assert!(of(2, 4)[1].contains("g<<<1, N, 0, second>>>(p);"));
        assert_eq!(of(1, 2), Vec::<String>::new());
    }
}
