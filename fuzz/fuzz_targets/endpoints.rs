#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| skywave_fuzz::endpoints::run(data));
