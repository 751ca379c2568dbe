//! Chooses the versions of the kernels: see `src/simd`.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(native_kernels, baseline_kernels)");
    let target = var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let has_native = matches!(&*target, "x86_64" | "aarch64");
    let is_portable = var("CARGO_FEATURE_PORTABLE").is_ok() || var("HOST") != var("TARGET");
    if has_native && (is_portable || this_processor_has_wide_registers()) {
        println!("cargo::rustc-cfg=native_kernels");
    }
    if !has_native || is_portable || !this_processor_has_wide_registers() {
        println!("cargo::rustc-cfg=baseline_kernels");
    }
}

/// Those that the kernels' native version computes with.
fn this_processor_has_wide_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(target_arch = "aarch64")
}
