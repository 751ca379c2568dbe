//! Points that are fixed to the parent.

/// What the author wants pinned.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    pub id: Vec<i32>,
    /// First and last, pair by pair.
    pub range: Vec<i32>,
    /// Grid coordinates, as many per point as there are dimensions.
    pub grid: Vec<i32>,
    /// Grid coordinates of two corners.
    pub gridrange: Vec<i32>,
}

impl Pins {
    /// A flag for each of `points`; `count` are the sizes of a grid, if it is one.
    pub fn flags(
        &self,
        points: usize,
        dim: usize,
        count: Option<[usize; 3]>,
    ) -> Result<Vec<bool>, String> {
        let mut pinned = vec![false; points];
        let check = |name: &str, i: i32, n: usize| {
            let found = usize::try_from(i).ok().filter(|&i| i < n);
            found.ok_or_else(|| format!("'{name}' of a pin: {i} is not from 0 to {}", n - 1))
        };
        for &i in &self.id {
            pinned[check("id", i, points)?] = true;
        }
        if !self.range.len().is_multiple_of(2) {
            return Err("'range' of a pin needs pairs of points".into());
        }
        for pair in self.range.as_chunks::<2>().0 {
            let [from, to] = [check("range", pair[0], points)?, check("range", pair[1], points)?];
            // A range that runs backward holds nothing.
            (from..=to).for_each(|i| pinned[i] = true);
        }
        if self.grid.is_empty() && self.gridrange.is_empty() {
            return Ok(pinned);
        }
        let Some(count) = count.filter(|_| dim > 1) else {
            return Err(
                "'grid' and 'gridrange' of a pin are for grids of two or three dimensions".into()
            );
        };
        if !self.grid.len().is_multiple_of(dim) || !self.gridrange.len().is_multiple_of(2 * dim) {
            return Err(format!("'grid' and 'gridrange' of a pin need {dim} numbers per point"));
        }
        let corner = |name: &str, at: &[i32]| -> Result<[usize; 3], String> {
            let mut out = [0; 3];
            for (k, &i) in at.iter().enumerate() {
                out[k] = check(name, i, count[k])?;
            }
            Ok(out)
        };
        // A sheet has one layer.
        let depth = if dim == 3 { count[2] } else { 1 };
        let id = |[x, y, z]: [usize; 3]| (x * count[1] + y) * depth + z;
        for at in self.grid.chunks_exact(dim) {
            pinned[id(corner("grid", at)?)] = true;
        }
        for at in self.gridrange.chunks_exact(2 * dim) {
            let (low, high) = (corner("gridrange", &at[..dim])?, corner("gridrange", &at[dim..])?);
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in low[2]..=high[2] {
                        pinned[id([x, y, z])] = true;
                    }
                }
            }
        }
        Ok(pinned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(pins: Pins, dim: usize, count: [usize; 3]) -> Result<Vec<usize>, String> {
        let flags = pins.flags(count.iter().product(), dim, Some(count))?;
        Ok(flags.iter().enumerate().filter(|(_, pinned)| **pinned).map(|(i, _)| i).collect())
    }

    #[test]
    fn all_forms() {
        let pins = Pins { id: vec![7], range: vec![1, 3], ..Default::default() };
        assert_eq!(pinned(pins, 1, [9, 1, 1]).unwrap(), [1, 2, 3, 7]);
        let pins = Pins { grid: vec![0, 1], gridrange: vec![1, 0, 2, 0], ..Default::default() };
        assert_eq!(pinned(pins, 2, [3, 4, 1]).unwrap(), [1, 4, 8]);
        let pins = Pins { gridrange: vec![0, 0, 0, 1, 0, 1], ..Default::default() };
        assert_eq!(pinned(pins, 3, [2, 2, 2]).unwrap(), [0, 1, 4, 5]);
    }

    #[test]
    fn what_does_not_exist_cannot_be_pinned() {
        let all = |id: &[i32], range: &[i32], grid: &[i32]| Pins {
            id: id.to_vec(),
            range: range.to_vec(),
            grid: grid.to_vec(),
            gridrange: Vec::new(),
        };
        for pins in [
            all(&[9], &[], &[]),
            all(&[-1], &[], &[]),
            all(&[], &[1], &[]),
            all(&[], &[0, 9], &[]),
            all(&[], &[], &[0]),
            all(&[], &[], &[3, 0]),
        ] {
            assert!(pinned(pins, 2, [3, 3, 1]).is_err());
        }
        assert!(pinned(all(&[], &[], &[0]), 1, [3, 1, 1]).is_err());
    }
}
