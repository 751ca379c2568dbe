use corten_model::enums::GeomType;

/// Why a scene cannot be made or changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The data was made for another model.
    #[error("the data has {data} {what}, the model {model}: they do not belong together")]
    OtherModel {
        /// What is counted.
        what: &'static str,
        /// How many the data has.
        data: usize,
        /// How many the model has.
        model: usize,
    },
    /// The scene was made for another model.
    #[error(
        "the scene has room for {scene} {what}, the model has {model}: make the scene for this model"
    )]
    OtherScene {
        /// What is counted.
        what: &'static str,
        /// How many the scene has.
        scene: usize,
        /// How many the model has.
        model: usize,
    },
    /// A camera that the model does not have.
    #[error("fixed camera id is outside valid range: {id} of {ncam} cameras")]
    NoCamera {
        /// The id.
        id: i32,
        /// How many there are.
        ncam: usize,
    },
    /// A body that the model does not have.
    #[error("track body id is outside valid range: {id} of {nbody} bodies")]
    NoBody {
        /// The id.
        id: i32,
        /// How many there are.
        nbody: usize,
    },
    /// A camera of no type that this function knows.
    #[error("unknown camera type {0}")]
    CameraType(i32),
    /// A motion of the mouse that this function does not know.
    #[error("unexpected mouse action {0}")]
    Mouse(i32),
    /// A type of geom that cannot lead from one point to another.
    #[error("invalid geom type {0:?} for connector")]
    Connector(Option<GeomType>),
    /// The scale of the model in the room.
    #[error("mjvScene scale too small")]
    Scale,
    /// The cameras of the scene have not been set.
    #[error("mjvScene frustum_near too small: update the scene's camera first")]
    Near,
    /// One camera of the scene is orthographic, the other is not.
    #[error("cannot average perspective and orthographic cameras")]
    MixedCameras,
}
