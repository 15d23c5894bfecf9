//! Several processes, each with a share of the instances. These are processes and not threads
//! because the processor time of a run is measured over all children of a process.

use std::process::Command;
use std::str::FromStr;

/// The share with this index, counted from zero, of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    index: usize,
    count: usize,
}

impl Share {
    /// Every n-th item, so that each share has items from the whole list.
    pub fn of<T>(self, items: Vec<T>) -> Vec<T> {
        items.into_iter().skip(self.index).step_by(self.count).collect()
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            let share = Share { index: index.parse().ok()?, count: count.parse().ok()? };
            (share.index < share.count).then_some(share)
        };
        parse().ok_or_else(|| format!("`{text}` is not a share such as 0/2"))
    }
}

/// Runs this command again in so many processes, each with its share.
pub fn run_all(count: u32) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let start = |index: u32| {
        let mut command = Command::new(&program);
        command.args(std::env::args_os().skip(1)).arg(format!("--share={index}/{count}"));
        command.spawn().map_err(|error| error.to_string())
    };
    let children: Vec<_> = (0..count).map(start).collect();
    // Waits for all of them even if one has failed.
    let ended: Vec<Result<bool, String>> = children
        .into_iter()
        .map(|child| Ok(child?.wait().map_err(|error| error.to_string())?.success()))
        .collect();
    let ended: Vec<bool> = ended.into_iter().collect::<Result<_, _>>()?;
    if ended.contains(&false) { Err("one of the jobs has failed".into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_one_share() {
        let share = |text: &str| text.parse::<Share>().unwrap().of((0..5).collect());
        assert_eq!((share("0/2"), share("1/2")), (vec![0, 2, 4], vec![1, 3]));
        assert!(["2/2", "1", "a/b", "0/0"].iter().all(|text| text.parse::<Share>().is_err()));
    }
}
