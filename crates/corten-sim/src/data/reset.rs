use corten_math::memory::{self, OutOfMemory};
use corten_model::arrays::ArrayMut;

use super::scratch::Scratch;
use super::{Budget, Data, TimerStat, WarningStat};
use crate::solve::island;
use crate::{Model, StepError, sleep};

impl Data {
    /// [`Self::new`], or what the machine has no memory for.
    pub fn try_new(m: &Model) -> Result<Data, OutOfMemory> {
        memory::guard(|| Data::new(m))
    }

    /// Data for a model, in the reference pose. Where the machine refuses memory it unwinds, as all do that return no
    /// result ([`corten_math::memory`]); [`Self::try_new`] tells instead.
    pub fn new(m: &Model) -> Data {
        let prepared = m.prepared().clone();
        let scratch = Scratch::new(m, &prepared);
        let budget = Budget { bytes: m.limits.data_bytes, ..Budget::default() };
        let hooks = m.extensions().hook();
        let (jnt_limit_frc, ten_limit_frc) = (memory::zeroed(m.njnt), memory::zeroed(m.ntendon));
        let mut d = Data {
            prepared,
            scratch,
            budget,
            jnt_limit_frc,
            ten_limit_frc,
            hooks,
            ..Data::default()
        };
        d.resize_arrays(m);
        d.start(m);
        d
    }

    /// Back to the reference pose, at rest, with all inputs and statistics zero. Fails only if the
    /// data was made for a model of other sizes.
    pub fn reset(&mut self, m: &Model) -> Result<(), StepError> {
        self.bind(m)?;
        self.restart(m);
        Ok(())
    }

    /// [`Self::reset`] of data that is bound to the model.
    pub(crate) fn restart(&mut self, m: &Model) {
        for i in 0..Data::FIXED_ARRAYS {
            match self.array_mut(i) {
                Some(ArrayMut::F64(v)) => v.fill(0.0),
                Some(ArrayMut::F32(v)) => v.fill(0.0),
                Some(ArrayMut::I32(v)) => v.fill(0),
                Some(ArrayMut::U8(v)) => v.fill(0),
                None => {}
            }
        }
        island::forget(self);
        self.start(m);
    }

    /// To the reference pose, where all arrays are zero. New arrays are so without being touched, and
    /// take no memory until they are.
    fn start(&mut self, m: &Model) {
        self.clear_constraints();
        self.contact.clear();
        self.ncon = 0;
        self.maxuse_con = 0;
        self.maxuse_efc = 0;
        self.time = 0.0;
        self.energy.fill(0.0);
        self.solver.clear();
        self.solver_niter.fill(0);
        self.solver_nnz.fill(0);
        self.solver_fwdinv.fill(0.0);
        self.warning.fill(WarningStat::default());
        self.timer.fill(TimerStat::default());

        self.qpos.copy_from_slice(&m.qpos0);
        self.eq_active.copy_from_slice(&m.eq_active0);
        for b in 0..m.nbody {
            let Ok(mocap) = usize::try_from(m.body_mocapid[b]) else { continue };
            if let Some(pos) = self.mocap_pos.get_mut(mocap) {
                *pos = m.body_pos[b];
                self.mocap_quat[mocap] = m.body_quat[b];
            }
        }
        m.extensions().reset(m, self);
        self.sleep_error = sleep::reset(m, self).err();
    }

    /// Resets, then loads a keyframe; `false` if there is no such keyframe.
    pub fn reset_to_keyframe(&mut self, m: &Model, key: usize) -> Result<bool, StepError> {
        self.reset(m)?;
        if key >= m.nkey {
            return Ok(false);
        }
        fn row(all: &[f64], key: usize, n: usize) -> &[f64] {
            &all[key * n..(key + 1) * n]
        }
        self.time = m.key_time[key];
        self.qpos.copy_from_slice(row(&m.key_qpos, key, m.nq));
        self.qvel.copy_from_slice(row(&m.key_qvel, key, m.nv));
        self.act.copy_from_slice(row(&m.key_act, key, m.na));
        self.ctrl.copy_from_slice(row(&m.key_ctrl, key, m.nu));
        bytemuck::cast_slice_mut::<_, f64>(&mut self.mocap_pos).copy_from_slice(row(
            &m.key_mpos,
            key,
            3 * m.nmocap,
        ));
        bytemuck::cast_slice_mut::<_, f64>(&mut self.mocap_quat).copy_from_slice(row(
            &m.key_mquat,
            key,
            4 * m.nmocap,
        ));
        Ok(true)
    }

    /// Forgets all constraint rows and islands.
    pub(crate) fn clear_constraints(&mut self) {
        if self.nl > 0 {
            self.jnt_limit_frc.fill(0.0);
            self.ten_limit_frc.fill(0.0);
        }
        self.ne = 0;
        self.nf = 0;
        self.nl = 0;
        self.nefc = 0;
        self.nJ = 0;
        self.nA = 0;
        self.nisland = 0;
        self.nidof = 0;
    }
}
