//! The order of elimination: minimum degree.
//!
//! The graph is given by cliques, which become the first *elements* of the quotient graph (George
//! and Liu, *The evolution of the minimum degree ordering algorithm*, 1989): eliminating a
//! variable merges all elements that contain it into one. Degrees are bounded from above as in
//! Amestoy, Davis and Duff, *An approximate minimum degree ordering algorithm* (1996), and a
//! variable that is left with the new element only is eliminated at once.
use corten_math::memory::Grow;

/// No variable.
const NONE: u32 = u32::MAX;

/// Lists of variables that are connected with each other.
#[derive(Clone, Debug, Default)]
pub struct Cliques {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Cliques {
    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.items.clear();
    }

    /// Appends a variable to the clique that is being made.
    pub fn push(&mut self, variable: u32) {
        self.items.grow_push(variable);
    }

    /// Ends a clique; a single variable makes none.
    pub fn close(&mut self) {
        let from = self.start[self.start.len() - 1] as usize;
        if self.items.len() < from + 2 {
            self.items.truncate(from);
        } else {
            self.start.grow_push(self.items.len() as u32);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.start.windows(2).map(|w| &self.items[w[0] as usize..w[1] as usize])
    }

    pub fn get(&self, clique: usize) -> &[u32] {
        &self.items[self.start[clique] as usize..self.start[clique + 1] as usize]
    }

    fn len(&self) -> usize {
        self.start.len() - 1
    }
}

/// Working memory of [`minimum_degree`].
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Variables of each element; those of later elements follow those of the cliques.
    element: Vec<[u32; 2]>,
    items: Vec<u32>,
    /// Sum of the weights of an element's variables, 0 once it is merged into another.
    size: Vec<u32>,
    /// Weight outside the element that is being made, and the pivot for which it holds.
    outside: Vec<[u32; 2]>,
    /// Elements of each variable.
    member: Vec<[u32; 2]>,
    elements: Vec<u32>,
    degree: Vec<u32>,
    /// Variables by degree, in lists linked both ways.
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Pivot at which a variable was last met; `DONE` once it is eliminated.
    met: Vec<u32>,
}

const DONE: u32 = u32::MAX;

impl Order {
    /// Variables in the order in which they should be eliminated, given their weights.
    pub fn minimum_degree(&mut self, weights: &[u32], cliques: &Cliques, order: &mut Vec<u32>) {
        order.clear();
        self.start(weights, cliques);
        let (mut pivot, mut least) = (0, 0);
        while order.len() < weights.len() {
            while self.head[least] == NONE {
                least += 1;
            }
            let p = self.head[least];
            self.unlink(p);
            order.push(p);
            pivot += 1;
            self.eliminate(p, pivot, weights, order);
            let [from, to] = self.element[self.element.len() - 1];
            for k in from..to {
                least = least.min(self.degree[self.items[k as usize] as usize] as usize);
            }
        }
    }

    fn start(&mut self, weights: &[u32], cliques: &Cliques) {
        let n = weights.len();
        self.element.clear();
        self.element.grow_extend(cliques.start.windows(2).map(|w| [w[0], w[1]]));
        self.items.clear();
        self.items.grow_extend_from_slice(&cliques.items);
        self.size.clear();
        self.size.grow_extend(
            cliques.iter().map(|c| c.iter().map(|&v| weights[v as usize]).sum::<u32>()),
        );
        self.outside.clear();
        self.outside.grow_resize(cliques.len(), [0; 2]);

        self.member.clear();
        self.member.grow_resize(n, [0; 2]);
        for &v in &self.items {
            self.member[v as usize][1] += 1;
        }
        let mut total = 0;
        for m in &mut self.member {
            let count = m[1];
            *m = [total, total];
            total += count;
        }
        self.elements.clear();
        self.elements.grow_resize(total as usize, 0);
        self.degree.clear();
        self.degree.grow_resize(n, 0);
        for (e, clique) in cliques.iter().enumerate() {
            for &v in clique {
                let end = &mut self.member[v as usize][1];
                self.elements[*end as usize] = e as u32;
                *end += 1;
                self.degree[v as usize] += self.size[e] - weights[v as usize];
            }
        }

        let all: u32 = weights.iter().sum();
        self.head.clear();
        self.head.grow_resize(all as usize + 1, NONE);
        self.next.clear();
        self.next.grow_resize(n, NONE);
        self.previous.clear();
        self.previous.grow_resize(n, NONE);
        self.met.clear();
        self.met.grow_resize(n, 0);
        for v in 0..n {
            self.degree[v] = self.degree[v].min(all);
            self.link(v as u32);
        }
    }

    fn link(&mut self, v: u32) {
        let head = &mut self.head[self.degree[v as usize] as usize];
        let next = std::mem::replace(head, v);
        self.next[v as usize] = next;
        self.previous[v as usize] = NONE;
        if next != NONE {
            self.previous[next as usize] = v;
        }
    }

    fn unlink(&mut self, v: u32) {
        let (next, previous) = (self.next[v as usize], self.previous[v as usize]);
        if previous == NONE {
            self.head[self.degree[v as usize] as usize] = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// Merges the elements of `p` into a new one, and updates its variables.
    fn eliminate(&mut self, p: u32, pivot: u32, weights: &[u32], order: &mut Vec<u32>) {
        self.met[p as usize] = DONE;
        let from = self.items.len();
        let mut size = 0;
        let [start, end] = self.member[p as usize];
        for k in start..end {
            let e = self.elements[k as usize] as usize;
            if self.size[e] == 0 {
                continue;
            }
            self.size[e] = 0;
            for i in self.element[e][0]..self.element[e][1] {
                let v = self.items[i as usize];
                let met = &mut self.met[v as usize];
                if *met != DONE && *met != pivot {
                    *met = pivot;
                    size += weights[v as usize];
                    self.items.grow_push(v);
                }
            }
        }
        let new = self.element.len() as u32;
        self.element.grow_push([from as u32, self.items.len() as u32]);
        self.size.grow_push(size);
        self.outside.grow_push([0; 2]);

        // What every other element has outside the new one.
        for i in from..self.items.len() {
            let v = self.items[i] as usize;
            for k in self.member[v][0]..self.member[v][1] {
                let e = self.elements[k as usize] as usize;
                let outside = &mut self.outside[e];
                if outside[1] != pivot {
                    *outside = [self.size[e], pivot];
                }
                outside[0] = outside[0].saturating_sub(weights[v]);
            }
        }

        let mut kept = from;
        for i in from..self.items.len() {
            let v = self.items[i];
            let weight = weights[v as usize];
            let [start, end] = self.member[v as usize];
            let (mut to, mut outside) = (start, 0);
            for k in start..end {
                let e = self.elements[k as usize];
                // An element within the new one adds nothing.
                if self.size[e as usize] > 0 && self.outside[e as usize][0] > 0 {
                    outside += self.outside[e as usize][0];
                    self.elements[to as usize] = e;
                    to += 1;
                }
            }
            self.unlink(v);
            if to == start {
                order.grow_push(v);
                self.met[v as usize] = DONE;
                self.size[new as usize] -= weight;
                continue;
            }
            // One of the elements merged now has left room.
            self.elements[to as usize] = new;
            self.member[v as usize][1] = to + 1;
            self.degree[v as usize] = outside;
            self.items[kept] = v;
            kept += 1;
        }
        self.items.truncate(kept);
        self.element[new as usize][1] = kept as u32;
        let all = self.head.len() as u32 - 1;
        for i in from..kept {
            let v = self.items[i] as usize;
            self.degree[v] = (self.degree[v] + self.size[new as usize] - weights[v]).min(all);
            self.link(v as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(weights: &[u32], cliques: &[&[u32]]) -> Vec<u32> {
        let mut graph = Cliques::default();
        graph.clear();
        for clique in cliques {
            clique.iter().for_each(|&v| graph.push(v));
            graph.close();
        }
        let mut order = Vec::new();
        Order::default().minimum_degree(weights, &graph, &mut order);
        order
    }

    #[test]
    fn every_variable_comes_once() {
        let mut all = order(&[1; 7], &[&[0, 1, 2], &[2, 3], &[3, 4, 0], &[5, 6], &[1]]);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_centre_of_a_star_comes_after_its_arms() {
        let order = order(&[1; 6], &[&[0, 3], &[1, 3], &[2, 3], &[3, 4], &[3, 5]]);
        assert!(order[..4].iter().all(|&v| v != 3), "{order:?}");
    }
}
