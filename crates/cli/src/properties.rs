//! Choosing properties by name or number.

use anyhow::{Result, bail};
use elinvar_ir::{PropertyId, TransitionSystem};

/// The properties that the user asks for: the one chosen, or all.
pub fn select(system: &TransitionSystem, chosen: Option<&str>) -> Result<Vec<PropertyId>> {
    match chosen {
        Some(text) => Ok(vec![find(system, text)?]),
        None => Ok((0..system.properties().len()).map(PropertyId).collect()),
    }
}

/// The property with this name, else the one with this number.
pub fn find(system: &TransitionSystem, text: &str) -> Result<PropertyId> {
    let count = system.properties().len();
    let named: Vec<usize> = (0..count).filter(|&i| system.properties()[i].name == text).collect();
    match named[..] {
        [one] => return Ok(PropertyId(one)),
        [] => {}
        [first, second, ..] => {
            bail!("several properties are called {text}: use a number, such as {first} or {second}")
        }
    }
    match text.parse() {
        Ok(index) if index < count => Ok(PropertyId(index)),
        Ok(_) | Err(_) => bail!("there is no property {text}; {}", choices(system)),
    }
}

/// What [`find`] finds this property by: its name where that is unique.
pub fn label(system: &TransitionSystem, id: PropertyId) -> String {
    let name = &system.property(id).name;
    let clean = !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
    let unique = system.properties().iter().filter(|p| p.name == *name).count() == 1;
    if clean && unique { name.clone() } else { id.0.to_string() }
}

fn choices(system: &TransitionSystem) -> String {
    const SHOWN: usize = 8;
    let properties = system.properties();
    if properties.is_empty() {
        return "the model has none".to_owned();
    }
    let mut names: Vec<String> =
        properties.iter().take(SHOWN).enumerate().map(|(i, p)| format!("{i} {}", p.name)).collect();
    if properties.len() > SHOWN {
        names.push(format!("… {} in all", properties.len()));
    }
    format!("the model has: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use elinvar_ir::SystemBuilder;

    #[test]
    fn names_come_before_numbers() {
        let mut b = SystemBuilder::new();
        let never = b.pool.bool(false);
        for name in ["p", "0", "q", "q"] {
            b.bad(name, never);
        }
        let system = b.finish().unwrap();
        assert_eq!(find(&system, "p").unwrap(), PropertyId(0));
        assert_eq!(find(&system, "0").unwrap(), PropertyId(1));
        assert_eq!(find(&system, "3").unwrap(), PropertyId(3));
        assert!(find(&system, "q").unwrap_err().to_string().contains("2 or 3"));
        assert!(find(&system, "r").unwrap_err().to_string().contains("0 p, 1 0"));
        assert!(find(&system, "4").is_err());
        assert_eq!(select(&system, None).unwrap().len(), 4);
        for id in [0, 1, 2, 3].map(PropertyId) {
            assert_eq!(find(&system, &label(&system, id)).unwrap(), id);
        }
    }
}
