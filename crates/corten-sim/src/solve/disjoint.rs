//! Sets of numbers that are joined bit by bit.

/// A forest over the numbers from zero on: each points to a smaller one of its set, or to itself.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Every number by itself.
    pub fn reset(&mut self, count: usize) {
        self.0.clear();
        self.0.extend(0..count as u32);
    }

    /// The smallest number of a set.
    pub fn first(&mut self, of: u32) -> u32 {
        let mut first = of;
        while self.0[first as usize] != first {
            first = self.0[first as usize];
        }
        let mut at = of;
        while self.0[at as usize] != first {
            at = std::mem::replace(&mut self.0[at as usize], first);
        }
        first
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let [a, b] = [self.first(a), self.first(b)];
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_known_by_their_smallest_number() {
        let mut sets = DisjointSets::default();
        sets.reset(6);
        sets.join(5, 3);
        sets.join(4, 5);
        sets.join(1, 0);
        let firsts: Vec<u32> = (0..6).map(|k| sets.first(k)).collect();
        assert_eq!(firsts, [0, 0, 2, 3, 3, 3]);
    }
}
