"""BenchExec's tool-info module of Elinvar (https://github.com/sosy-lab/benchexec).

Put this file into a package that Python finds, and name it as `tool` in the benchmark definition:
PYTHONPATH=contrib/benchexec benchexec contrib/benchexec/elinvar.xml
"""

import json
import re

import benchexec.result as result
import benchexec.tools.template

# The exit codes of `elinvar check`, see the chapter "For scripts" of the book.
VERDICTS = {
    20: result.RESULT_TRUE_PROP,
    10: result.RESULT_FALSE_PROP,
    0: result.RESULT_UNKNOWN,
}
# The first word on standard output says the same.
WORDS = {"safe": 20, "unsafe": 10, "reached": 20, "unreachable": 10, "unknown": 0}
ERRORS = {
    2: "ERROR (input or options)",
    3: "ERROR (evidence refused)",
    4: "ERROR (limit before a verdict)",
}


class Tool(benchexec.tools.template.BaseTool2):
    """Elinvar, a symbolic model checker for AIGER, BTOR2, Verilog and Boogie."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("elinvar", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="elinvar")

    def name(self):
        return "Elinvar"

    def cmdline(self, executable, options, task, rlimits):
        limits = []
        # Elinvar ends in an orderly way below the limit, and then says what it knows.
        if rlimits.memory and "--memory" not in options:
            limits += ["--memory", str(max(1, int(rlimits.memory * 0.9) // 2**20))]
        if rlimits.walltime and "--timeout" not in options:
            limits += ["--timeout", str(max(1, rlimits.walltime - 2))]
        return [executable, "check", *options, *limits, *task.input_files_or_identifier]

    def determine_result(self, run):
        code = run.exit_code.value
        # BenchExec itself says when a limit has ended the run.
        if code is None:
            return result.RESULT_ERROR
        if code in ERRORS:
            return ERRORS[code]
        if code not in VERDICTS:
            return f"{result.RESULT_ERROR} ({code})"
        # A verdict counts only if the exit code and the output agree.
        if WORDS.get(self._verdict(run.output)) != code:
            return f"{result.RESULT_ERROR} (exit code {code} contradicts the output)"
        return VERDICTS[code]

    @staticmethod
    def _verdict(output):
        report = _report(output)
        if report is not None:
            return report.get("verdict")
        words = re.split(r"\W", output[0].strip(), maxsplit=1) if output else []
        return words[0] if words else None

    def get_value_from_output(self, output, identifier):
        """A column of a table: a key of the JSON report (with the option --json), such as
        `engine`, `check_seconds`, or `properties.0.depth`."""
        value = _report(output)
        for key in identifier.split("."):
            if isinstance(value, list) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, dict):
                value = value.get(key)
            else:
                return None
        if value is None or isinstance(value, (dict, list)):
            return None
        return str(value)


def _report(output):
    """The JSON report in the output, if there is one."""
    text = "".join(line if line.endswith("\n") else line + "\n" for line in output)
    start = text.find("{")
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text[start:])[0]
    except json.JSONDecodeError:
        return None
