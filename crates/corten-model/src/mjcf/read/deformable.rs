//! The element `cortenforge:deformable`: cloth, a soft body or a chain, with the particles that make it up.

use corten_math::Vec3;
use corten_soft::{
    CapsuleChain, ChainPreset, Cloth, ClothPreset, DeformableBody, SoftBody, SoftBodyPreset,
};

use super::Reader;
use super::body::Scope;
use super::value::{missing, present, read, require_text};
use crate::diagnostic::Diagnostic;
use crate::mjcf::attr::keywords;
use crate::mjcf::forest::Elem;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Cloth,
    Soft,
    Chain,
}

keywords! {
    Kind { "cloth" Kind::Cloth, "soft" Kind::Soft, "chain" Kind::Chain, }
}

/// Attributes that only some types have.
const OF_SOME_TYPES: [(&str, &[Kind]); 4] = [
    ("spacing", &[Kind::Cloth, Kind::Soft]),
    ("weave", &[Kind::Cloth]),
    ("end", &[Kind::Chain]),
    ("twist", &[Kind::Chain]),
];

/// Most particles of one body.
const MOST: usize = 1_000_000;

impl Reader<'_> {
    #[inline(never)]
    pub(super) fn deformable_body(&mut self, elem: Elem<'_>, scope: Scope) {
        let before = self.diags.errors().count();
        let made = self.read_deformable(elem);
        if self.diags.errors().count() > before {
            return;
        }
        let result = made.and_then(|(name, body)| {
            if scope.template || scope.frame.is_some() {
                let item =
                    Diagnostic::error("a deformable body cannot be in a frame or be replicated");
                return Err(Box::new(item.hint("put it into a body, or into the world")));
            }
            let added = self.spec.register_deformable_at(scope.body, &name, &*body, elem.source());
            added.map_err(|error| Box::new(Diagnostic::error(error.to_string())))
        });
        if let Err(item) = result {
            self.report(elem, *item);
        }
    }

    fn read_deformable(
        &mut self,
        elem: Elem<'_>,
    ) -> Result<(String, Box<dyn DeformableBody>), Box<Diagnostic>> {
        let diags = &mut self.diags;
        let name = require_text(diags, elem, "name");
        let mut kind = Kind::Cloth;
        let (mut preset, mut count, mut spacing) = (String::new(), Vec::<i32>::new(), 0.05);
        let (mut pos, mut end, mut weave) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        let (mut radius, mut pin, mut twist) = (0.0_f64, Vec::<i32>::new(), false);
        read(diags, elem, "type", &mut kind);
        read(diags, elem, "preset", &mut preset);
        read(diags, elem, "count", &mut count);
        read(diags, elem, "spacing", &mut spacing);
        read(diags, elem, "pos", &mut pos);
        read(diags, elem, "end", &mut end);
        let is_woven = read(diags, elem, "weave", &mut weave);
        let has_radius = read(diags, elem, "radius", &mut radius);
        read(diags, elem, "pin", &mut pin);
        read(diags, elem, "twist", &mut twist);
        for (attr, kinds) in OF_SOME_TYPES {
            if present(elem, attr) && !kinds.contains(&kind) {
                let message = format!("attribute '{attr}' has no effect on this type");
                let item = Diagnostic::warning(message).at(elem.source()).element(elem.name());
                diags.push(item);
            }
        }
        if has_radius && !(radius > 0.0 && radius.is_finite()) {
            let item = Diagnostic::error(format!("'radius' is {radius}"));
            return Err(Box::new(item.expected("a number above zero")));
        }
        let size = |k: usize| -> usize {
            count.get(k).map_or(2, |&n| usize::try_from(n).unwrap_or(0).max(2))
        };
        let total = (0..count.len()).fold(1, |all: usize, k| all.saturating_mul(size(k)));
        let wanted = match kind {
            Kind::Cloth => 2,
            Kind::Soft => 3,
            Kind::Chain => 1,
        };
        if count.len() != wanted || count.iter().any(|&n| n < 2) {
            let item = Diagnostic::error("'count' does not fit the type");
            return Err(Box::new(item.expected(format!("{wanted} numbers of at least 2"))));
        }
        if total > MOST {
            let item = Diagnostic::error(format!("{total} particles are too many"));
            return Err(Box::new(item.expected(format!("at most {MOST}"))));
        }
        let unknown = |names: Vec<&str>| {
            let item = Diagnostic::error(format!("there is no preset '{preset}' of this type"));
            Box::new(item.expected(names.join(", ")))
        };
        let wrong = |error: corten_soft::SoftError| Box::new(Diagnostic::error(error.to_string()));
        let mut body: Box<dyn DeformableBody> = match kind {
            Kind::Cloth => {
                let found = ClothPreset::by_name(&preset)
                    .ok_or_else(|| unknown(ClothPreset::ALL.iter().map(|p| p.name).collect()))?;
                let cloth = Cloth::grid(pos, [size(0), size(1)], spacing, &found).map_err(wrong)?;
                match is_woven {
                    true => Box::new(cloth.woven(weave).map_err(wrong)?),
                    false => Box::new(cloth),
                }
            }
            Kind::Soft => {
                let found = SoftBodyPreset::by_name(&preset)
                    .ok_or_else(|| unknown(SoftBodyPreset::ALL.iter().map(|p| p.name).collect()))?;
                let counts = [size(0), size(1), size(2)];
                let body = SoftBody::grid(pos, counts, spacing, &found).map_err(wrong)?;
                Box::new(body.with_radius(0.2 * spacing).map_err(wrong)?)
            }
            Kind::Chain => {
                let found = ChainPreset::by_name(&preset)
                    .ok_or_else(|| unknown(ChainPreset::ALL.iter().map(|p| p.name).collect()))?;
                if !present(elem, "end") {
                    missing(&mut self.diags, elem, "end");
                }
                let chain = CapsuleChain::preset(pos, end, size(0) - 1, &found).map_err(wrong)?;
                match twist {
                    true => Box::new(chain.with_twist().map_err(wrong)?),
                    false => Box::new(chain),
                }
            }
        };
        if has_radius {
            body.deformable_mut().radius = radius;
        }
        for particle in pin {
            if !usize::try_from(particle).is_ok_and(|particle| body.pin(particle)) {
                let item = Diagnostic::error(format!("there is no particle {particle} to pin"));
                return Err(Box::new(item.expected(format!("from 0 to {}", body.len() - 1))));
            }
        }
        Ok((name, body))
    }
}
