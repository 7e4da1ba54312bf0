//! Applies a step of advice to a CUDA source.

use report::advice::{Awaited, Group, MemoryOrder, Position, Reach, Role, Spot, Step};
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A program whose lines carry their original numbers.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The lines with their numbers, 0 for inserted lines.
    lines: Vec<(u32, String)>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|(_, line)| writeln!(f, "{line}"))
    }
}

pub(crate) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        Text { lines: text.lines().enumerate().map(|(i, l)| (i as u32 + 1, l.to_owned())).collect() }
    }

    /// Returns the current index of an original line.
    fn at(&self, line: u32) -> Option<usize> {
        self.lines.iter().position(|l| l.0 == line && line != 0)
    }

    fn of(&self, spot: &Spot) -> Option<usize> {
        self.at(spot.line)
    }

    fn code(&self, at: usize) -> &str {
        self.lines[at].1.split("//").next().unwrap_or("").trim()
    }

    fn insert(&self, at: usize, line: &str) -> Text {
        let mut lines = self.lines.clone();
        lines.insert(at, (0, line.to_owned()));
        Text { lines }
    }

    fn replace(&self, at: usize, line: String) -> Text {
        let mut lines = self.lines.clone();
        lines[at].1 = line;
        Text { lines }
    }

    /// Returns the number of open braces before a line.
    fn depth(&self, at: usize) -> i32 {
        let of = |line: usize| {
            self.code(line).chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum::<i32>()
        };
        (0..at).map(of).sum()
    }

    /// Returns whether a statement may begin at a line.
    fn begins(&self, at: usize) -> bool {
        let before = (0..at).rev().map(|i| self.code(i)).find(|c| !c.is_empty()).unwrap_or("");
        before.ends_with([';', '{', '}'])
            && !self.code(at).starts_with("else")
            && !self.code(at).starts_with("} else")
    }

    /// Returns the line after the statement that a line belongs to, or after the whole loop or condition.
    fn behind(&self, at: usize) -> usize {
        let depth = self.depth(at);
        let mut end = at;
        while end + 1 < self.lines.len() {
            end += 1;
            if self.depth(end) <= depth && self.begins(end) {
                break;
            }
        }
        end
    }

    /// Returns the line that closes the innermost block around a line.
    fn close(&self, at: usize) -> usize {
        let depth = self.depth(at);
        (at..self.lines.len()).find(|&i| self.depth(i + 1) < depth).unwrap_or(at)
    }

    /// Returns places between two lines, and after them up to the end of the surrounding block: outermost
    /// first, and among equal depths the nearest to the second line.
    fn between(&self, a: usize, b: usize) -> Vec<usize> {
        let (first, last) = (a.min(b), a.max(b));
        let mut places: Vec<usize> = (first + 1..=last).filter(|&i| self.begins(i)).collect();
        places.sort_by_key(|&i| (self.depth(i), usize::MAX - i));
        places.extend(self.rounds(last));
        places
    }

    /// Returns places after a line, up to the end of the blocks around it.
    fn rounds(&self, last: usize) -> Vec<usize> {
        let mut out = vec![self.behind(last)];
        let mut at = last;
        while self.depth(at) > 1 {
            let close = self.close(at);
            if close <= at {
                break;
            }
            out.extend([close, close + 1]);
            at = close + 1;
        }
        out.retain(|&i| i < self.lines.len() && self.begins(i) && self.depth(i) > 0);
        out.dedup();
        out
    }

    fn places(&self, position: &Position) -> Vec<usize> {
        match position {
            Position::Between(a, b) => match (self.of(a), self.of(b)) {
                (Some(a), Some(b)) if a == b => self.rounds(a),
                (Some(a), Some(b)) => self.between(a, b),
                (Some(a), None) => self.rounds(a),
                (None, Some(b)) => vec![b],
                (None, None) => vec![],
            },
            Position::BetweenRounds(a, b) => match (self.of(a), self.of(b)) {
                (Some(a), Some(b)) => self.rounds(a.max(b)),
                _ => vec![],
            },
            Position::Before(a) => self.of(a).into_iter().filter(|&i| self.begins(i)).collect(),
            Position::After(a) => self.of(a).map_or_else(Vec::new, |at| {
                let mut out = vec![self.behind(at)];
                // A true condition means that the flag was seen.
                if self.code(at).ends_with('{') {
                    out.push(at + 1);
                }
                out
            }),
        }
    }

    /// Returns one changed text for each place, with a line inserted there.
    fn each(&self, places: Vec<usize>, line: &str) -> Vec<(String, Text)> {
        let said = |i: usize| {
            let number = self.lines[i..].iter().map(|l| l.0).find(|n| *n != 0).unwrap_or(0);
            format!("`{line}` before line {number}")
        };
        places.into_iter().map(|i| (said(i), self.insert(i, line))).collect()
    }

    /// Replaces words in some lines or, if that changes nothing, in all lines.
    fn reworded(&self, at: &[Spot], new: impl Fn(&str) -> String) -> Vec<(String, Text)> {
        let lines: Vec<usize> = at.iter().filter_map(|s| self.of(s)).collect();
        let with = |which: &dyn Fn(usize) -> bool| {
            let mut out = self.clone();
            for i in (0..out.lines.len()).filter(|&i| which(i)) {
                if !out.lines[i].1.trim_start().starts_with("//") {
                    out.lines[i].1 = words(&out.lines[i].1, &new);
                }
            }
            out
        };
        let mut out = Vec::new();
        let numbers: Vec<u32> = lines.iter().map(|&i| self.lines[i].0).collect();
        let those = with(&|i| lines.contains(&i));
        if those.lines != self.lines {
            out.push((format!("other words in lines {numbers:?}"), those));
        }
        let all = with(&|_| true);
        if all.lines != self.lines {
            out.push(("other words everywhere".to_owned(), all));
        }
        out
    }
}

/// Replaces each word of a line.
fn words(line: &str, new: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in line.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            out.push_str(&new(&std::mem::take(&mut word)));
        }
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// Returns the changes that a step may mean in the source; none if it requires an understanding of the
/// program.
pub(crate) fn changes(text: &Text, step: &Step) -> Vec<(String, Text)> {
    match step {
        Step::InsertBarrier { group, at } => match barrier(*group) {
            Some(call) => text.each(text.places(at), call),
            None => vec![],
        },
        Step::InsertFence { reach, at } => {
            let call = match reach {
                Reach::Block => "__threadfence_block();",
                Reach::Cluster | Reach::Device => "__threadfence();",
                Reach::System => "__threadfence_system();",
            };
            text.each(text.places(at), call)
        }
        Step::WidenScope { reach, at, .. } => text.reworded(at, |word| wider(word, *reach)),
        Step::Order { order, at, .. } => {
            let name = match order {
                MemoryOrder::Release => "release",
                MemoryOrder::Acquire => "acquire",
            };
            text.reworded(std::slice::from_ref(at), |word| word.replace("relaxed", name))
        }
        Step::MakeAtomic { at, .. } => at
            .iter()
            .try_fold(text.clone(), atomic)
            .map_or_else(Vec::new, |changed| vec![("atomics".to_owned(), changed)]),
        Step::Move { what, to } => moved(text, what, to),
        Step::OneThread { group, at } => {
            let who = if *group == Group::Warp { "threadIdx.x % 32" } else { "threadIdx.x" };
            let Some(at) = text.of(at).filter(|&at| text.code(at).ends_with(';')) else { return vec![] };
            let line = format!("if ({who} == 0) {}", text.lines[at].1.trim_start());
            vec![("one thread only".to_owned(), text.replace(at, line))]
        }
        Step::WaitFor { what, at } => wait(text, *what, at),
        Step::TakeLock { at, .. } => locked(text, at),
        Step::InsertProxyFence { at, .. } => {
            text.each(text.places(at), r#"asm volatile("fence.proxy.async;" ::: "memory");"#)
        }
        Step::OrderTasks { at, .. } => synchronised(text, at),
        Step::UseOneSize { .. }
        | Step::InsertRoleBarrier { .. }
        | Step::HandOver { .. }
        | Step::ArriveByAll { .. }
        | Step::Discard { .. }
        | Step::SplitStatement { .. }
        | Step::SeparateElements { .. }
        | Step::SplitKernel { .. }
        | Step::MeetAtOne { .. }
        | Step::NameLanes { .. }
        | Step::Initialize { .. }
        | Step::ExpectBytes { .. } => vec![],
    }
}

fn barrier(group: Group) -> Option<&'static str> {
    match group {
        Group::Warp => Some("__syncwarp();"),
        Group::Block => Some("__syncthreads();"),
        Group::Cluster => Some(
            r#"asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");"#,
        ),
        // This requires another launch.
        Group::Grid => None,
    }
}

/// Returns a word with its scope widened.
fn wider(word: &str, reach: Reach) -> String {
    let (suffix, thread, ptx) = match reach {
        Reach::Block => return word.to_owned(),
        Reach::Cluster => ("", "thread_scope_device", ".cluster"),
        Reach::Device => ("", "thread_scope_device", ".gpu"),
        Reach::System => ("_system", "thread_scope_system", ".sys"),
    };
    if word.starts_with("__threadfence") {
        return format!("__threadfence{suffix}");
    }
    if word.starts_with("atomic") && !word.contains("ref") && !word.contains("thread") {
        let plain = word.trim_end_matches("_block").trim_end_matches("_system");
        return format!("{plain}{suffix}");
    }
    if word.starts_with("__NV_THREAD_SCOPE") {
        return if reach == Reach::System { "__NV_THREAD_SCOPE_SYSTEM" } else { "__NV_THREAD_SCOPE_DEVICE" }
            .to_owned();
    }
    if word.starts_with("thread_scope_") {
        return thread.to_owned();
    }
    let parts = ["fence.", "atom.", "red.", "ld.", "st.", "mbarrier."];
    if parts.iter().any(|p| word.starts_with(p)) {
        let narrow = [".cta", ".cluster", ".gpu"];
        let shared = word.replace(".shared::cta", "\u{1}");
        return narrow.iter().fold(shared, |w, n| w.replace(n, ptx)).replace('\u{1}', ".shared::cta");
    }
    word.to_owned()
}

/// Replaces the plain statement at a spot by an atomic operation.
fn atomic(mut text: Text, spot: &Spot) -> Option<Text> {
    let at = text.of(spot)?;
    let code = text.code(at).trim_end_matches(';').to_owned();
    let (condition, statement) = match code.strip_prefix("if (").and_then(|rest| rest.split_once(") ")) {
        Some((condition, statement)) => (format!("if ({condition}) "), statement.to_owned()),
        None => (String::new(), code),
    };
    let new = if let Some((place, value)) = statement.split_once(" += ") {
        format!("atomicAdd(&({place}), {value});")
    } else if let Some((place, value)) = statement.split_once(" -= ") {
        format!("atomicSub(&({place}), {value});")
    } else if let Some((place, value)) = statement.split_once(" |= ") {
        format!("atomicOr(&({place}), {value});")
    } else if let Some((left, right)) = statement.split_once(" = ") {
        if let Some(place) = right.strip_suffix("++") {
            format!("{left} = atomicAdd(&({place}), 1);")
        } else if left.contains(' ') {
            // A declaration reads the place.
            format!("{left} = *(volatile decltype({right} + 0) *)&({right});")
        } else {
            format!("atomicExch(&({left}), {right});")
        }
    } else {
        return None;
    };
    text.lines[at].1 = format!("{condition}{new}");
    Some(text)
}

fn moved(text: &Text, what: &Spot, to: &Position) -> Vec<(String, Text)> {
    let Some(from) = text.of(what).filter(|&at| text.code(at).ends_with(';')) else { return vec![] };
    let line = text.lines[from].clone();
    let place = |at: usize| {
        let mut lines = text.lines.clone();
        lines.insert(at, line.clone());
        lines.remove(if at <= from { from + 1 } else { from });
        (format!("line {} moved", line.0), Text { lines })
    };
    text.places(to).into_iter().map(place).collect()
}

/// Moves a wait of the program to an earlier place, or inserts one.
fn wait(text: &Text, what: Awaited, at: &Position) -> Vec<(String, Text)> {
    let call = match what {
        Awaited::Copy => r#"asm volatile("cp.async.wait_all;" ::: "memory");"#,
        Awaited::BulkGroup => r#"asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");"#,
        Awaited::BulkGroupRead => r#"asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");"#,
        Awaited::PreviousKernel => "cudaGridDependencySynchronize();",
        Awaited::Transaction | Awaited::Barrier | Awaited::Users | Awaited::KernelBeforeTheOneBetween => "",
    };
    if !call.is_empty() {
        return text.each(text.places(at), call);
    }
    let waits = (0..text.lines.len()).filter(|&i| {
        let code = text.code(i);
        (code.contains("wait") || code.contains("await")) && code.ends_with(';') && text.depth(i) > 0
    });
    let spot = |i: usize| Spot {
        role: Role::Arrive,
        file: String::new(),
        line: text.lines[i].0,
        branch: 0,
        instruction: String::new(),
    };
    waits.flat_map(|i| moved(text, &spot(i), at)).collect()
}

/// Puts lines between calls of the program's own `lock` and `unlock`.
fn locked(text: &Text, at: &[Spot]) -> Vec<(String, Text)> {
    let call = |name: &str| {
        text.lines
            .iter()
            .map(|l| l.1.trim())
            .find(|l| l.starts_with(&format!("{name}(")) && l.ends_with(");"))
    };
    let (Some(lock), Some(unlock)) = (call("lock"), call("unlock")) else { return vec![] };
    at.iter()
        .filter_map(|spot| text.of(spot))
        .map(|i| {
            let both = text.insert(text.behind(i), unlock).insert(i, lock);
            (format!("line {} under the lock", text.lines[i].0), both)
        })
        .collect()
}

/// Inserts a device synchronisation before the second call, or after each launch.
fn synchronised(text: &Text, at: &Position) -> Vec<(String, Text)> {
    const CALL: &str = "CHECK(cudaDeviceSynchronize());";
    let mut places = match at {
        Position::Between(_, second) => text.of(second).into_iter().collect(),
        _ => vec![],
    };
    places.extend(
        (0..text.lines.len())
            .filter(|&i| text.code(i).contains("<<<") && text.code(i).ends_with(';'))
            .map(|i| i + 1),
    );
    places.retain(|&i| text.begins(i));
    text.each(places, CALL)
}
