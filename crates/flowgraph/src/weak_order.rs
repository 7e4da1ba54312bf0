//! A weak topological order: every node lies behind all nodes that can reach it, except along back edges of
//! loops, and each loop is contiguous with its exits behind it (Bourdoncle, FMPA 1993).
//!
//! The order is computed by strongly connected components, each of which is arranged again without its header.
//! Ties are broken by the numbers of nodes, which are those of the text.

use crate::Graph;
use std::collections::{HashMap, HashSet};

/// Loops nested deeper than this are ordered by their nodes' numbers: hostile input must not exhaust the stack.
const MAX_NESTING: u32 = 200;

/// Returns the nodes that node 0 reaches, in weak topological order.
pub fn weak_topological_order(graph: &Graph) -> Vec<usize> {
    let mut arrangement = Arrangement {
        graph,
        inside: vec![0; graph.len()],
        region: 0,
        order: Vec::with_capacity(graph.len()),
    };
    if !graph.is_empty() {
        arrangement.arrange((0..graph.len()).collect(), 0, 0);
    }
    arrangement.order
}

struct Arrangement<'g> {
    graph: &'g Graph,
    /// The number of the innermost region under arrangement that contains each node.
    inside: Vec<u32>,
    /// The number of the last region.
    region: u32,
    order: Vec<usize>,
}

impl Arrangement<'_> {
    /// Appends the part of `nodes` that `entry` reaches, in weak topological order.
    fn arrange(&mut self, nodes: Vec<usize>, entry: usize, depth: u32) {
        self.region += 1;
        let here = self.region;
        for &node in &nodes {
            self.inside[node] = here;
        }
        // In a loop, all nodes are reachable; at the top level, only those that the entry reaches count.
        let roots: Vec<usize> = match depth {
            0 => vec![entry],
            _ => std::iter::once(entry).chain(nodes).filter(|&r| self.inside[r] == here).collect(),
        };
        let components = Components::of(self.graph, &self.inside, here).from(&roots);
        for mut component in components.into_iter().rev() {
            if component.len() == 1 || depth >= MAX_NESTING {
                component.sort_unstable();
                self.order.extend(component);
                continue;
            }
            let header = self.header(&component, entry);
            self.order.push(header);
            let rest: Vec<usize> = component.into_iter().filter(|&node| node != header).collect();
            // The header's successors come first, so that the order of the text breaks ties.
            let first = self.graph.successors(header).iter().copied().find(|s| rest.contains(s));
            let first = first.unwrap_or(rest[0]);
            self.arrange(rest, first, depth + 1);
        }
    }

    /// Returns the node by which a loop is entered from outside; of several, the first in the text.
    fn header(&self, component: &[usize], entry: usize) -> usize {
        let members: HashSet<usize> = component.iter().copied().collect();
        if members.contains(&entry) {
            return entry;
        }
        let outside = (0..self.graph.len()).filter(|node| !members.contains(node));
        let entered = outside.flat_map(|node| self.graph.successors(node)).filter(|s| members.contains(s));
        entered.min().or_else(|| component.iter().min()).copied().unwrap_or(entry)
    }
}

/// The strongly connected components of one region (Tarjan, without recursion).
struct Components<'g> {
    graph: &'g Graph,
    inside: &'g [u32],
    here: u32,
    /// The nodes in the order of their visit; a node's index here is its number.
    nodes: Vec<usize>,
    numbers: HashMap<usize, u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    found: Vec<Vec<usize>>,
}

impl<'g> Components<'g> {
    fn of(graph: &'g Graph, inside: &'g [u32], here: u32) -> Components<'g> {
        Components {
            graph,
            inside,
            here,
            nodes: Vec::new(),
            numbers: HashMap::new(),
            low: Vec::new(),
            on_stack: Vec::new(),
            stack: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Returns the components that the roots reach, in reverse topological order.
    fn from(mut self, roots: &[usize]) -> Vec<Vec<usize>> {
        for &root in roots {
            if !self.numbers.contains_key(&root) {
                self.search(root);
            }
        }
        self.found
    }

    fn search(&mut self, root: usize) {
        // A node's number, and how many of its successors are left.
        let mut work: Vec<(u32, usize)> = vec![self.visit(root)];
        while let Some(&mut (v, ref mut left)) = work.last_mut() {
            if *left > 0 {
                // Later successors are visited first, because the first visited ends up last.
                *left -= 1;
                let s = self.graph.successors(self.nodes[v as usize])[*left];
                if self.inside[s] != self.here {
                    continue;
                }
                match self.numbers.get(&s) {
                    None => work.push(self.visit(s)),
                    Some(&w) if self.on_stack[w as usize] => self.lower(v, w),
                    Some(_) => {}
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                self.lower(parent, self.low[v as usize]);
            }
            if self.low[v as usize] == v {
                self.close(v);
            }
        }
    }

    fn visit(&mut self, node: usize) -> (u32, usize) {
        let number = self.nodes.len() as u32;
        self.numbers.insert(node, number);
        self.nodes.push(node);
        self.low.push(number);
        self.on_stack.push(true);
        self.stack.push(number);
        (number, self.graph.successors(node).len())
    }

    fn lower(&mut self, v: u32, to: u32) {
        let low = &mut self.low[v as usize];
        *low = to.min(*low);
    }

    /// Takes the component of `v`, which is complete, from the stack.
    fn close(&mut self, v: u32) {
        let mut component = Vec::new();
        while let Some(w) = self.stack.pop() {
            self.on_stack[w as usize] = false;
            component.push(self.nodes[w as usize]);
            if w == v {
                break;
            }
        }
        self.found.push(component);
    }
}
