//! Posed shapes and queries on them. Knows nothing of models or simulation.
