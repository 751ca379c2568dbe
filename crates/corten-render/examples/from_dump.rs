use corten_render::*;
use corten_scene::*;
use corten_sim::Model;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let loaded = corten::load_file(&a[1]).unwrap();
    let m: &Model = &loaded;
    let text = std::fs::read_to_string(format!("{}.scene", a[2])).unwrap();
    let (w, h): (i32, i32) = (a[3].parse().unwrap(), a[4].parse().unwrap());
    let mut lines = text.lines();
    let mut next = || -> Vec<f64> {
        lines.next().unwrap_or("").split_whitespace().map(|x| x.parse().unwrap()).collect()
    };
    let head = next();
    let mut s = Scene::new(m, 100000);
    fn arr<const N: usize>(v: &[f64], i: &mut usize) -> [f32; N] {
        let r = std::array::from_fn(|k| v[*i + k] as f32);
        *i += N;
        r
    }
    for _ in 0..head[0] as usize {
        let v = next();
        let mut g: Geom = bytemuck::Zeroable::zeroed();
        g.kind = v[0] as i32;
        g.dataid = v[1] as i32;
        g.objtype = v[2] as i32;
        g.objid = v[3] as i32;
        g.category = v[4] as i32;
        g.matid = v[5] as i32;
        g.texcoord = v[6] as i32;
        g.segid = v[7] as i32;
        let mut i = 8;
        g.size = arr(&v, &mut i);
        g.pos = arr(&v, &mut i);
        g.mat = arr(&v, &mut i);
        g.rgba = arr(&v, &mut i);
        let [a, b, c, d, e] = arr(&v, &mut i);
        g.emission = a;
        g.specular = b;
        g.shininess = c;
        g.reflectance = d;
        g.modelrbound = e;
        s.geoms.push(g);
    }
    for _ in 0..head[1] as usize {
        let v = next();
        let mut l: Light = bytemuck::Zeroable::zeroed();
        let mut i = 1;
        l.kind = v[0] as i32;
        l.pos = arr(&v, &mut i);
        l.dir = arr(&v, &mut i);
        l.attenuation = arr(&v, &mut i);
        let [c, e] = arr(&v, &mut i);
        l.cutoff = c;
        l.exponent = e;
        l.ambient = arr(&v, &mut i);
        l.diffuse = arr(&v, &mut i);
        l.specular = arr(&v, &mut i);
        let [hl, cs] = arr::<2>(&v, &mut i);
        l.headlight = hl as u8;
        l.castshadow = cs as u8;
        s.lights.push(l);
    }
    for k in 0..2 {
        let v = next();
        let mut i = 0;
        let c = &mut s.camera[k];
        c.pos = arr(&v, &mut i);
        c.forward = arr(&v, &mut i);
        c.up = arr(&v, &mut i);
        let [a, b, d, e, f, g, o] = arr(&v, &mut i);
        c.frustum_center = a;
        c.frustum_width = b;
        c.frustum_bottom = d;
        c.frustum_top = e;
        c.frustum_near = f;
        c.frustum_far = g;
        c.orthographic = o as i32;
    }
    for (f, v) in s.flags.iter_mut().zip(next()) {
        *f = v as u8;
    }
    let v = next();
    s.flex.vertopt = v[0] as u8;
    s.flex.edgeopt = v[1] as u8;
    s.flex.faceopt = v[2] as u8;
    s.flex.skinopt = v[3] as u8;
    for (u, x) in s.flex.faceused.iter_mut().zip(&v[4..]) {
        *u = *x as i32;
    }
    for (o, v) in s.flex.vert.iter_mut().zip(next().chunks(3)) {
        *o = [v[0] as f32, v[1] as f32, v[2] as f32];
    }
    let f9 = |v: &[f64]| -> [[f32; 3]; 3] {
        std::array::from_fn(|a| std::array::from_fn(|b| v[3 * a + b] as f32))
    };
    for (o, v) in s.flex.face.iter_mut().zip(next().chunks(9)) {
        *o = f9(v);
    }
    for (o, v) in s.flex.normal.iter_mut().zip(next().chunks(9)) {
        *o = f9(v);
    }
    for (o, v) in s.flex.texcoord.iter_mut().zip(next().chunks(6)) {
        *o = std::array::from_fn(|a| std::array::from_fn(|b| v[2 * a + b] as f32));
    }
    for (o, v) in s.skin.vert.iter_mut().zip(next().chunks(3)) {
        *o = [v[0] as f32, v[1] as f32, v[2] as f32];
    }
    for (o, v) in s.skin.normal.iter_mut().zip(next().chunks(3)) {
        *o = [v[0] as f32, v[1] as f32, v[2] as f32];
    }
    let mut c = Context::new(m).unwrap();
    c.resize(w, h).unwrap();
    c.current = Framebuffer::Offscreen;
    c.depth_map = DepthMap::ZeroFar;
    if let Ok(t) = std::env::var("THREADS") {
        c.settings_mut().threads = t.parse().unwrap();
    }
    if let Ok(t) = std::env::var("SAMPLES") {
        c.settings_mut().samples = t.parse().unwrap();
    }
    let rect = Rect::of_size(w, h);
    let n: usize = a.get(5).map_or(1, |x| x.parse().unwrap());
    let mut best = f64::MAX;
    let t0 = Instant::now();
    for _ in 0..n {
        let t = Instant::now();
        c.render(rect, &mut s).unwrap();
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!(
        "mean {:.2} ms best {:.2} ms",
        t0.elapsed().as_secs_f64() / n as f64 * 1e3,
        best * 1e3
    );
    let mut rgb = vec![0; (3 * w * h) as usize];
    c.read_pixels(rect, Some(&mut rgb), None).unwrap();
    s.flags[RenderFlag::Segment as usize] = 1;
    s.flags[RenderFlag::IdColor as usize] = 1;
    c.render(rect, &mut s).unwrap();
    let mut seg = rgb.clone();
    let mut depth = vec![0f32; (w * h) as usize];
    c.read_pixels(rect, Some(&mut seg), Some(&mut depth)).unwrap();
    std::fs::write(format!("{}.rgb", a[2]), &rgb).unwrap();
    std::fs::write(format!("{}.seg", a[2]), &seg).unwrap();
    std::fs::write(
        format!("{}.dep", a[2]),
        depth.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
    )
    .unwrap();
}
