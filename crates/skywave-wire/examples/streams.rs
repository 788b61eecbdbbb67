//! A stream between two ends on this machine, here both in one program. Run it with
//! `cargo run -p skywave-wire --example streams`.

use std::error::Error;
use std::io::{Read, Write};
use std::sync::Arc;

use skywave_core::wtcp::Config;
use skywave_wire::stream::Stream;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Arc::new(Config::default());
    let listening = Stream::listen("127.0.0.1:0".parse()?, &config)?;
    let connecting = Stream::connect(listening.address(), &config)?;

    (&connecting).write_all(b"hello")?;
    connecting.close();

    let mut text = String::new();
    (&listening).read_to_string(&mut text)?;
    println!("{text}");
    Ok(())
}
