//! Insertions into PTX: where control passes from the statements ahead of a place to those behind it.
//!
//! Accesses, barriers, calls and branches have an order that compilers keep; arithmetic is hoisted freely and
//! does not count. Each of these instructions is ahead of the place, behind it, or outside of the block that
//! the place is in. A statement at the end of a block, where nothing is behind, runs when control leaves what
//! is ahead; any other runs when control reaches what is behind. An unrolled loop begins a new round where a
//! source position repeats.

use super::{Code, Error, Patch};
use crate::change::Call;
use crate::text::Region;
use ptx::cfg::{BlockId, Cfg};
use ptx::op::Op;
use std::collections::{BTreeSet, HashSet};

/// The position of an instruction relative to the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Outside,
    Ahead,
    Behind,
}

/// The source line of an instruction whose order counts, and its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    side: Side,
    line: u32,
    /// Whether it is a copy of the first instruction of its side.
    start: bool,
}

/// The instructions that may have come last.
type Last = BTreeSet<At>;

/// Opcodes whose order compilers keep.
const ORDERED: [&str; 21] = [
    "ld",
    "st",
    "atom",
    "red",
    "bar",
    "barrier",
    "membar",
    "fence",
    "call",
    "cp",
    "ldmatrix",
    "stmatrix",
    "mbarrier",
    "shfl",
    "vote",
    "match",
    "activemask",
    "griddepcontrol",
    "wgmma",
    "ret",
    "exit",
];

struct Placing<'c, 't> {
    code: &'c Code<'t>,
    cfg: Cfg,
    /// The line and side of each instruction whose order counts.
    sides: Vec<Option<At>>,
    /// The first line, and one from which on lines end a round, of the statements that are all on one side.
    round: (u32, u32),
    /// Whether some instruction is behind the place.
    some_behind: bool,
    some_ahead: bool,
    /// Whether the first instruction of the side is of a loop inside of the block, whose rounds are not the
    /// block's.
    loops: bool,
}

/// Inserts a call at a place of the source.
pub(super) fn insert(
    code: &Code<'_>,
    file: &str,
    region: &Region,
    call: Call,
    patches: &mut Vec<Patch>,
) -> Result<(), Error> {
    let mut sides: Vec<Option<At>> = (0..code.frames.len()).map(|i| side(code, file, region, i)).collect();
    let on = |side: Side| sides.iter().flatten().filter(move |at| at.side == side).map(|at| at.line);
    let some_ahead = on(Side::Ahead).next().is_some();
    let some_behind = on(Side::Behind).next().is_some();
    let one = if some_behind { Side::Behind } else { Side::Ahead };
    let round = (on(one).min().unwrap_or(0), on(one).max().unwrap_or(0).min(region.last));
    if !some_ahead && !some_behind {
        return Ok(());
    }
    let start = sides.iter().position(|at| at.is_some_and(|at| at.side == one));
    let line = start.and_then(|start| sides[start]).map_or(0, |at| at.line);
    let loops = region.loops.iter().any(|lines| lines.contains(&line));
    if let Some(start) = start {
        let key = key(code, start);
        for (i, at) in sides.iter_mut().enumerate().filter(|(i, _)| *i != start) {
            if let Some(at) = at.as_mut().filter(|at| at.side == one) {
                at.start = self::key(code, i) == key;
            }
        }
    }
    let cfg = Cfg::new(&code.flat, |name| name == "__assertfail");
    let placing = Placing { code, cfg, sides, round, some_behind, some_ahead, loops };
    for point in placing.points() {
        let some = call.is_collective() && code.divergent[point.instruction];
        // Lanes that leave a loop one after the other take the edge apart from each other.
        let apart = (call.is_collective() || call.is_of_warp()) && !point.guard.is_empty();
        if some || apart {
            return Err(Error::Divergent(region.before));
        }
        patches.push(point.patch(code, call));
    }
    Ok(())
}

fn side(code: &Code<'_>, file: &str, region: &Region, i: usize) -> Option<At> {
    let inst = &code.flat.instructions[i];
    let opcode = inst.source.opcode.text.as_str();
    let branches = matches!(inst.op, Ok(Op::Bra { .. })) && inst.guard.is_some();
    let parameter = opcode == "ld" && inst.source.modifiers.iter().any(|m| m.text.starts_with("param"));
    if code.frames[i].is_empty() || parameter || !(branches || ORDERED.contains(&opcode)) {
        return None;
    }
    let frame = code.frames[i].iter().find(|f| f.file == file && region.function.contains(&f.line));
    let side = match frame {
        Some(frame) if !region.block.contains(&frame.line) => Side::Outside,
        Some(frame) if frame.line < region.before => Side::Ahead,
        Some(_) => Side::Behind,
        None => Side::Outside,
    };
    let line = if side == Side::Outside { 0 } else { frame.map_or(0, |frame| frame.line) };
    Some(At { side, line, start: false })
}

/// Returns what the copies of an instruction have in common: its source position, opcode and modifiers.
fn key(code: &Code<'_>, i: usize) -> (u32, u32, String) {
    let inst = &code.flat.instructions[i];
    let frame = &code.frames[i][0];
    let modifiers: Vec<&str> = inst.source.modifiers.iter().map(|m| m.text.as_str()).collect();
    (frame.line, frame.column, format!("{}.{}", inst.source.opcode.text, modifiers.join(".")))
}

/// A point in PTX: before an instruction or behind it, under the guard of a branch or not.
struct Point {
    instruction: usize,
    behind: bool,
    /// `@%p1` or `@!%p1`; empty without one.
    guard: String,
}

impl Point {
    fn before(instruction: usize) -> Point {
        Point { instruction, behind: false, guard: String::new() }
    }

    fn patch(&self, code: &Code<'_>, call: Call) -> Patch {
        let mut text = String::new();
        for instruction in call.ptx().unwrap_or_default() {
            text.push_str(&self.guard);
            text.push_str(if self.guard.is_empty() { "" } else { " " });
            text.push_str(instruction);
            text.push_str("\n\t");
        }
        let span = code.flat.instructions[self.instruction].source.span;
        match self.behind {
            true => Patch::behind(span, format!("\n\t{}", text.trim_end())),
            false => Patch::before(span, text),
        }
    }
}

impl Placing<'_, '_> {
    /// Returns whether control enters or leaves what the insertion separates, or begins another round of it.
    fn crosses(&self, from: At, to: At) -> bool {
        let (first, last) = self.round;
        let again = self.repeats(to.side) && from.side == to.side;
        if again && (to.start || to.line == first && from.line > first && from.line >= last) {
            return true;
        }
        match self.some_behind {
            true => to.side == Side::Behind && from.side != Side::Behind,
            false => from.side == Side::Ahead && to.side != Side::Ahead,
        }
    }

    /// Returns whether instructions of this side alone can be of two rounds of an unrolled loop.
    fn repeats(&self, side: Side) -> bool {
        match (self.some_ahead, self.some_behind) {
            (true, true) => false,
            _ if self.loops => false,
            (_, true) => side == Side::Behind,
            (_, false) => side == Side::Ahead,
        }
    }

    fn points(&self) -> Vec<Point> {
        let at_end = self.at_end();
        let mut out = Vec::new();
        for id in 0..self.cfg.blocks.len() {
            let id = BlockId(id as u32);
            let entry = self.entry(id, &at_end);
            self.within(id, &entry, &at_end, &mut out);
        }
        out.sort_by_key(|p| (p.instruction, p.behind));
        out.dedup_by(|a, b| (a.instruction, a.behind, &a.guard) == (b.instruction, b.behind, &b.guard));
        out
    }

    fn instructions(&self, id: BlockId) -> std::ops::Range<usize> {
        let block = self.cfg.block(id);
        block.start as usize..block.end as usize
    }

    /// Returns the instructions that may come last when control enters a block.
    fn entry(&self, id: BlockId, at_end: &[Last]) -> Last {
        let mut out = Last::new();
        if id.0 == 0 {
            out.insert(At { side: Side::Outside, line: 0, start: false });
        }
        for from in &self.cfg.block(id).predecessors {
            out.extend(&at_end[from.0 as usize]);
        }
        out
    }

    /// Returns the instructions that may come last at the end of each block.
    fn at_end(&self) -> Vec<Last> {
        let count = self.cfg.blocks.len();
        let mut out = vec![Last::new(); count];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for id in 0..count {
                let block = BlockId(id as u32);
                let last = self.instructions(block).rev().find_map(|i| self.sides[i]);
                let new = last.map_or_else(|| self.entry(block, &out), |at| Last::from([at]));
                if out[id] != new {
                    out[id] = new;
                    changed = true;
                }
            }
        }
        out
    }

    fn within(&self, id: BlockId, entry: &Last, at_end: &[Last], out: &mut Vec<Point>) {
        let mut last: Option<At> = None;
        let mut seen = HashSet::new();
        for i in self.instructions(id) {
            let Some(at) = self.sides[i] else { continue };
            let wants = match last {
                Some(last) => self.crosses(last, at),
                None => {
                    let crossing = entry.iter().filter(|from| self.crosses(**from, at)).count();
                    if crossing > 0 && crossing < entry.len() {
                        self.edges(id, at, at_end, out);
                    }
                    crossing > 0 && crossing == entry.len()
                }
            };
            let same = last.is_some_and(|last| last.side == at.side);
            let repeated = same && self.repeats(at.side) && seen.contains(&key(self.code, i));
            if wants || repeated {
                out.push(Point::before(i));
                seen.clear();
            }
            seen.insert(key(self.code, i));
            last = Some(at);
        }
    }

    /// Inserts on those edges into a block over which control crosses the place.
    fn edges(&self, into: BlockId, at: At, at_end: &[Last], out: &mut Vec<Point>) {
        for &from in &self.cfg.block(into).predecessors {
            if !at_end[from.0 as usize].iter().any(|last| self.crosses(*last, at)) {
                continue;
            }
            let block = self.cfg.block(from);
            let last = block.end as usize - 1;
            let inst = &self.code.flat.instructions[last];
            let branch = matches!(inst.op, Ok(Op::Bra { .. }));
            out.push(match (&inst.source.guard, block.successors.len()) {
                (Some(guard), 2) if branch => {
                    let falls = block.successors[0] == into;
                    let sign = if guard.negated == falls { "" } else { "!" };
                    Point { guard: format!("@{sign}{}", guard.register.text), ..Point::before(last) }
                }
                _ if branch => Point::before(last),
                _ => Point { behind: true, ..Point::before(last) },
            });
        }
    }
}

/// Inserts a barrier before each store of a line that loads, too.
pub(super) fn split(
    code: &Code<'_>,
    file: &str,
    line: u32,
    call: Call,
    patches: &mut Vec<Patch>,
) -> Result<(), Error> {
    let mut loaded = false;
    for i in code.on(file, line) {
        let inst = &code.flat.instructions[i];
        match inst.source.opcode.text.as_str() {
            "ld" => loaded = true,
            "st" if loaded => {
                if call.is_collective() && code.divergent[i] {
                    return Err(Error::Divergent(line));
                }
                patches.push(Point::before(i).patch(code, call));
                loaded = false;
            }
            _ => {}
        }
    }
    Ok(())
}
