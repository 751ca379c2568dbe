//! Models from code: a spec is built or edited, compiled, and written as MJCF.

use corten::enums::GeomType;
use corten::prelude::*;
use corten::spec::{Body, Geom};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut spec = Spec::new();
    for level in 0..5 {
        let body = spec.add_child::<Body>(Spec::WORLD, None);
        spec.bodies[body].name = format!("box{level}");
        spec.bodies[body].pos = Vec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(level));
        spec.add_free_joint(body);
        let geom = spec.add_child::<Geom>(body, None);
        spec.geoms[geom].type_ = GeomType::Box;
        spec.geoms[geom].size = Vec3::new(0.1, 0.1, 0.1);
    }
    let model = compile(&spec)?;
    println!("{} bodies, {} degrees of freedom", model.nbody, model.nv);
    println!("{}", spec.to_xml()?);
    assert_eq!((model.nbody, model.nv), (6, 30));
    Ok(())
}
