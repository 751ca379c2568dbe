//! Wrenches at sites of a free body, four actuators at a time: the thrusters of a vehicle.
//!
//! Every lane goes through the operations of [`super::site_wrench`].

use corten_math::{Mask, Mat3, Spatial, Vec3, wide};
use corten_model::enums::Transmission;

use crate::chain::index;
use crate::{Data, Model};

/// Four consecutive actuators, each a wrench at a site of the same body.
pub(super) struct Thrusters {
    first: usize,
    sites: [usize; 4],
    body: usize,
}

impl Thrusters {
    /// Those from an actuator on, where there are some.
    #[inline(always)]
    pub fn find(m: &Model, first: usize) -> Option<Thrusters> {
        let kinds = m.actuator_trntype.get(first..)?.first_chunk::<4>()?;
        if *kinds != [Transmission::Site.raw(); 4] {
            return None;
        }
        let targets = m.actuator_trnid.get(first..)?.first_chunk::<4>()?;
        let mut sites = [0; 4];
        let mut bodies = [0; 4];
        for k in 0..4 {
            let [site, other] = targets[k];
            (sites[k], bodies[k]) = (site as usize, *m.site_bodyid.get(site as usize)?);
            if index(other, m.nsite).is_some() || bodies[k] != bodies[0] {
                return None;
            }
        }
        Some(Thrusters { first, sites, body: index(bodies[0], m.nbody)? })
    }
}

wide! {
    /// The rows of four actuators, of which the first begins at entry `start`. Returns where the next
    /// begins; `None`, and nothing is done, if more than a free joint moves the body.
    pub(super) fn rows(m: &Model, d: &mut Data, four: Thrusters, start: usize) -> Option<usize> {
        let s = &*d.scratch.structure;
        let Thrusters { first, sites, body } = four;
        let root = s.bodies[body].root as usize;
        let dofs: [u32; 6] = s.chain(body).try_into().ok().filter(|_| s.bodies[root].free)?;
        let axes = d.cdof.get(dofs[0] as usize..)?.first_chunk::<6>()?;
        let colind = d.moment_colind.get_mut(start..)?.first_chunk_mut::<24>()?;
        let value = d.actuator_moment.get_mut(start..)?.first_chunk_mut::<24>()?;
        let gears = m.actuator_gear[first..].first_chunk::<4>()?;

        let frame = Mat3::<Simd>::load(&d.site_xmat, sites);
        let gear = Spatial::<Simd>::load(bytemuck::cast_slice(gears), [0, 1, 2, 3]);
        // A gear has its translational half first.
        let (force, torque) = (frame * gear.rot(), frame * gear.lin());
        let offset = Vec3::<Simd>::load(&d.site_xpos, sites) - Vec3::of(d.subtree_com[root]);

        // The joint moves along the axes of the world first.
        let [x, y, z] = force.0;
        let mut moments = Spatial([x, y, z, x, y, z]);
        for k in 3..6 {
            let axis = Spatial::<Simd>::of(axes[k]);
            let motion = axis.lin() + axis.rot().cross(offset);
            moments[k] = motion.dot(force) + axis.rot().dot(torque);
        }
        moments.store(bytemuck::cast_slice_mut(value), [0, 1, 2, 3]);
        *colind = bytemuck::cast([dofs; 4]);
        let zero = Simd::of(0.0);
        let mut zeros = moments[0].abs().at_most(zero);
        for k in 1..6 {
            zeros = zeros.or(moments[k].abs().at_most(zero));
        }

        let rowadr = d.moment_rowadr[first..].first_chunk_mut::<4>()?;
        let rownnz = d.moment_rownnz[first..].first_chunk_mut::<4>()?;
        *d.actuator_length[first..].first_chunk_mut::<4>()? = [0.0; 4];
        if !zeros.any() {
            let begin = start as i32;
            (*rowadr, *rownnz) = ([begin, begin + 6, begin + 12, begin + 18], [6; 4]);
            return Some(start + 24);
        }
        // Rows move together as their zeros go.
        let mut next = 0;
        for lane in 0..4 {
            let begin = next;
            for k in 6 * lane..6 * lane + 6 {
                (colind[next], value[next]) = (colind[k], value[k]);
                next += usize::from(value[next] != 0.0);
            }
            (rowadr[lane], rownnz[lane]) = ((start + begin) as i32, (next - begin) as i32);
        }
        Some(start + next)
    }
}

#[cfg(test)]
mod tests {
    use corten_model::Assets;

    use super::*;
    use crate::load_model_str;
    use crate::stage::{inertia, kinematics, transmission};

    const VEHICLE: &str = r#"<mujoco>
        <worldbody>
          <body><freejoint/>
            <geom size=".1 .2 .3" type="box"/>
            <site name="a" pos=".1 .2 .3"/>
            <site name="b" pos="-.1 .2 .1" euler="20 0 50"/>
            <site name="c" pos=".1 -.2 .2"/>
            <body><geom size=".1"/><site name="d" pos=".3 0 .1" euler="0 70 0"/></body>
          </body>
        </worldbody>
        <actuator>
          <motor site="a" gear="0 0 1 0 0 .2"/>
          <motor site="b" gear="1 2 3 4 5 6"/>
          <motor site="c" gear="0 1 0 .1 0 0"/>
          <motor site="d" gear="1 0 0 0 0 1"/>
        </actuator>
      </mujoco>"#;

    /// Upright, entries of rows vanish; all sites have a body with the same dofs, if not the same.
    #[test]
    fn thrusters_in_lanes_have_the_rows_of_each() {
        let mut m = load_model_str(VEHICLE, &Assets::memory_only()).unwrap();
        for quat in [[1.0, 0.0, 0.0, 0.0], [0.5, 0.1, -0.7, 0.3]] {
            for body in [m.site_bodyid[0], m.site_bodyid[3]] {
                m.site_bodyid.fill(body);
                let mut d = Data::new(&m);
                d.qpos[3..7].copy_from_slice(&quat);
                kinematics::kinematics(&m, &mut d);
                inertia::centers_of_mass(&m, &mut d);
                let mut each = d.clone();
                transmission::rows(&m, &mut each, 0..4, 0, false);
                let four = Thrusters::find(&m, 0).unwrap();
                let end = rows(&m, &mut d, four, 0).unwrap();
                assert_eq!(d.moment_rowadr, each.moment_rowadr);
                assert_eq!(d.moment_rownnz, each.moment_rownnz);
                assert_eq!(d.moment_colind[..end], each.moment_colind[..end]);
                assert_eq!(d.actuator_moment[..end], each.actuator_moment[..end]);
                assert_eq!(end, (d.moment_rowadr[3] + d.moment_rownnz[3]) as usize);
                assert_eq!(end < 24, quat[0] == 1.0);
            }
        }
    }
}
