//! Deformable objects that are given vertex by vertex.

use super::Reader;
use super::value::{apply, apply_part, missing, present};
use crate::diagnostic::Diagnostic;
use crate::mjcf::forest::Elem;
use crate::spec::Flex;

impl Reader<'_> {
    pub(super) fn flex(&mut self, elem: Elem<'_>) {
        let mut flex = Flex { source: elem.source(), ..Default::default() };
        apply(&mut self.diags, elem, &mut flex);
        for name in ["body", "element"] {
            if !present(elem, name) {
                missing(&mut self.diags, elem, name);
            }
        }
        for child in elem.children() {
            apply_part(&mut self.diags, child, &mut flex);
            if child.name() == "contact" {
                self.overridden_flags(elem, child, &mut flex);
            }
        }
        self.spec.flexes.insert(flex);
    }

    /// MuJoCo 3.4.0 gives `passive` and `vertcollide` the truth value of the flag that it read
    /// before them, `internal` or else `flatskin`. Where it read none, what is written counts.
    fn overridden_flags(&mut self, elem: Elem<'_>, contact: Elem<'_>, flex: &mut Flex) {
        let before = if contact.attr("internal").is_some() {
            ("internal", flex.internal)
        } else if elem.attr("flatskin").is_some() {
            ("flatskin", flex.flatskin)
        } else {
            return;
        };
        let flags = [("vertcollide", &mut flex.vertcollide), ("passive", &mut flex.passive)];
        for (name, flag) in flags {
            if contact.attr(name).is_none() || *flag == before.1 {
                continue;
            }
            *flag = before.1;
            let message = format!("'{name}' takes the value of '{}', as in MuJoCo 3.4.0", before.0);
            let item = Diagnostic::warning(message);
            self.report(contact, item.hint(format!("leave out '{}'", before.0)));
        }
    }
}
