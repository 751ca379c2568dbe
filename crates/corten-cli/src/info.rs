//! `corten info`: what a model consists of.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use corten::Model;
use corten::enums::{
    Bias, Dynamics, EqualityType, Gain, JointType, ObjType, SensorType, Transmission,
};

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file, or a compiled model (.cfa, .mjb).
    file: PathBuf,
    /// Only sizes and totals.
    #[arg(long, short)]
    brief: bool,
    /// Print sizes, options and names as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let m = corten::load_file(&args.file)
        .with_context(|| format!("cannot load {}", args.file.display()))?;
    if args.json {
        println!("{}", description(&m));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", if m.name.is_empty() { "(unnamed model)" } else { &m.name });
    totals(&m);
    sizes(&m);
    if !args.brief {
        bodies(&m);
        joints(&m);
        tendons(&m);
        equalities(&m);
        actuators(&m);
        sensors(&m);
        cameras(&m);
        meshes(&m);
        keyframes(&m);
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything that programs ask for first.
fn description(m: &Model) -> serde_json::Value {
    let sizes: serde_json::Map<String, serde_json::Value> = Model::SIZES
        .iter()
        .map(|size| ((*size).to_owned(), m.size(size).unwrap_or(0).into()))
        .collect();
    let names = |kind: ObjType, count: usize| -> Vec<String> {
        (0..count).map(|i| name(m, kind, i)).collect()
    };
    serde_json::json!({
        "name": m.name,
        "mass": m.body_mass.iter().sum::<f64>(),
        "extent": m.stat.extent,
        "timestep": m.opt.timestep,
        "integrator": lowercase(m.opt.integrator),
        "solver": lowercase(m.opt.solver),
        "gravity": m.opt.gravity.0,
        "sizes": sizes,
        "bodies": names(ObjType::Body, m.nbody),
        "joints": names(ObjType::Joint, m.njnt),
        "actuators": names(ObjType::Actuator, m.nu),
        "sensors": names(ObjType::Sensor, m.nsensor),
        "cameras": names(ObjType::Camera, m.ncam),
        "keyframes": names(ObjType::Key, m.nkey),
    })
}

/// The variant of an enumeration in lower case, or its number.
fn word<T: std::fmt::Debug>(value: Option<T>, raw: i32) -> String {
    value.map_or_else(|| raw.to_string(), lowercase)
}

fn lowercase(value: impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn name(m: &Model, kind: ObjType, index: usize) -> String {
    m.object_names.name(kind, index).map_or_else(|| format!("#{index}"), str::to_owned)
}

/// Name of the object with a stored number; a dash for none.
fn reference(m: &Model, kind: ObjType, id: i32) -> String {
    usize::try_from(id).map_or_else(|_| "-".into(), |id| name(m, kind, id))
}

fn range(limited: bool, [low, high]: [f64; 2]) -> String {
    if limited { format!("[{low:.4}, {high:.4}]") } else { "-".into() }
}

fn totals(m: &Model) {
    let opt = &m.opt;
    let mass: f64 = m.body_mass.iter().sum();
    println!("  total mass {mass:.4} kg, extent {:.3} m", m.stat.extent);
    println!(
        "  timestep {} s, integrator {}, solver {} ({} iterations), cone {}",
        opt.timestep,
        lowercase(opt.integrator),
        lowercase(opt.solver),
        opt.iterations,
        lowercase(opt.cone),
    );
    println!("  gravity {:?}", opt.gravity.0);
}

fn sizes(m: &Model) {
    println!("\nsizes");
    for size in Model::SIZES {
        let value = m.size(size).unwrap_or(0);
        if value > 0 {
            println!("  {size:16} {value}");
        }
    }
}

fn bodies(m: &Model) {
    println!("\nbodies (mass in kg, joints)");
    let mut depth = vec![0usize; m.nbody];
    for b in 0..m.nbody {
        if b > 0 {
            let parent = usize::try_from(m.body_parentid[b]).unwrap_or(0);
            depth[b] = depth.get(parent).map_or(0, |above| above + 1);
        }
        let indented = format!("{}{}", "  ".repeat(depth[b] + 1), name(m, ObjType::Body, b));
        let first = m.body_jntadr[b].max(0) as usize;
        let joints: Vec<String> = (first..first + m.body_jntnum[b].max(0) as usize)
            .map(|j| name(m, ObjType::Joint, j))
            .collect();
        println!("{indented:40} {:10.4}  {}", m.body_mass[b], joints.join(", "));
    }
}

fn joints(m: &Model) {
    heading(m.njnt, "joints (type, body, range)");
    for j in 0..m.njnt {
        println!(
            "  {:28} {:6} {:24} {}",
            name(m, ObjType::Joint, j),
            word(JointType::from_raw(m.jnt_type[j]), m.jnt_type[j]),
            reference(m, ObjType::Body, m.jnt_bodyid[j]),
            range(m.jnt_limited[j] != 0, m.jnt_range[j]),
        );
    }
}

fn tendons(m: &Model) {
    heading(m.ntendon, "tendons (length in the reference pose, range)");
    for t in 0..m.ntendon {
        println!(
            "  {:28} {:10.4} {}",
            name(m, ObjType::Tendon, t),
            m.tendon_length0[t],
            range(m.tendon_limited[t] != 0, m.tendon_range[t]),
        );
    }
}

fn equalities(m: &Model) {
    heading(m.neq, "equality constraints (type, objects)");
    for e in 0..m.neq {
        let given = ObjType::from_raw(m.eq_objtype[e]).unwrap_or(ObjType::Body);
        let kind = EqualityType::from_raw(m.eq_type[e]).and_then(|kind| kind.objects(given));
        let kind = kind.unwrap_or(given);
        println!(
            "  {:28} {:8} {} {}{}",
            name(m, ObjType::Equality, e),
            word(EqualityType::from_raw(m.eq_type[e]), m.eq_type[e]),
            reference(m, kind, m.eq_obj1id[e]),
            reference(m, kind, m.eq_obj2id[e]),
            if m.eq_active0[e] == 0 { " (inactive)" } else { "" },
        );
    }
}

fn actuators(m: &Model) {
    heading(m.nu, "actuators (target, dynamics/gain/bias, control range)");
    for i in 0..m.nu {
        let kind = Transmission::from_raw(m.actuator_trntype[i]);
        let target = kind.and_then(Transmission::target);
        let object = target.map_or(ObjType::Unknown, |target| target.objtype);
        println!(
            "  {:28} {:30} {:24} {}",
            name(m, ObjType::Actuator, i),
            format!(
                "{} {}",
                word(kind, m.actuator_trntype[i]),
                reference(m, object, m.actuator_trnid[i][0])
            ),
            format!(
                "{}/{}/{}",
                word(Dynamics::from_raw(m.actuator_dyntype[i]), m.actuator_dyntype[i]),
                word(Gain::from_raw(m.actuator_gaintype[i]), m.actuator_gaintype[i]),
                word(Bias::from_raw(m.actuator_biastype[i]), m.actuator_biastype[i]),
            ),
            range(m.actuator_ctrllimited[i] != 0, m.actuator_ctrlrange[i]),
        );
    }
}

fn sensors(m: &Model) {
    heading(m.nsensor, "sensors (type, object, place in sensordata)");
    for s in 0..m.nsensor {
        let object = ObjType::from_raw(m.sensor_objtype[s]).unwrap_or(ObjType::Unknown);
        let object = if object == ObjType::Xbody { ObjType::Body } else { object };
        println!(
            "  {:28} {:18} {:24} {}..{}",
            name(m, ObjType::Sensor, s),
            word(SensorType::from_raw(m.sensor_type[s]), m.sensor_type[s]),
            reference(m, object, m.sensor_objid[s]),
            m.sensor_adr[s],
            m.sensor_adr[s] + m.sensor_dim[s],
        );
    }
}

fn cameras(m: &Model) {
    heading(m.ncam, "cameras (body, field of view in degrees)");
    for c in 0..m.ncam {
        let body = reference(m, ObjType::Body, m.cam_bodyid[c]);
        println!("  {:28} {body:24} {:.1}", name(m, ObjType::Camera, c), m.cam_fovy[c]);
    }
}

fn meshes(m: &Model) {
    heading(m.nmesh, "meshes (vertices, faces, vertices of the hull)");
    for k in 0..m.nmesh {
        let hull = usize::try_from(m.mesh_graphadr[k]).ok().and_then(|at| m.mesh_graph.get(at));
        println!(
            "  {:28} {:8} {:8} {:>8}",
            name(m, ObjType::Mesh, k),
            m.mesh_vertnum[k],
            m.mesh_facenum[k],
            hull.map_or_else(|| "-".into(), i32::to_string),
        );
    }
}

fn keyframes(m: &Model) {
    heading(m.nkey, "keyframes (time)");
    for k in 0..m.nkey {
        println!("  {:28} {}", name(m, ObjType::Key, k), m.key_time[k]);
    }
}

fn heading(count: usize, title: &str) {
    if count > 0 {
        println!("\n{title}");
    }
}
