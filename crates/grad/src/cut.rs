//! The cheapest set of nodes between a source and a sink: a maximum flow, and the minimum cut it ends at.
//!
//! Of several cheapest cuts it gives the one nearest to the sink. Paths are looked for level by level, the shortest
//! first, without recursion. The graphs it is made for are shallow where flow has a choice, so that a few levels do;
//! one that takes more steps than [`MOST_STEPS`] per edge is given up.

/// More than any sum of capacities that counts.
pub(crate) const ENDLESS: i64 = i64::MAX / 4;
/// Steps of the search per edge and level graph, all together.
const MOST_STEPS: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node(usize);

pub(crate) const SOURCE: Node = Node(0);
pub(crate) const SINK: Node = Node(1);

/// An edge and, right beside it, the same the other way round.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    left: i64,
}

pub(crate) struct MinCut {
    edges: Vec<Edge>,
    /// The edges out of each node.
    out: Vec<Vec<usize>>,
    steps: usize,
}

impl MinCut {
    pub(crate) fn new() -> Self {
        MinCut { edges: Vec::new(), out: vec![Vec::new(); 2], steps: 0 }
    }

    pub(crate) fn node(&mut self) -> Node {
        self.out.push(Vec::new());
        Node(self.out.len() - 1)
    }

    /// Whoever has `from` on the source's side and `to` on the sink's pays `capacity`.
    pub(crate) fn edge(&mut self, from: Node, to: Node, capacity: i64) {
        for (from, to, left) in [(from, to, capacity.clamp(0, ENDLESS)), (to, from, 0)] {
            self.out[from.0].push(self.edges.len());
            self.edges.push(Edge { to: to.0, left });
        }
    }

    /// Which nodes are on the sink's side of a cheapest cut; `None` if it takes too long to tell.
    pub(crate) fn sink_side(mut self) -> Option<SinkSide> {
        while let Some(mut levels) = self.levels() {
            self.fill(&mut levels)?;
        }
        Some(SinkSide(self.reaching_sink()))
    }

    /// How far each node is from the source, where there is room left; `None` if the sink is out of reach.
    fn levels(&self) -> Option<Vec<usize>> {
        let mut levels = vec![usize::MAX; self.out.len()];
        levels[SOURCE.0] = 0;
        let mut row = vec![SOURCE.0];
        while !row.is_empty() && levels[SINK.0] == usize::MAX {
            let mut next = Vec::new();
            for node in row {
                for edge in self.out[node].iter().map(|edge| self.edges[*edge]) {
                    if edge.left > 0 && levels[edge.to] == usize::MAX {
                        levels[edge.to] = levels[node] + 1;
                        next.push(edge.to);
                    }
                }
            }
            row = next;
        }
        (levels[SINK.0] != usize::MAX).then_some(levels)
    }

    /// Send all that goes by shortest paths.
    fn fill(&mut self, levels: &mut [usize]) -> Option<()> {
        let mut tried = vec![0; self.out.len()];
        let mut path: Vec<usize> = Vec::new();
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS * (self.edges.len() + 1) {
                return None;
            }
            let end = path.last().map_or(SOURCE.0, |edge| self.edges[*edge].to);
            if end == SINK.0 {
                self.send(&mut path);
                continue;
            }
            let Some(edge) = self.out[end].get(tried[end]).copied() else {
                // Nothing goes on from here.
                levels[end] = usize::MAX;
                if path.pop().is_none() {
                    return Some(());
                }
                continue;
            };
            let goes_on = self.edges[edge].left > 0
                && levels[self.edges[edge].to] != usize::MAX
                && levels[self.edges[edge].to] == levels[end] + 1;
            if goes_on { path.push(edge) } else { tried[end] += 1 }
        }
    }

    /// Send what a path can take, and keep of it what comes before its first full edge.
    fn send(&mut self, path: &mut Vec<usize>) {
        let amount = path.iter().map(|edge| self.edges[*edge].left).min().unwrap_or(0);
        for edge in path.iter() {
            self.edges[*edge].left -= amount;
            let back = &mut self.edges[*edge ^ 1].left;
            *back = back.saturating_add(amount);
        }
        let full = path.iter().position(|edge| self.edges[*edge].left == 0);
        path.truncate(full.unwrap_or(0));
    }

    fn reaching_sink(&self) -> Vec<bool> {
        let mut reaching = vec![false; self.out.len()];
        reaching[SINK.0] = true;
        let mut work = vec![SINK.0];
        while let Some(node) = work.pop() {
            for edge in &self.out[node] {
                let (from, left) = (self.edges[*edge].to, self.edges[*edge ^ 1].left);
                if left > 0 && !std::mem::replace(&mut reaching[from], true) {
                    work.push(from);
                }
            }
        }
        reaching
    }
}

/// The nodes on the sink's side.
pub(crate) struct SinkSide(Vec<bool>);

impl SinkSide {
    pub(crate) fn has(&self, node: Node) -> bool {
        self.0[node.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ways of 3 and 4 that meet in one of 5.
    #[test]
    fn the_narrowest_place_is_cut() {
        let mut cut = MinCut::new();
        let [a, b, c] = [(); 3].map(|()| cut.node());
        cut.edge(SOURCE, a, 3);
        cut.edge(SOURCE, b, 4);
        cut.edge(a, c, ENDLESS);
        cut.edge(b, c, ENDLESS);
        cut.edge(c, SINK, 5);
        let side = cut.sink_side().unwrap();
        assert_eq!([a, b, c].map(|node| side.has(node)), [false; 3]);
    }

    #[test]
    fn of_equal_places_the_one_nearest_to_the_sink_is_cut() {
        let mut cut = MinCut::new();
        let [a, b] = [(); 2].map(|()| cut.node());
        cut.edge(SOURCE, a, 2);
        cut.edge(a, b, 2);
        cut.edge(b, SINK, ENDLESS);
        let side = cut.sink_side().unwrap();
        assert_eq!([a, b].map(|node| side.has(node)), [false, true]);
    }

    /// The shortest path takes the wrong way; flow has to be taken back.
    #[test]
    fn flow_is_sent_another_way_where_that_gives_more() {
        let mut cut = MinCut::new();
        let [a, b, c, d] = [(); 4].map(|()| cut.node());
        for (from, to) in [(SOURCE, a), (SOURCE, c), (a, b), (a, d), (c, d), (b, SINK), (d, SINK)] {
            cut.edge(from, to, 1);
        }
        let side = cut.sink_side().unwrap();
        assert_eq!([a, b, c, d].map(|node| side.has(node)), [false; 4]);
    }

    /// A chain of a hundred thousand is walked, not recursed into.
    #[test]
    fn long_chains_are_cut_in_time() {
        let mut cut = MinCut::new();
        let mut last = SOURCE;
        for at in 0..100_000 {
            let node = cut.node();
            cut.edge(last, node, if at == 70_000 { 1 } else { 2 });
            last = node;
        }
        cut.edge(last, SINK, ENDLESS);
        assert!(cut.sink_side().unwrap().has(last));
    }
}
