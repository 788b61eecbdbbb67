#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| skywave_fuzz::scripts::run_script(data));
