//! Saving and restoring parts of the state as one vector.
