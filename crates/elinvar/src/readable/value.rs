//! Values of programs as text.

use elinvar_ir::program::{Terms, TypeId, Value};

/// As Boogie writes it, where it has a notation; maps by what they hold.
pub fn text(terms: &Terms, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Real(value) => {
            let (numerator, denominator) = (value.numerator(), value.denominator().to_string());
            match denominator.as_str() {
                "1" => format!("{numerator}.0"),
                _ => format!("{numerator}.0 / {denominator}.0"),
            }
        }
        Value::Word(word) => format!("{}bv{}", word.0.to_big(), word.0.width()),
        Value::Element(TypeId(id), number) => format!("{}#{number}", terms.types()[*id as usize]),
        Value::Map(map) => {
            let entries = map.entries().map(|(index, element)| {
                format!("{} := {}", text(terms, index), text(terms, element))
            });
            let default = format!("else {}", text(terms, map.default_element()));
            let parts: Vec<String> = entries.chain([default]).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use elinvar_ir::program::{Sort, Terms};

    use super::*;

    #[test]
    fn values_are_readable() {
        let mut terms = Terms::new();
        let name = terms.declare_type("T");
        let show = |value: &Value| text(&terms, value);
        assert_eq!(show(&Value::Int((-3).into())), "-3");
        assert_eq!(show(&Value::Element(name, 2)), "T#2");
        assert_eq!(show(&Value::zero(&Sort::Real)), "0.0");
        let Value::Map(mut map) = Value::zero(&Sort::map(Sort::Int, Sort::Bool)) else { panic!() };
        map.write(Value::Int(7.into()), Value::Bool(true));
        assert_eq!(show(&Value::Map(map)), "[7 := true, else false]");
        let word = Value::zero(&Sort::Word(8));
        assert_eq!(show(&word), "0bv8");
    }
}
