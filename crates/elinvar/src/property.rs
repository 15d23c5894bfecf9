//! Choosing properties by name or number.

use elinvar_ir::{Goal, PropertyId, TransitionSystem};

use crate::error::Error;
use crate::options::Options;
use crate::problem::Problem;

/// What kind of properties the names belong to, in messages.
fn what(problem: &Problem) -> &'static str {
    match problem {
        Problem::System(_) => "model",
        Problem::Program(_) => "program",
    }
}

impl Problem {
    /// The name of a property.
    pub fn property_name(&self, property: PropertyId) -> &str {
        match self {
            Problem::System(problem) => &problem.system().property(property).name,
            Problem::Program(problem) => &problem.program().property(property).name,
        }
    }

    /// All properties, or the one that is chosen by its name or its number.
    ///
    /// ```
    /// let text = "procedure p(x: int) { assert x + 1 > x; assert x > 0; }";
    /// let problem = elinvar::Problem::parse("p.bpl", text)?;
    /// assert_eq!(problem.select(None)?.len(), 2);
    /// assert_eq!(problem.select(Some("1"))?, [elinvar::ir::PropertyId(1)]);
    /// assert!(problem.select(Some("no such name")).is_err());
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn select(&self, chosen: Option<&str>) -> Result<Vec<PropertyId>, Error> {
        match chosen {
            Some(text) => Ok(vec![self.find(text)?]),
            None => Ok((0..self.property_count()).map(PropertyId).collect()),
        }
    }

    /// The properties that the options choose.
    ///
    /// # Errors
    /// If the property that they name does not exist, or no property has their goal.
    pub fn chosen(&self, options: &Options) -> Result<Vec<PropertyId>, Error> {
        let mut chosen = self.select(options.property.as_deref())?;
        if let (Some(goal), None) = (options.goal, &options.property) {
            chosen.retain(|&property| self.goal(property) == goal);
            if chosen.is_empty() && self.property_count() > 0 {
                let (what, wanted) = (
                    what(self),
                    match goal {
                        Goal::Assert => "assertion",
                        Goal::Cover => "cover statement",
                    },
                );
                return Err(Error::Usage(format!("the {what} has no {wanted}")));
            }
        }
        Ok(chosen)
    }

    /// What the user hopes for in a property.
    pub fn goal(&self, property: PropertyId) -> Goal {
        match self {
            Problem::System(problem) => problem.system().property(property).goal,
            Problem::Program(_) => Goal::Assert,
        }
    }

    /// The property with this name, else the one with this number.
    ///
    /// # Errors
    /// If there is no such property, or several have the name.
    pub fn find(&self, text: &str) -> Result<PropertyId, Error> {
        find(&self.property_names(), what(self), text)
    }

    fn property_names(&self) -> Vec<&str> {
        (0..self.property_count()).map(|number| self.property_name(PropertyId(number))).collect()
    }

    /// What [`Problem::find`] finds this property by: its name where that is unique.
    pub fn label(&self, property: PropertyId) -> String {
        label(&self.property_names(), property)
    }
}

/// The names of the properties of a system.
pub(crate) fn names(system: &TransitionSystem) -> Vec<&str> {
    system.properties().iter().map(|property| property.name.as_str()).collect()
}

/// The property with this name, else the one with this number.
pub(crate) fn find(names: &[&str], what: &str, text: &str) -> Result<PropertyId, Error> {
    let named: Vec<usize> = (0..names.len()).filter(|&number| names[number] == text).collect();
    match named[..] {
        [one] => return Ok(PropertyId(one)),
        [] => {}
        [first, second, ..] => {
            return Err(Error::Usage(format!(
                "several properties are called {text}: use a number, such as {first} or {second}"
            )));
        }
    }
    match text.parse() {
        Ok(number) if number < names.len() => Ok(PropertyId(number)),
        Ok(_) | Err(_) => {
            let choices = choices(names);
            Err(Error::Usage(format!("there is no property {text}; the {what} has{choices}")))
        }
    }
}

/// What [`find`] finds this property by: its name where that is unique.
pub(crate) fn label(names: &[&str], property: PropertyId) -> String {
    let name = names[property.0];
    let clean = !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
    let unique = names.iter().filter(|&&other| other == name).count() == 1;
    if clean && unique { name.to_owned() } else { property.0.to_string() }
}

fn choices(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    if names.is_empty() {
        return " none".to_owned();
    }
    let mut shown: Vec<String> =
        names.iter().take(SHOWN).enumerate().map(|(n, name)| format!("{n} {name}")).collect();
    if names.len() > SHOWN {
        shown.push(format!("… {} in all", names.len()));
    }
    format!(": {}", shown.join(", "))
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
        let problem = Problem::from(b.finish().unwrap());
        assert_eq!(problem.find("p").unwrap(), PropertyId(0));
        assert_eq!(problem.find("0").unwrap(), PropertyId(1));
        assert_eq!(problem.find("3").unwrap(), PropertyId(3));
        assert!(problem.find("q").unwrap_err().to_string().contains("2 or 3"));
        assert!(problem.find("r").unwrap_err().to_string().contains("0 p, 1 0"));
        assert!(problem.find("4").is_err());
        assert_eq!(problem.select(None).unwrap().len(), 4);
        for id in [0, 1, 2, 3].map(PropertyId) {
            assert_eq!(problem.find(&problem.label(id)).unwrap(), id);
        }
    }
}
