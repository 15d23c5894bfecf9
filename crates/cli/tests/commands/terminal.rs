//! What a user sees: progress, colours and widths. Terminals are those of tmux; without it, the
//! tests that need one are skipped.

use super::*;

const ESCAPE: char = '\u{1b}';

/// A generator of pseudo-random numbers that would have to run for hours to reach the numbers of
/// its many properties, which have long names.
pub fn endless(folder: &Path) {
    let mut model = "1 sort bitvec 32\n2 zero 1\n3 state 1 generator\n4 init 1 3 2\n\
                     5 constd 1 1103515245\n6 mul 1 3 5\n7 constd 1 12345\n8 add 1 6 7\n9 next 1 3 8\n\
                     10 sort bitvec 1\n"
        .to_owned();
    for number in 0..40 {
        let (constant, id) = (2_654_435_769_u32.wrapping_mul(number + 77), 11 + 3 * number);
        model += &format!(
            "{id} constd 1 {constant}\n{} eq 10 3 {id}\n\
             {} bad {} top.pipeline.decoder.stage_{number}.assert_that_the_number_is_not_drawn\n",
            id + 1,
            id + 2,
            id + 1
        );
    }
    std::fs::write(folder.join("endless.btor2"), model).unwrap();
}

/// A shell in a terminal of its own.
struct Terminal {
    socket: PathBuf,
    folder: tempfile::TempDir,
}

impl Terminal {
    /// Nothing if there is no tmux.
    fn open(columns: usize) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let terminal = Terminal { socket: folder.path().join("tmux"), folder };
        if !Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        endless(terminal.folder.path());
        let size = columns.to_string();
        let shell = "env -u NO_COLOR -u CLICOLOR_FORCE PS1='$ ' sh";
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &size, "-y", "60", shell]);
        Some(terminal)
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket).args(words).current_dir(self.folder.path());
        let output = tmux.env_remove("TMUX").output().expect("tmux runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Starts `elinvar` with these words on an empty screen.
    fn start(&self, words: &str) {
        let binary = env!("CARGO_BIN_EXE_elinvar");
        let script = format!("clear\n{binary} {words}\necho the end\n");
        std::fs::write(self.folder.path().join("run"), script).unwrap();
        self.tmux(&["send-keys", ". ./run", "Enter"]);
    }

    fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn resize(&self, columns: usize) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", "60"]);
    }

    /// The lines on the screen that are not empty.
    fn screen(&self) -> Vec<String> {
        let text = self.tmux(&["capture-pane", "-p"]);
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Waits until only a line of progress is on the screen that is no wider than this.
    fn wait_for_progress(&self, columns: usize) {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            let is_there = |line: &String| is_progress(line) && line.chars().count() < columns;
            if screen.len() == 1 && is_there(&screen[0]) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{screen:#?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Looks at the screen until the run is over; returns all different screens.
    fn screens(&self) -> Vec<Vec<String>> {
        let (start, mut screens) = (Instant::now(), Vec::new());
        loop {
            let screen = self.screen();
            let is_over = screen.iter().any(|line| line == "the end");
            if screens.last() != Some(&screen) {
                screens.push(screen);
            }
            if is_over {
                return screens;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{screens:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Is it a line of progress, or the start of one? `12 s, 3/40 decided, …`
fn is_progress(line: &str) -> bool {
    let digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    digits.len() < line.len() && digits.starts_with(" s, ")
}

/// Checks the screens of a run from before its verdict to its end.
fn expect_tidy(screens: &[Vec<String>], columns: usize) {
    let (last, running) = screens.split_last().expect("there is a last one");
    let mut seen = 0;
    for screen in running {
        let before_verdict = screen.iter().take_while(|line| *line != "unknown");
        let is_command = |line: &&String| line.starts_with('$') || line.contains("./run");
        let lines: Vec<&String> = before_verdict.filter(|line| !is_command(line)).collect();
        assert!(lines.len() <= 1, "the line wraps: {screen:#?}");
        for line in lines.iter().filter(|line| is_progress(line)) {
            seen += 1;
            assert!(line.chars().count() <= columns - 4, "{line}");
            assert!(!line.ends_with(',') && !line.ends_with("lemma"), "cut in a word: {line}");
        }
    }
    assert!(seen > 0, "progress is shown: {running:#?}");
    expect_clean(last);
}

/// Checks that the last screen of a run has its verdict and nothing of its progress.
fn expect_clean(last: &[String]) {
    assert_eq!(last[0], "unknown", "{last:#?}");
    let left = last.iter().filter(|line| is_progress(line) || line.contains("^C"));
    assert_eq!(left.count(), 0, "{last:#?}");
}

#[test]
fn progress_never_wraps_and_leaves_nothing() {
    for columns in [80, 110, 200] {
        let Some(terminal) = Terminal::open(columns) else { return };
        terminal.start("check endless.btor2 --engine pdr --timeout 2");
        let screens = terminal.screens();
        expect_tidy(&screens, columns);
        let is_wide = |line: &String| line.chars().count() > columns;
        assert!(!screens.last().unwrap().iter().any(is_wide), "{screens:#?}");
        let mut lines = screens.iter().flatten().filter(|line| is_progress(line));
        assert!(lines.any(|line| line.contains("/40 decided, pdr frame ")), "{screens:#?}");
    }
}

#[test]
fn progress_survives_a_resize() {
    let Some(terminal) = Terminal::open(200) else { return };
    terminal.start("check endless.btor2 --engine pdr --timeout 60");
    terminal.wait_for_progress(200);
    for columns in [60, 120, 30] {
        terminal.resize(columns);
        terminal.wait_for_progress(columns);
    }
    terminal.resize(110);
    terminal.key("C-c");
    let last = terminal.screens().pop().unwrap();
    expect_clean(&last);
}

/// Is it a part of the dashboard of a campaign?
fn is_dashboard(line: &str) -> bool {
    line.contains("/40 done") || line.starts_with("strategy") || line.contains(" undecided  ")
}

#[test]
fn a_dashboard_fits_survives_a_resize_and_leaves_nothing() {
    let Some(terminal) = Terminal::open(80) else { return };
    terminal.start("run endless.btor2 --strategy 'pdr 200ms' -j 1 --directory c");
    let wait_for = |columns: usize| {
        let start = Instant::now();
        loop {
            let screen = terminal.screen();
            let count = screen.iter().filter(|line| line.contains("/40 done")).count();
            let fits = screen.iter().all(|line| line.chars().count() < columns);
            // It is drawn once, and all of it is there.
            if count == 1 && fits && screen.iter().any(|line| line.starts_with("strategy")) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{columns}: {screen:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(80);
    terminal.resize(36);
    wait_for(36);
    terminal.resize(100);
    wait_for(100);
    let last = terminal.screens().pop().unwrap();
    let left: Vec<&String> = last.iter().filter(|line| is_dashboard(line)).collect();
    assert!(left.is_empty(), "{last:#?}");
    assert!(last.iter().any(|line| line.starts_with("unknown: 40 properties")), "{last:#?}");
}

#[test]
fn an_interrupt_leaves_nothing_of_the_progress() {
    let Some(terminal) = Terminal::open(80) else { return };
    terminal.start("check endless.btor2 --engine pdr --timeout 60");
    terminal.wait_for_progress(80);
    terminal.key("C-c");
    let screens = terminal.screens();
    expect_clean(screens.last().unwrap());
    let last = screens.last().unwrap();
    assert!(last.iter().any(|line| line.contains("interrupted")), "{last:#?}");
    // This command ends at once.
    terminal.start("simulate endless.btor2 --cycles 20000000 --memory 2000");
    terminal.wait_for_progress(80);
    terminal.key("C-c");
    let last = terminal.screens().pop().unwrap();
    assert_eq!(last, ["the end", "$"]);
}

#[test]
fn messages_begin_a_line_of_their_own() {
    let Some(terminal) = Terminal::open(80) else { return };
    // The error appears while the model is read.
    let counter = "1 sort bitvec 8\n2 input 1\n".to_owned();
    let rest: String = (3..400_000).map(|id| format!("{id} add 1 2 2\n")).collect();
    std::fs::write(terminal.folder.path().join("wrong.btor2"), counter + &rest + "x\n").unwrap();
    terminal.start("check wrong.btor2");
    let last = terminal.screens().pop().unwrap();
    assert!(last[0].starts_with("wrong.btor2:400000:1: error: "), "{last:#?}");
    assert!(!last.iter().any(|line| is_progress(line)), "{last:#?}");
}

#[test]
fn a_dumb_terminal_has_plain_lines_only() {
    let Some(terminal) = Terminal::open(80) else { return };
    terminal.key("export TERM=dumb");
    terminal.key("Enter");
    terminal.start("check endless.btor2 --engine pdr --timeout 2 --verbose");
    let last = terminal.screens().pop().unwrap();
    // The shell may print its prompt late, on the line of the report.
    let lines = last.iter().filter(|line| line.contains("elinvar: 1 s, 0/40 decided"));
    assert_eq!(lines.count(), 1, "{last:#?}");
}

#[test]
fn without_a_terminal_progress_has_to_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    endless(folder.path());
    let words = ["check", "endless.btor2", "--engine", "pdr", "--timeout", "2"];
    let run = elinvar(folder.path(), &words);
    assert_eq!((run.code, &run.stderr[..]), (UNKNOWN, ""));
    let run = elinvar(folder.path(), &[&words[..], &["-v"]].concat());
    assert!(run.stderr.starts_with("elinvar: 1 s, 0/40 decided, pdr frame "), "{}", run.stderr);
    assert!(!run.stderr.contains(['\r', ESCAPE]), "{:?}", run.stderr);
    let run = elinvar(folder.path(), &[&words[..], &["-v", "-q"]].concat());
    assert_eq!((&run.stdout[..], &run.stderr[..]), ("unknown\n", ""));
}

/// Runs `elinvar` with one variable of the environment that is about colours.
fn coloured(variable: Option<&str>, words: &[&str]) -> Run {
    let mut command = command(Path::new("."));
    ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"].iter().for_each(|name| {
        command.env_remove(name);
    });
    command.envs(variable.map(|name| (name, "1"))).env("TERM", "xterm");
    let path = |word: &&str| match word.strip_prefix('@') {
        Some(name) => example(name),
        None => word.into(),
    };
    Run::of(command.args(words.iter().map(path)).output().expect("the binary runs"))
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let check = ["check", "@traffic_light.btor2"];
    let has_colour = |variable, words: &[&str]| {
        coloured(variable, &[&check[..], words].concat()).stdout.contains(ESCAPE)
    };
    assert!(!has_colour(None, &[]), "there is no terminal");
    assert!(has_colour(Some("CLICOLOR_FORCE"), &[]));
    assert!(has_colour(None, &["--color", "always"]));
    assert!(has_colour(Some("NO_COLOR"), &["--color=always"]), "the option wins");
    assert!(!has_colour(Some("CLICOLOR_FORCE"), &["--color", "never"]));
    assert!(!has_colour(Some("NO_COLOR"), &[]));
    let before = coloured(None, &["--color", "always", "check", "@traffic_light.btor2", "-q"]);
    assert_eq!(before.stdout, "\u{1b}[1m\u{1b}[31munsafe\u{1b}[0m\n");
}

#[test]
fn colours_only_repeat_what_words_say() {
    for name in ["@traffic_light.btor2", "@peterson.btor2", "@several.btor2", "@overdraft.bpl"] {
        let plain = coloured(None, &["check", name, "--seed", "1"]).stdout;
        let colour = coloured(None, &["check", name, "--seed", "1", "--color", "always"]).stdout;
        let mut rest = colour.as_str();
        let mut stripped = String::new();
        while let Some((before, after)) = rest.split_once(ESCAPE) {
            stripped += before;
            rest = after.split_once('m').expect("a style ends").1;
        }
        stripped += rest;
        // Changes are bold instead of marked, and times differ.
        let words = |text: &str| -> Vec<String> {
            let is_time = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
            let text = text.replace('*', " ");
            text.split_whitespace().filter(|word| !is_time(word)).map(str::to_owned).collect()
        };
        assert_eq!(words(&stripped), words(&plain), "{name}");
    }
}

#[test]
fn data_and_files_have_no_colours() {
    let json = coloured(None, &["check", "@traffic_light.btor2", "--json", "--color", "always"]);
    assert!(!json.stdout.contains(ESCAPE), "{}", json.stdout);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("w.txt");
    let witness = file.to_str().unwrap();
    let words = ["check", "@traffic_light.btor2", "--witness", witness, "--color", "always"];
    assert_eq!(coloured(None, &words).code, UNSAFE);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(ESCAPE));
}

#[test]
fn errors_have_colours_as_well() {
    let error = coloured(None, &["--color", "always", "check", "missing.btor2"]);
    assert!(error.stderr.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{}", error.stderr);
    let usage = coloured(None, &["check", "--no-such-option", "--color", "always"]);
    assert!(usage.stderr.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m"), "{}", usage.stderr);
    let usage = coloured(None, &["check", "--no-such-option", "--color", "never"]);
    assert!(usage.stderr.starts_with("error:"), "{}", usage.stderr);
}
