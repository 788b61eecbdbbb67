//! Where a key belongs that stands in the wrong table.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

use crate::model::flow::FlowModel;
use crate::model::{LinkModel, RunModel};
use crate::read::fault::Fault;

/// Says where the key belongs, when it is known in another table than its own: a header that is
/// missing puts all keys below it into the table before.
pub(crate) fn add(fault: Fault) -> Fault {
    let tables = [
        ("[[link]]", keys::<LinkModel>()),
        ("[[flow]]", keys::<FlowModel>()),
        ("[run]", keys::<RunModel>()),
    ];
    let Some(key) = fault.unknown_key() else {
        return fault;
    };
    let homes = tables.iter().filter(|(_, keys)| keys.contains(&key));
    let homes: Vec<&str> = homes.map(|(table, _)| *table).collect();
    if homes.is_empty() {
        return fault;
    }
    let help = format!("`{key}` belongs to {}", homes.join(" or "));
    fault.add_help(&help)
}

/// The keys of a table.
pub(crate) fn keys<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut keys: &[&str] = &[];
    // It never gives a value: it only looks at what is asked for.
    let _ = T::deserialize(Look(&mut keys));
    keys
}

struct Look<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Look<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
        Err(Fault::custom("no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq map identifier option newtype_struct tuple tuple_struct enum ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_table_are_those_of_its_type() {
        assert!(keys::<RunModel>().contains(&"duration"));
        assert!(keys::<LinkModel>().contains(&"between"));
        assert!(keys::<FlowModel>().contains(&"transport"));
    }
}
