//! A stream between two hosts, here both in one program. Run it with
//! `cargo run -p skywave-wire --example streams`.

use std::error::Error;
use std::io::{Read, Write};
use std::time::Duration;

use skywave_wire::endpoint::{Allowed, Config};
use skywave_wire::key::SecretKey;
use skywave_wire::node::Node;

fn main() -> Result<(), Box<dyn Error>> {
    // Each host keeps its secret key; the public ones are exchanged beforehand.
    let (here, there) = (SecretKey::generate()?, SecretKey::generate()?);
    let friends = Allowed::Keys([here.public()].into());
    let nobody = Allowed::Keys([].into());

    let listening = Node::bind("127.0.0.1:0", there.clone(), friends, Config::default())?;
    let connecting = Node::bind("127.0.0.1:0", here, nobody, Config::default())?;

    let mut stream = connecting.connect(listening.address(), there.public())?;
    stream.write_all(b"hello")?;
    stream.close();

    let mut other = listening
        .accept(Duration::from_secs(60))?
        .ok_or("nobody came")?;
    let mut text = String::new();
    other.read_to_string(&mut text)?;
    println!("{text}");
    Ok(())
}
