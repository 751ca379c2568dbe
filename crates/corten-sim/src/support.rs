//! Jacobians and other quantities derived from a computed `Data`.
