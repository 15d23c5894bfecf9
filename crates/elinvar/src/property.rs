//! Choosing properties by name or number.

use elinvar_ir::{Goal, PropertyId, TransitionSystem};

use crate::error::Error;
use crate::options::Options;
use crate::pattern::{is_pattern, matches};
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

    /// The properties that are chosen by their names, their numbers, or patterns for their
    /// names; all if nothing is chosen.
    ///
    /// ```
    /// let text = "procedure p(x: int) { assert x + 1 > x; assert x > 0; }";
    /// let problem = elinvar::Problem::parse("p.bpl", text)?;
    /// assert_eq!(problem.select(&[])?.len(), 2);
    /// assert_eq!(problem.select(&["1".to_owned()])?, [elinvar::ir::PropertyId(1)]);
    /// assert!(problem.select(&["no such name".to_owned()]).is_err());
    /// # Ok::<(), elinvar::Error>(())
    /// ```
    pub fn select(&self, chosen: &[String]) -> Result<Vec<PropertyId>, Error> {
        if chosen.is_empty() {
            return Ok((0..self.property_count()).map(PropertyId).collect());
        }
        let mut found: Vec<PropertyId> = Vec::new();
        for text in chosen {
            found.extend(self.described(text)?);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The properties that a name, a number or a pattern describes; at least one.
    fn described(&self, text: &str) -> Result<Vec<PropertyId>, Error> {
        let names = self.property_names();
        if !is_pattern(text) || names.contains(&text) {
            return Ok(vec![self.find(text)?]);
        }
        let matching = (0..names.len()).filter(|&number| matches(text, names[number]));
        let matching: Vec<PropertyId> = matching.map(PropertyId).collect();
        if matching.is_empty() {
            let (what, choices) = (what(self), choices(&names));
            return Err(Error::Usage(format!(
                "no property matches {text}; the {what} has{choices}"
            )));
        }
        Ok(matching)
    }

    /// The properties that the options choose.
    ///
    /// # Errors
    /// If a property that they name does not exist, or no property has their goal.
    pub fn chosen(&self, options: &Options) -> Result<Vec<PropertyId>, Error> {
        let mut chosen = self.select(&options.properties)?;
        if let (Some(goal), true) = (options.goal, options.properties.is_empty()) {
            chosen.retain(|&property| self.goal(property) == goal);
            if chosen.is_empty() && self.property_count() > 0 {
                let wanted = match goal {
                    Goal::Assert => "assertion",
                    Goal::Cover => "cover statement",
                };
                return Err(Error::Usage(format!("the {} has no {wanted}", what(self))));
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
        match self {
            Problem::System(problem) => label_in(problem.system(), property),
            Problem::Program(_) => {
                let names = self.property_names();
                let name = names[property.0];
                let is_unique = names.iter().filter(|&&other| other == name).count() == 1;
                label(name, is_unique, property)
            }
        }
    }
}

/// What [`find`] finds a property of a system by.
pub(crate) fn label_in(system: &TransitionSystem, property: PropertyId) -> String {
    label(&system.property(property).name, system.has_unique_name(property), property)
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

/// The name where it is unique and stands for itself in a file, else the number.
fn label(name: &str, is_unique: bool, property: PropertyId) -> String {
    let clean = !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
    if clean && is_unique { name.to_owned() } else { property.0.to_string() }
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
        assert_eq!(problem.select(&[]).unwrap().len(), 4);
        let select = |text: &str| problem.select(&[text.to_owned(), "0".to_owned()]).unwrap();
        assert_eq!(select("q*"), [1, 2, 3].map(PropertyId));
        assert!(problem.select(&["x*".to_owned()]).is_err());
        for id in [0, 1, 2, 3].map(PropertyId) {
            assert_eq!(problem.find(&problem.label(id)).unwrap(), id);
        }
    }
}
