use super::by_length;
use crate::{Number, Spatial, Stored, Wide};

/// Depths whose components are stored apart.
const SHALLOW: usize = 16;

/// Memory of an [`AxisStack`].
#[derive(Clone, Debug, Default)]
pub struct AncestorAxes<T = f64> {
    components: [[T; SHALLOW]; 6],
    /// Of longer paths; else empty.
    axes: Vec<Spatial<T>>,
}

impl<T: Stored> AncestorAxes<T> {
    /// Room for paths of `depth` dofs.
    pub fn new(depth: usize) -> AncestorAxes<T> {
        let zero = T::zeroed();
        let long = if depth > SHALLOW { depth } else { 0 };
        AncestorAxes { components: [[zero; SHALLOW]; 6], axes: vec![Spatial([zero; 6]); long] }
    }

    /// The stack, as it was left.
    #[inline(always)]
    pub fn stack<S: Wide>(&mut self) -> AxisStack<'_, T::Number<S>> {
        AxisStack {
            components: bytemuck::cast_mut(&mut self.components),
            axes: bytemuck::cast_slice_mut(&mut self.axes),
        }
    }
}

/// The axes of a dof and its ancestors during a depth-first walk of a forest, indexed by depth.
///
/// Near the root, components are stored apart, so that the projections of one force onto all
/// ancestors are sums of six scaled columns.
#[derive(Debug)]
pub struct AxisStack<'a, T> {
    components: &'a mut [[T; SHALLOW]; 6],
    axes: &'a mut [Spatial<T>],
}

impl<T: Number> AxisStack<'_, T> {
    /// Enters the dof at `depth`, and leaves all that were deeper.
    #[inline(always)]
    pub fn enter(&mut self, depth: usize, axis: &Spatial<T>) {
        if let Some(to) = self.axes.get_mut(depth) {
            *to = *axis;
        }
        if depth < SHALLOW {
            for k in 0..6 {
                self.components[k][depth] = axis.0[k];
            }
        }
    }

    /// The products of a force with the axes from the root down, one for each element of `row`.
    #[inline(always)]
    pub fn project(&self, force: &Spatial<T>, row: &mut [T]) {
        by_length!(row.len(),
        N => if let Some(row) = row.first_chunk_mut::<N>() {
            *row = self.project_shallow::<N>(force);
        },
        _ => for (x, axis) in row.iter_mut().zip(&*self.axes) {
            *x = axis.dot(force);
        });
    }

    #[inline(always)]
    fn project_shallow<const N: usize>(&self, force: &Spatial<T>) -> [T; N] {
        let (c, f) = (&self.components, &force.0);
        let mut row = [T::default(); N];
        for j in 0..N {
            let p = |k: usize| c[k][j] * f[k];
            // The order of `Spatial::dot`.
            row[j] = ((p(0) + p(2)) + (p(1) + p(3))) + (p(4) + p(5));
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Four;

    #[test]
    fn projections_are_dot_products() {
        let axes: Vec<Spatial> =
            (0..20).map(|k| Spatial(std::array::from_fn(|c| ((k * 6 + c) as f64).sin()))).collect();
        let force = Spatial([1.0, -0.5, 0.25, 2.0, -3.0, 0.7]);
        let mut memory = AncestorAxes::<f64>::new(axes.len());
        let mut stack = memory.stack::<Four>();
        for (depth, axis) in axes.iter().enumerate() {
            stack.enter(depth, axis);
            let mut row = vec![0.0; depth + 1];
            stack.project(&force, &mut row);
            for (x, axis) in row.iter().zip(&axes) {
                assert!((x - axis.dot(&force)).abs() < 1e-14);
            }
        }
    }
}
