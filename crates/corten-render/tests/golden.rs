//! Pictures of our scenes against MuJoCo's (`tools/golden_images.py` makes them).

use std::path::{Path, PathBuf};

use corten::{Data, Model, load_file};
use corten_render::{Image, Renderer};
use corten_scene::RenderFlag;

const SIZE: [usize; 2] = [160, 120];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Names of the scenes that there are pictures of.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(golden()).unwrap().map(|entry| entry.unwrap().path());
    let states = files.filter(|path| path.extension().is_some_and(|e| e == "txt"));
    let mut names: Vec<String> =
        states.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The model, in the state of the picture.
fn scene(name: &str) -> (Model, Data) {
    let model = load_file(root().join(format!("scenes/{name}.xml"))).unwrap();
    let text = std::fs::read_to_string(golden().join(format!("{name}.txt"))).unwrap();
    let state: Vec<f64> = text.split_whitespace().map(|x| x.parse().unwrap()).collect();
    let mut data = model.make_data();
    let (qpos, rest) = state.split_at(model.nq);
    let (qvel, act) = rest.split_at(model.nv);
    data.qpos.copy_from_slice(qpos);
    data.qvel.copy_from_slice(qvel);
    data.act.copy_from_slice(act);
    data.forward(&model).unwrap();
    (model, data)
}

fn read_png(name: &str) -> Image {
    let bytes = std::fs::read(golden().join(name)).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    Image { width: info.width as usize, height: info.height as usize, rgb }
}

fn renderer(name: &str) -> Renderer {
    let (model, data) = scene(name);
    let mut renderer = Renderer::new(&model, SIZE[0], SIZE[1]).unwrap();
    renderer.update(&model, &data, None).unwrap();
    renderer
}

/// Mean difference of colours, and share of pixels that differ by more than 32.
fn difference(a: &Image, b: &Image) -> (f64, f64) {
    assert_eq!([a.width, a.height], [b.width, b.height]);
    let away: Vec<u8> = a.rgb.iter().zip(&b.rgb).map(|(a, b)| a.abs_diff(*b)).collect();
    let mean = away.iter().map(|&d| f64::from(d)).sum::<f64>() / away.len() as f64;
    let far = away.chunks_exact(3).filter(|pixel| pixel.iter().any(|&d| d > 32)).count();
    (mean, far as f64 / (away.len() / 3) as f64)
}

#[test]
fn colours_are_mujocos() {
    for name in names() {
        let picture = renderer(&name).rgb().unwrap();
        let (mean, far) = difference(&picture, &read_png(&format!("{name}.png")));
        // Edges of shadows are softer here: a few pixels may differ much.
        assert!(mean < 2.0 && far < 0.02, "{name}: mean {mean:.2}, far {:.2} %", 100.0 * far);
    }
}

#[test]
fn silhouettes_are_mujocos() {
    for name in names() {
        let mut renderer = renderer(&name);
        renderer.scene.flags[RenderFlag::Segment as usize] = 1;
        renderer.scene.flags[RenderFlag::IdColor as usize] = 1;
        let (ours, theirs) = (renderer.rgb().unwrap(), read_png(&format!("{name}_id.png")));
        let pixels = ours.rgb.chunks_exact(3).zip(theirs.rgb.chunks_exact(3));
        let same = pixels.filter(|(a, b)| a == b).count() as f64 / (SIZE[0] * SIZE[1]) as f64;
        assert!(same >= 0.995, "{name}: {:.3} % of pixels show the same geom", 100.0 * same);
    }
}

#[test]
fn pictures_do_not_depend_on_the_number_of_threads() {
    for name in ["humanoid", "mixed_pile", "wrapping"] {
        let picture = |threads: usize| {
            let mut renderer = renderer(name);
            renderer.context().settings_mut().threads = threads;
            // The second one reuses memory of the first.
            renderer.rgb().unwrap();
            renderer.rgb().unwrap()
        };
        let alone = picture(1);
        for threads in [2, 3, 8] {
            assert_eq!(picture(threads), alone, "{name} with {threads} threads");
        }
    }
}

#[test]
fn distances_are_those_of_geometry() {
    // A sphere of radius one at the origin, seen from x = 5 along −x.
    let model = corten::load_model(
        r#"<mujoco><statistic extent="2"/>
             <worldbody><camera name="c" pos="5 0 0" xyaxes="0 1 0 0 0 1" fovy="30"/>
             <geom size="1"/></worldbody></mujoco>"#,
    )
    .unwrap();
    let mut data = model.make_data();
    data.forward(&model).unwrap();
    let mut renderer = Renderer::new(&model, 101, 101).unwrap();
    renderer.update(&model, &data, Some(corten_scene::Camera::fixed(0))).unwrap();
    let depth = renderer.depth().unwrap();
    // Facets lie a little inside of the sphere.
    assert!((depth[50 * 101 + 50] - 4.0).abs() < 0.02, "{}", depth[50 * 101 + 50]);
    assert_eq!(depth[0], f32::INFINITY);
    let objects = renderer.segmentation().unwrap();
    assert_eq!(objects[50 * 101 + 50][0], 0);
    assert_eq!(objects[0], [-1, -1]);
    // The silhouette is a circle of tan(asin(1/5)) of the distance.
    let covered = objects.iter().filter(|o| o[0] == 0).count() as f64;
    let radius = (0.2f64.asin().tan() / 15f64.to_radians().tan()) * 50.5;
    let expected = std::f64::consts::PI * radius * radius;
    assert!((covered / expected - 1.0).abs() < 0.03, "{covered} of {expected}");
}
