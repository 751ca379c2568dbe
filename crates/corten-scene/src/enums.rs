//! Enumerations of the scene, with MuJoCo's values.

/// Declares enumerations that know their MuJoCo names and convert from raw integers.
macro_rules! enums {
    ($($(#[$meta:meta])* $mjname:literal $Name:ident {
        $($(#[$vmeta:meta])* $variant:ident = $value:literal $vname:literal,)*
    })*) => {
        $(
            $(#[$meta])*
            #[doc = ""]
            #[doc = concat!("MuJoCo's `", $mjname, "`.")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[repr(i32)]
            pub enum $Name { $($(#[$vmeta])* $variant = $value,)* }

            impl $Name {
                /// Every variant, in order.
                pub const ALL: &'static [$Name] = &[$($Name::$variant,)*];

                /// How many there are.
                pub const COUNT: usize = Self::ALL.len();

                /// The variant with this integer value.
                #[inline]
                pub const fn from_raw(raw: i32) -> Option<$Name> {
                    match raw {
                        $($value => Some($Name::$variant),)*
                        _ => None,
                    }
                }

                /// The integer that stands for this variant in records.
                #[inline]
                pub const fn raw(self) -> i32 {
                    self as i32
                }

                /// MuJoCo's name for this value.
                pub const fn mj_name(self) -> &'static str {
                    match self { $($Name::$variant => $vname,)* }
                }
            }
        )*
    };
}

enums! {
    /// What a geom belongs to; values are bits.
    "mjtCatBit" Category {
        /// Bodies that cannot move.
        Static = 1 "mjCAT_STATIC",
        /// All other bodies.
        Dynamic = 2 "mjCAT_DYNAMIC",
        /// Decoration.
        Decor = 4 "mjCAT_DECOR",
        /// All of them.
        All = 7 "mjCAT_ALL",
    }
    /// What the mouse does.
    "mjtMouse" Mouse {
        /// Nothing.
        None = 0 "mjMOUSE_NONE",
        /// Rotates in the vertical plane.
        RotateV = 1 "mjMOUSE_ROTATE_V",
        /// Rotates in the horizontal plane.
        RotateH = 2 "mjMOUSE_ROTATE_H",
        /// Moves in the vertical plane.
        MoveV = 3 "mjMOUSE_MOVE_V",
        /// Moves in the horizontal plane.
        MoveH = 4 "mjMOUSE_MOVE_H",
        /// Zooms.
        Zoom = 5 "mjMOUSE_ZOOM",
        /// Moves in the vertical plane, relative to the target.
        MoveVRel = 6 "mjMOUSE_MOVE_V_REL",
        /// Moves in the horizontal plane, relative to the target.
        MoveHRel = 7 "mjMOUSE_MOVE_H_REL",
    }
    /// Kinds of perturbation; values are bits.
    "mjtPertBit" PerturbBit {
        /// A force pulls the selected point.
        Translate = 1 "mjPERT_TRANSLATE",
        /// A torque turns the selected body.
        Rotate = 2 "mjPERT_ROTATE",
    }
    /// Kinds of abstract camera.
    "mjtCamera" CameraType {
        /// Looks at a point.
        Free = 0 "mjCAMERA_FREE",
        /// Looks at a body and follows it.
        Tracking = 1 "mjCAMERA_TRACKING",
        /// A camera of the model.
        Fixed = 2 "mjCAMERA_FIXED",
        /// The user sets the cameras of the scene.
        User = 3 "mjCAMERA_USER",
    }
    /// What is labelled.
    "mjtLabel" Label {
        /// Nothing.
        None = 0 "mjLABEL_NONE",
        /// Bodies.
        Body = 1 "mjLABEL_BODY",
        /// Joints.
        Joint = 2 "mjLABEL_JOINT",
        /// Geoms.
        Geom = 3 "mjLABEL_GEOM",
        /// Sites.
        Site = 4 "mjLABEL_SITE",
        /// Cameras.
        Camera = 5 "mjLABEL_CAMERA",
        /// Lights.
        Light = 6 "mjLABEL_LIGHT",
        /// Tendons.
        Tendon = 7 "mjLABEL_TENDON",
        /// Actuators.
        Actuator = 8 "mjLABEL_ACTUATOR",
        /// Equality constraints.
        Constraint = 9 "mjLABEL_CONSTRAINT",
        /// Flexes.
        Flex = 10 "mjLABEL_FLEX",
        /// Skins.
        Skin = 11 "mjLABEL_SKIN",
        /// The selected body.
        Selection = 12 "mjLABEL_SELECTION",
        /// Coordinates of the selected point.
        SelPnt = 13 "mjLABEL_SELPNT",
        /// What touches in a contact.
        ContactPoint = 14 "mjLABEL_CONTACTPOINT",
        /// Magnitude of a contact's force.
        ContactForce = 15 "mjLABEL_CONTACTFORCE",
        /// Islands.
        Island = 16 "mjLABEL_ISLAND",
    }
    /// Whose frames are shown.
    "mjtFrame" Frame {
        /// None.
        None = 0 "mjFRAME_NONE",
        /// Bodies.
        Body = 1 "mjFRAME_BODY",
        /// Geoms.
        Geom = 2 "mjFRAME_GEOM",
        /// Sites.
        Site = 3 "mjFRAME_SITE",
        /// Cameras.
        Camera = 4 "mjFRAME_CAMERA",
        /// Lights.
        Light = 5 "mjFRAME_LIGHT",
        /// Contacts.
        Contact = 6 "mjFRAME_CONTACT",
        /// The world.
        World = 7 "mjFRAME_WORLD",
    }
    /// Switches for what becomes part of a scene.
    "mjtVisFlag" VisFlag {
        /// Convex hulls in place of meshes.
        ConvexHull = 0 "mjVIS_CONVEXHULL",
        /// Textures.
        Texture = 1 "mjVIS_TEXTURE",
        /// Joints.
        Joint = 2 "mjVIS_JOINT",
        /// Cameras.
        Camera = 3 "mjVIS_CAMERA",
        /// Actuators.
        Actuator = 4 "mjVIS_ACTUATOR",
        /// Activations in place of controls.
        Activation = 5 "mjVIS_ACTIVATION",
        /// Lights.
        Light = 6 "mjVIS_LIGHT",
        /// Tendons.
        Tendon = 7 "mjVIS_TENDON",
        /// Rays of rangefinders, and distances between geoms.
        Rangefinder = 8 "mjVIS_RANGEFINDER",
        /// Ends of equality constraints.
        Constraint = 9 "mjVIS_CONSTRAINT",
        /// Boxes or ellipsoids of the same inertia.
        Inertia = 10 "mjVIS_INERTIA",
        /// The same, of the density of water.
        SclInertia = 11 "mjVIS_SCLINERTIA",
        /// Forces that are applied to bodies.
        PertForce = 12 "mjVIS_PERTFORCE",
        /// What the mouse pulls.
        PertObj = 13 "mjVIS_PERTOBJ",
        /// Contacts.
        ContactPoint = 14 "mjVIS_CONTACTPOINT",
        /// Colours of islands.
        Island = 15 "mjVIS_ISLAND",
        /// Forces of contacts.
        ContactForce = 16 "mjVIS_CONTACTFORCE",
        /// Normal and tangential forces apart.
        ContactSplit = 17 "mjVIS_CONTACTSPLIT",
        /// What moves is translucent.
        Transparent = 18 "mjVIS_TRANSPARENT",
        /// Lines between joints and centres of mass.
        AutoConnect = 19 "mjVIS_AUTOCONNECT",
        /// Centres of mass.
        Com = 20 "mjVIS_COM",
        /// The selected point.
        Select = 21 "mjVIS_SELECT",
        /// Bodies that cannot move.
        Static = 22 "mjVIS_STATIC",
        /// Skins.
        Skin = 23 "mjVIS_SKIN",
        /// Vertices of flexes.
        FlexVert = 24 "mjVIS_FLEXVERT",
        /// Edges of flexes.
        FlexEdge = 25 "mjVIS_FLEXEDGE",
        /// Faces of flexes.
        FlexFace = 26 "mjVIS_FLEXFACE",
        /// Smooth skins of flexes, in place of the other three.
        FlexSkin = 27 "mjVIS_FLEXSKIN",
        /// Bounding volumes of bodies.
        BodyBvh = 28 "mjVIS_BODYBVH",
        /// Bounding volumes of meshes and flexes.
        MeshBvh = 29 "mjVIS_MESHBVH",
        /// Iterations of the search for contacts of signed distance fields.
        SdfIter = 30 "mjVIS_SDFITER",
    }
    /// Switches for how a scene is rendered.
    "mjtRndFlag" RenderFlag {
        /// Shadows.
        Shadow = 0 "mjRND_SHADOW",
        /// Wires in place of surfaces.
        Wireframe = 1 "mjRND_WIREFRAME",
        /// Reflections.
        Reflection = 2 "mjRND_REFLECTION",
        /// Transparent colours are added.
        Additive = 3 "mjRND_ADDITIVE",
        /// The sky.
        Skybox = 4 "mjRND_SKYBOX",
        /// Fog.
        Fog = 5 "mjRND_FOG",
        /// Haze where planes end.
        Haze = 6 "mjRND_HAZE",
        /// Segmentation in random colours.
        Segment = 7 "mjRND_SEGMENT",
        /// Segmentation with `segid + 1` as the colour.
        IdColor = 8 "mjRND_IDCOLOR",
        /// Back faces are left out.
        CullFace = 9 "mjRND_CULL_FACE",
    }
    /// Kinds of stereoscopic rendering.
    "mjtStereo" Stereo {
        /// The left eye only.
        None = 0 "mjSTEREO_NONE",
        /// One buffer per eye.
        QuadBuffered = 1 "mjSTEREO_QUADBUFFERED",
        /// Next to each other.
        SideBySide = 2 "mjSTEREO_SIDEBYSIDE",
    }
}

/// How a switch appears to the user: name, whether it is on at first, and the key that turns it.
pub type Switch = (&'static str, bool, &'static str);

impl VisFlag {
    /// See [`Switch`].
    pub const fn switch(self) -> Switch {
        match self {
            VisFlag::ConvexHull => ("Convex Hull", false, "H"),
            VisFlag::Texture => ("Texture", true, "X"),
            VisFlag::Joint => ("Joint", false, "J"),
            VisFlag::Camera => ("Camera", false, "Q"),
            VisFlag::Actuator => ("Actuator", false, "U"),
            VisFlag::Activation => ("Activation", false, ","),
            VisFlag::Light => ("Light", false, "Z"),
            VisFlag::Tendon => ("Tendon", true, "V"),
            VisFlag::Rangefinder => ("Range Finder", true, "Y"),
            VisFlag::Constraint => ("Equality", false, "E"),
            VisFlag::Inertia => ("Inertia", false, "I"),
            VisFlag::SclInertia => ("Scale Inertia", false, "'"),
            VisFlag::PertForce => ("Perturb Force", false, "B"),
            VisFlag::PertObj => ("Perturb Object", true, "O"),
            VisFlag::ContactPoint => ("Contact Point", false, "C"),
            VisFlag::Island => ("Island", false, "N"),
            VisFlag::ContactForce => ("Contact Force", false, "F"),
            VisFlag::ContactSplit => ("Contact Split", false, "P"),
            VisFlag::Transparent => ("Transparent", false, "T"),
            VisFlag::AutoConnect => ("Auto Connect", false, "A"),
            VisFlag::Com => ("Center of Mass", false, "M"),
            VisFlag::Select => ("Select Point", false, ""),
            VisFlag::Static => ("Static Body", true, "D"),
            VisFlag::Skin => ("Skin", true, ";"),
            VisFlag::FlexVert => ("Flex Vert", false, ""),
            VisFlag::FlexEdge => ("Flex Edge", true, ""),
            VisFlag::FlexFace => ("Flex Face", false, ""),
            VisFlag::FlexSkin => ("Flex Skin", true, ""),
            VisFlag::BodyBvh => ("Body Tree", false, "`"),
            VisFlag::MeshBvh => ("Mesh Tree", false, "\\"),
            VisFlag::SdfIter => ("SDF iters", false, ""),
        }
    }
}

impl RenderFlag {
    /// See [`Switch`].
    pub const fn switch(self) -> Switch {
        match self {
            RenderFlag::Shadow => ("Shadow", true, "S"),
            RenderFlag::Wireframe => ("Wireframe", false, "W"),
            RenderFlag::Reflection => ("Reflection", true, "R"),
            RenderFlag::Additive => ("Additive", false, "L"),
            RenderFlag::Skybox => ("Skybox", true, "K"),
            RenderFlag::Fog => ("Fog", false, "G"),
            RenderFlag::Haze => ("Haze", true, "/"),
            RenderFlag::Segment => ("Segment", false, ","),
            RenderFlag::IdColor => ("Id Color", false, ""),
            RenderFlag::CullFace => ("Cull Face", true, ""),
        }
    }
}

impl Label {
    /// How the choice appears to the user.
    pub const fn title(self) -> &'static str {
        match self {
            Label::None => "None",
            Label::Body => "Body",
            Label::Joint => "Joint",
            Label::Geom => "Geom",
            Label::Site => "Site",
            Label::Camera => "Camera",
            Label::Light => "Light",
            Label::Tendon => "Tendon",
            Label::Actuator => "Actuator",
            Label::Constraint => "Constraint",
            Label::Flex => "Flex",
            Label::Skin => "Skin",
            Label::Selection => "Selection",
            Label::SelPnt => "SelPoint",
            Label::ContactPoint => "Contact",
            Label::ContactForce => "ContactForce",
            Label::Island => "Island",
        }
    }
}

impl Frame {
    /// How the choice appears to the user.
    pub const fn title(self) -> &'static str {
        match self {
            Frame::None => "None",
            Frame::Body => "Body",
            Frame::Geom => "Geom",
            Frame::Site => "Site",
            Frame::Camera => "Camera",
            Frame::Light => "Light",
            Frame::Contact => "Contact",
            Frame::World => "World",
        }
    }
}
