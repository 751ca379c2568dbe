//! Runs the tests of the pinning allocator, which needs no interpreter.

#![allow(unsafe_code, dead_code)]

#[path = "../src/memory/pin.rs"]
mod pin;

#[global_allocator]
static ALLOCATOR: pin::Allocator = pin::Allocator;
