//! Every reader takes time in proportion to what it reads: shown by sizes that double.
//!
//! What is measured is the processor's time of this thread, the least of several runs, so that other
//! work on the machine does not count.
#![cfg(target_os = "linux")]

use corten_geom::mesh::Format;
use corten_geom::{gmsh, mesh};
use corten_model::{Assets, Spec, compile};

/// Seconds that this thread has had a processor for.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1e-9
}

/// What clocks that tick every few milliseconds may add.
const TICKS: f64 = 0.04;

fn seconds(run: &mut dyn FnMut()) -> f64 {
    let once = || {
        let start = processor_time();
        run();
        processor_time() - start
    };
    let mut once = once;
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Eight times as much may take eight times as long, and half as much again for caches that no longer
/// suffice; 64 times as long would be the square.
fn assert_linear(what: &str, n: usize, mut read: impl FnMut(usize) -> Box<dyn FnMut()>) {
    let times = [1, 2, 4, 8].map(|k| seconds(&mut *read(k * n)));
    assert!(times[3] < 20.0 * times[0] + TICKS, "{what}: {times:?} s");
}

/// A text, read and compiled, whether it has faults or not.
fn text(content: String) -> Box<dyn FnMut()> {
    Box::new(move || {
        let assets = Assets::memory_only();
        let spec = Spec::from_xml_str(&content, &assets);
        let _ = std::hint::black_box(spec.and_then(|spec| compile(&spec, &assets)));
    })
}

fn world(content: &str) -> String {
    format!("<mujoco><worldbody>{content}</worldbody></mujoco>")
}

#[test]
fn elements_and_attributes() {
    assert_linear("elements", 2000, |n| text(world(&"<site/>".repeat(n))));
    assert_linear("unknown elements", 1000, |n| text(world(&"<side/>".repeat(n))));
    assert_linear("attributes", 2000, |n| {
        let attributes: String = (0..n).map(|k| format!(" a{k}='1'")).collect();
        text(world(&format!("<site{attributes}/>")))
    });
    assert_linear("one attribute many times", 2000, |n| {
        text(world(&format!("<site{}/>", " name='s'".repeat(n))))
    });
    assert_linear("names", 2000, |n| {
        text(world(&(0..n).map(|k| format!("<site name='s{k}'/>")).collect::<String>()))
    });
    assert_linear("one name many times", 1000, |n| text(world(&"<site name='s'/>".repeat(n))));
}

#[test]
fn characters() {
    assert_linear("comments", 20_000, |n| text(world(&"<!-- - -->".repeat(n))));
    assert_linear("one comment", 200_000, |n| text(world(&format!("<!--{}-->", "- ".repeat(n)))));
    assert_linear("an open comment", 200_000, |n| {
        text(world(&format!("<!--{}", "<!--".repeat(n))))
    });
    assert_linear("entities", 50_000, |n| {
        text(world(&format!("<site name='{}'/>", "&lt;".repeat(n))))
    });
    assert_linear("text", 200_000, |n| text(world(&"x ".repeat(n))));
    assert_linear("lines", 200_000, |n| text(world(&"\n".repeat(n))));
    assert_linear("open tags", 50_000, |n| text(world(&"<site ".repeat(n))));
    assert_linear("numbers", 20_000, |n| {
        text(format!(
            "<mujoco><asset><mesh name='m' vertex='{}'/></asset></mujoco>",
            "1 ".repeat(3 * n)
        ))
    });
    assert_linear("a number", 200_000, |n| {
        text(world(&format!("<site pos='{}'/>", "1".repeat(n))))
    });
}

#[test]
fn sections() {
    assert_linear("classes", 500, |n| {
        let class = |k| format!("<default class='c{k}'><geom size='1'/></default>");
        let classes: String = (0..n).map(class).collect();
        let geoms: String = (0..n).map(|k| format!("<geom class='c{k}'/>")).collect();
        text(format!("<mujoco><default>{classes}</default><worldbody>{geoms}</worldbody></mujoco>"))
    });
    assert_linear("copies", 1000, |n| {
        text(world(&format!("<replicate count='{n}'><body><geom size='1'/></body></replicate>")))
    });
    assert_linear("joints, sensors and a keyframe", 500, |n| {
        let body = |k| format!("<body><joint name='j{k}'/><geom size='1'/></body>");
        let bodies: String = (0..n).map(body).collect();
        let sensors: String = (0..n).map(|k| format!("<jointpos joint='j{k}'/>")).collect();
        let motors: String = (0..n).map(|k| format!("<motor joint='j{k}'/>")).collect();
        text(format!(
            "<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator><sensor>{sensors}\
             </sensor><keyframe><key qpos='{}'/></keyframe></mujoco>",
            "1 ".repeat(n)
        ))
    });
    assert_linear("a tendon", 1000, |n| {
        let sites: String = (0..n).map(|k| format!("<site name='s{k}' pos='{k} 0 0'/>")).collect();
        let path: String = (0..n).map(|k| format!("<site site='s{k}'/>")).collect();
        text(format!(
            "<mujoco><worldbody>{sites}<body><joint/><geom size='1'/></body></worldbody>\
             <tendon><spatial>{path}</spatial></tendon></mujoco>"
        ))
    });
    assert_linear("elevations", 100, |n| {
        let size = 10 * n;
        text(format!(
            "<mujoco><asset><hfield name='h' nrow='{size}' ncol='10' size='1 1 1 1' elevation='{}'/>\
             </asset></mujoco>",
            "1 2 ".repeat(5 * size)
        ))
    });
    assert_linear("robots", 200, |n| {
        let link = |k| format!("<link name='l{k}'/>");
        let joint = |k| {
            format!(
                "<joint name='j{k}' type='fixed'><parent link='l0'/><child link='l{k}'/></joint>"
            )
        };
        let links: String = (0..n).map(link).collect();
        let joints: String = (1..n).map(joint).collect();
        text(format!("<robot name='r'>{links}{joints}</robot>"))
    });
}

#[test]
fn included_files() {
    assert_linear("includes", 120, |n| {
        let mut assets = Assets::memory_only();
        let mut content = String::new();
        for k in 0..n {
            content += &format!("<include file='f{k}.xml'/>");
            assets.insert(&format!("f{k}.xml"), *b"<mujoco><option/><option/></mujoco>");
        }
        let content = format!("<mujoco>{content}</mujoco>");
        Box::new(move || {
            Spec::from_xml_str(&content, &assets).unwrap();
        })
    });
}

fn mesh_file(format: Format, bytes: Vec<u8>) -> Box<dyn FnMut()> {
    Box::new(move || {
        let _ = std::hint::black_box(mesh::load(&bytes, format, false));
    })
}

#[test]
fn meshes() {
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n".to_owned();
    let obj = |text: String| mesh_file(Format::Obj, text.into_bytes());
    assert_linear("triangles", 10_000, |n| obj(corners.clone() + &"f 1 2 3\n".repeat(n)));
    assert_linear("a polygon", 10_000, |n| obj(format!("{corners}f {}", "1 ".repeat(n))));
    assert_linear("polygons", 100, |n| {
        obj(corners.clone() + &format!("f {}\n", "1 2 3 4 ".repeat(25)).repeat(n))
    });
    assert_linear("groups", 10_000, |n| obj(corners.clone() + &"g a\nl 1 2\n".repeat(n)));
    assert_linear("a line", 100_000, |n| obj("v ".repeat(n)));
    assert_linear("digits", 50_000, |n| obj(format!("v 0.{}\n", "1".repeat(n))));
    assert_linear("STL", 2000, |n| {
        let mut bytes = vec![0; 80];
        bytes.extend((n as u32).to_le_bytes());
        for k in 0..n {
            for x in 0..12 {
                bytes.extend(((k * 12 + x) as f32).to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        mesh_file(Format::Stl, bytes)
    });
    assert_linear("Gmsh", 2000, |n| {
        let nodes: String = (1..=n).map(|k| format!("{k} {k} 0 1\n")).collect();
        let elements: String =
            (1..n - 3).map(|k| format!("{k} 4 0 {k} {} {} {}\n", k + 1, k + 2, k + 3)).collect();
        let text = format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n{nodes}$EndNodes\n$Elements\n{}\n\
             {elements}$EndElements\n",
            n - 4
        );
        let bytes = text.into_bytes();
        Box::new(move || {
            let _ = std::hint::black_box(gmsh::read(&bytes));
        })
    });
}

#[test]
fn binary_models() {
    assert_linear("containers", 2000, |n| {
        let spec =
            Spec::from_xml_str(&world(&"<site/>".repeat(n)), &Assets::memory_only()).unwrap();
        let model = compile(&spec, &Assets::memory_only()).unwrap().into_model();
        let bytes = model.to_bytes();
        Box::new(move || {
            corten_model::ModelArrays::from_bytes(&bytes).unwrap();
        })
    });
}
