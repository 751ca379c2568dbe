//! Constants of a model that follow from its reference pose.
