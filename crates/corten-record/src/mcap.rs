//! MCAP, the log format of Foxglove and Rerun: messages in JSON with their times.
//!
//! Three topics: `/state` with the numbers of each state, `/tf` with the poses of bodies
//! (`foxglove.FrameTransforms`), and `/scene` with shapes in the bodies' frames
//! (`foxglove.SceneUpdate`), once.

use std::io::{self, Write};

use corten_model::enums::{GeomType, ObjType};
use corten_sim::Model;
use serde_json::{Value, json};

const MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// A state: its time, fields by name, positions and orientations of bodies.
pub(crate) type Frame<'a> = (f64, Vec<(&'static str, &'a [f64])>, Vec<([f64; 3], [f64; 4])>);

/// Schemas and topics, in the order of their numbers, which begin at one.
const CHANNELS: [(&str, &str); 3] = [
    ("cortenforge.State", "/state"),
    ("foxglove.FrameTransforms", "/tf"),
    ("foxglove.SceneUpdate", "/scene"),
];

#[derive(Default)]
struct Content(Vec<u8>);

impl Content {
    fn number(mut self, bytes: impl AsRef<[u8]>) -> Content {
        self.0.extend(bytes.as_ref());
        self
    }

    fn text(self, text: &str) -> Content {
        self.number((text.len() as u32).to_le_bytes()).number(text)
    }
}

/// The file as it is written, with a count of bytes.
struct Output<'a, W> {
    out: &'a mut W,
    written: u64,
}

impl<W: Write> Output<'_, W> {
    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn record(&mut self, opcode: u8, content: Content) -> io::Result<()> {
        self.raw(&[opcode])?;
        self.raw(&(content.0.len() as u64).to_le_bytes())?;
        self.raw(&content.0)
    }

    /// Schemas and channels.
    fn topics(&mut self) -> io::Result<()> {
        for (i, (schema, topic)) in CHANNELS.iter().enumerate() {
            let id = (i as u16 + 1).to_le_bytes();
            let description = r#"{"type":"object"}"#;
            let content = Content::default().number(id).text(schema).text("jsonschema");
            self.record(0x03, content.text(description))?;
            let content = Content::default().number(id).number(id).text(topic).text("json");
            self.record(0x04, content.number(0u32.to_le_bytes()))?;
        }
        Ok(())
    }

    fn message(&mut self, channel: u16, sequence: u32, time: u64, value: &Value) -> io::Result<()> {
        let content = Content::default()
            .number(channel.to_le_bytes())
            .number(sequence.to_le_bytes())
            .number(time.to_le_bytes())
            .number(time.to_le_bytes());
        self.record(0x05, content.number(value.to_string()))
    }
}

/// A log that states of a model are written to, one after another.
pub(crate) struct Log<'a, W> {
    output: Output<'a, W>,
    model: &'a Model,
    bodies: Vec<String>,
    /// Messages of each channel.
    counts: [u64; 3],
    /// Times of the first and the last state.
    range: Option<[u64; 2]>,
}

impl<'a, W: Write> Log<'a, W> {
    pub(crate) fn new(out: &'a mut W, m: &'a Model) -> io::Result<Log<'a, W>> {
        let mut output = Output { out, written: 0 };
        output.raw(MAGIC)?;
        let library = concat!("corten ", env!("CARGO_PKG_VERSION"));
        output.record(0x01, Content::default().text("").text(library))?;
        output.topics()?;
        let bodies = (0..m.nbody).map(|b| body_name(m, b)).collect();
        Ok(Log { output, model: m, bodies, counts: [0; 3], range: None })
    }

    pub(crate) fn push(&mut self, (time, fields, poses): Frame) -> io::Result<()> {
        let nanoseconds = (time.max(0.0) * 1e9) as u64;
        let stamp =
            json!({"sec": nanoseconds / 1_000_000_000, "nsec": nanoseconds % 1_000_000_000});
        if self.range.is_none() {
            let shapes = scene(self.model, &self.bodies, &stamp);
            self.output.message(3, 0, nanoseconds, &shapes)?;
            self.counts[2] += 1;
        }
        self.range = Some([self.range.map_or(nanoseconds, |[first, _]| first), nanoseconds]);
        let sequence = self.counts[0] as u32;
        let mut state = json!({"time": time});
        for (name, values) in fields {
            state[name] = json!(values);
        }
        self.output.message(1, sequence, nanoseconds, &state)?;
        let transforms: Vec<Value> = poses
            .iter()
            .zip(&self.bodies)
            .skip(1)
            .map(|((pos, quat), body)| transform(&stamp, body, *pos, *quat))
            .collect();
        self.output.message(2, sequence, nanoseconds, &json!({"transforms": transforms}))?;
        self.counts[0] += 1;
        self.counts[1] += 1;
        Ok(())
    }

    /// The summary at the end, for programs that look there first.
    pub(crate) fn finish(self) -> io::Result<()> {
        let Log { output: mut log, counts, range, .. } = self;
        let [first, last] = range.unwrap_or_default();
        log.record(0x0f, Content::default().number(0u32.to_le_bytes()))?;
        let start = log.written;
        log.topics()?;
        let mut statistics = Content::default()
            .number(counts.iter().sum::<u64>().to_le_bytes())
            .number(3u16.to_le_bytes())
            .number(3u32.to_le_bytes());
        // Attachments, metadata, chunks: none.
        for _ in 0..3 {
            statistics = statistics.number(0u32.to_le_bytes());
        }
        statistics = statistics.number(first.to_le_bytes()).number(last.to_le_bytes());
        statistics = statistics.number(30u32.to_le_bytes());
        for (i, count) in counts.iter().enumerate() {
            let id = (i as u16 + 1).to_le_bytes();
            statistics = statistics.number(id).number(count.to_le_bytes());
        }
        log.record(0x0b, statistics)?;
        let footer = Content::default().number(start.to_le_bytes()).number(0u64.to_le_bytes());
        log.record(0x02, footer.number(0u32.to_le_bytes()))?;
        log.raw(MAGIC)
    }
}

fn body_name(m: &Model, body: usize) -> String {
    let own = m.object_names.name(ObjType::Body, body);
    own.map_or_else(|| format!("body{body}"), str::to_owned)
}

fn point([x, y, z]: [f64; 3]) -> Value {
    json!({"x": x, "y": y, "z": z})
}

fn turn([w, x, y, z]: [f64; 4]) -> Value {
    json!({"x": x, "y": y, "z": z, "w": w})
}

fn transform(stamp: &Value, body: &str, pos: [f64; 3], quat: [f64; 4]) -> Value {
    json!({
        "timestamp": stamp,
        "parent_frame_id": "world",
        "child_frame_id": body,
        "translation": point(pos),
        "rotation": turn(quat),
    })
}

/// Shapes in the frames of their bodies.
fn scene(m: &Model, bodies: &[String], stamp: &Value) -> Value {
    let entity = |body: usize| {
        let mut lists = [const { Vec::new() }; 4];
        for g in (0..m.ngeom).filter(|&g| m.geom_bodyid[g] == body as i32) {
            add_shape(m, g, &mut lists);
        }
        let [cubes, spheres, cylinders, triangles] = lists;
        json!({
            "timestamp": stamp,
            "frame_id": bodies[body],
            "id": bodies[body],
            "lifetime": {"sec": 0, "nsec": 0},
            "frame_locked": true,
            "metadata": [],
            "arrows": [], "lines": [], "texts": [], "models": [],
            "cubes": cubes, "spheres": spheres, "cylinders": cylinders, "triangles": triangles,
        })
    };
    json!({"deletions": [], "entities": (0..m.nbody).map(entity).collect::<Vec<_>>()})
}

/// Adds a geom to the list of cubes, spheres, cylinders or triangles.
fn add_shape(m: &Model, g: usize, lists: &mut [Vec<Value>; 4]) {
    let [r, gr, b, a] = m.geom_rgba[g];
    let color = json!({"r": r, "g": gr, "b": b, "a": a});
    let pose = json!({"position": point(m.geom_pos[g].0), "orientation": turn(m.geom_quat[g].0)});
    let [x, y, z] = m.geom_size[g].0;
    let sized = |size: [f64; 3]| json!({"pose": pose, "size": point(size), "color": color});
    match GeomType::from_raw(m.geom_type[g]) {
        Some(GeomType::Box) => lists[0].push(sized([2.0 * x, 2.0 * y, 2.0 * z])),
        Some(GeomType::Sphere) => lists[1].push(sized([2.0 * x; 3])),
        Some(GeomType::Ellipsoid) => lists[1].push(sized([2.0 * x, 2.0 * y, 2.0 * z])),
        Some(GeomType::Capsule | GeomType::Cylinder) => {
            let round = m.geom_type[g] == GeomType::Capsule.raw();
            let length = 2.0 * y + if round { 2.0 * x } else { 0.0 };
            let mut shape = sized([2.0 * x, 2.0 * x, length]);
            shape["bottom_scale"] = json!(1.0);
            shape["top_scale"] = json!(1.0);
            lists[2].push(shape);
        }
        Some(GeomType::Mesh) => {
            let Ok(mesh) = usize::try_from(m.geom_dataid[g]) else { return };
            let start = |adr: &[i32]| usize::try_from(adr[mesh]).unwrap_or(0);
            let count = |num: &[i32]| usize::try_from(num[mesh]).unwrap_or(0);
            let vertices = &m.mesh_vert[start(&m.mesh_vertadr)..][..count(&m.mesh_vertnum)];
            let faces = &m.mesh_face[start(&m.mesh_faceadr)..][..count(&m.mesh_facenum)];
            let points: Vec<Value> = vertices.iter().map(|v| point(v.map(f64::from))).collect();
            lists[3].push(json!({
                "pose": pose, "points": points, "color": color, "colors": [],
                "indices": faces.concat(),
            }));
        }
        _ => {}
    }
}
