/**
 * Runs all checks and suites, two steps at a time, as two cores allow. Prints the output of a step
 * when it ends, then a table of times and processor seconds, the ten slowest tests, and for each step that failed its first failure and the command that
 * repeats it alone. Nothing is run twice. The last line counts tests; a step without tests counts as one failed test if it fails.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { failuresOf, filesOf } from "./test-reports.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "gathercue-ci-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

/** `minutes`: about five times those of two idle cores; a step that hangs must not hang the rest. */
const step = (name, minutes, command, more = {}) => ({ name, minutes, command, ...more })
const suite = (script, minutes, files = "", part = "") =>
  step(`${script} ${part}`.trim(), minutes, `npm run ${script} -- ${files}`.trim(), { script })
const chaos = (name, options) => step(name, 12, `npm run chaos -- ${options}`)

/** Programs that suites need, by Debian's name, with the command that shows that they are here. */
const PROGRAMS = {
  ffmpeg: "ffmpeg -version",
  "chromium-headless-shell": "chromium-headless-shell --version",
  curl: "curl --version",
  coturn: "turnserver --version",
  "nats-server": "nats-server --version",
  nginx: "/usr/sbin/nginx -v",
  haproxy: "/usr/sbin/haproxy -v",
  caddy: "caddy version",
  prometheus: "promtool --version",
  "python3-swift": "/usr/bin/python3 -c 'import swift'",
  "default-jdk-headless": "javac -version",
  maven: "mvn -version",
  "python3-venv": "python3 -c 'import venv, ensurepip'",
}
const missing = Object.entries(PROGRAMS)
  .map(([name, shows]) => `(${shows}) > /dev/null 2>&1 || packages="$packages ${name}"`)
  .join("; ")
const install = `packages=; ${missing}; [ -z "$packages" ] || { apt-get update && apt-get install -y --no-install-recommends $packages; }`

/** The part of the suite over nodes that crosses nodes most; `npm run test:nodes` alone runs all. */
const NODES = [
  "test-nodes",
  "test/e2e",
  "test/webhooks/dispatcher.test",
  ...["events", "questions"].map((name) => `test/http/${name}`),
  ...["breakout-end", "commands", "departures", "lobby", "presence", "return", "revocation", "rotation", "streams"].map(
    (name) => `test/gateway/${name}`,
  ),
].join(" ")
/** Faults of a few seconds; those that last longer are left to longer runs. */
const SHORT_FAULTS =
  "kill,term,pause,freeze,backend,terminate,restart-fast,commit-reply,commit-lost,replies,reset,latency,half-close,rush"
const NODE_FAULTS = "node-kill,node-term,node-partition,nats-kill,fence,backend,terminate,reset"

/** The drills that take about a minute and assert no speed of the machine; the others are for a quiet machine, and Go. */
const DRILLS = ["gateway-promises", "proxy-logs", "service-levels"].map((name) => `test-drills/${name}`).join(" ")

/** No suite begins before its programs are installed. */
const PREPARATION = [
  step("install programs", 10, install),
  step("check", 10, "npm run check"),
  // Knip reads types with a TypeScript of its own, beside the one of the project.
  step("unused files and exports", 10, "npm run unused"),
  step("check of the benchmarks", 10, "cd benchmarks && npm ci --no-audit --no-fund && npm run check"),
]
/**
 * The longest first, so that both lanes end at about the same time. The last two are skipped where a toolchain is missing or cannot be
 * fetched: the first line of their output says which.
 */
const SUITES = [
  suite("test", 45),
  suite("test:browser", 30, "--project pages", "of pages"),
  suite("test:nodes", 25, NODES),
  suite("test:processes", 25),
  suite("test:media", 20),
  { ...suite("drills", 10), command: `npm run drills -- ${DRILLS}` },
  { ...suite("test:languages", 20), needs: "node scripts/sdk-tools.mjs languages", skippedBy: 2 },
  { ...suite("test:sdks", 20), needs: "node scripts/sdk-tools.mjs", skippedBy: 2 },
]
/** Crowds of browsers and faults want the processor at once, which a suite of many workers beside them does not leave. */
const CROWDS = [
  suite("test:browser", 30, "--project crowds", "of crowds"),
  chaos("chaos", `--minutes 1 --database external --faults ${SHORT_FAULTS}`),
  chaos("chaos over three nodes", `--nodes 3 --minutes 0.7 --faults ${NODE_FAULTS}`),
  // The build of the newest release, or of the commit before, beside this one. A shallow clone has neither: exit code 2.
  { ...chaos("chaos beside the build before", "--nodes 3 --beside previous --minutes 0.4"), skippedBy: 2 },
]
const LANES = 2

const reportOf = ({ name }) => join(folder, `${name.replaceAll(/\W+/g, "-")}.json`)
/** Processor seconds of a step: bash writes its own and, in the second line, those of all processes that it waited for. */
const timesOf = ({ name }) => join(folder, `${name.replaceAll(/\W+/g, "-")}.times`)
const processorSeconds = (one) => {
  const [, children = ""] = readFileSync(timesOf(one), "utf8").split("\n")
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + minutes * 60 + Number(rest),
    0,
  )
}
const logOf = ({ name }) => join(folder, `${name.replaceAll(/\W+/g, "-")}.log`)

/** Ends the step with all processes that it started. */
const endGroup = (child, signal) => {
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It has ended.
  }
}

const outcomeOf = ({ skippedBy }, code, isLate) => {
  if (code === 0) return "passed"
  if (isLate) return "out of time"
  return code === skippedBy ? "skipped" : "failed"
}

const run = (one) =>
  new Promise((resolve) => {
    const reporters =
      one.script !== undefined ? ` --reporter=default --reporter=json --outputFile.json=${reportOf(one)}` : ""
    const log = openSync(logOf(one), "w")
    const began = performance.now()
    const command = `${one.needs === undefined ? "" : `${one.needs} || exit $?; `}${one.command}${reporters}`
    writeFileSync(timesOf(one), "")
    const child = spawn("bash", ["-c", `trap 'times > "${timesOf(one)}"' EXIT\n${command}`], {
      cwd: root,
      stdio: ["ignore", log, log],
      detached: true,
    })
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      endGroup(child, "SIGTERM")
      setTimeout(() => endGroup(child, "SIGKILL"), 30_000).unref()
    }, one.minutes * 60_000)
    child.once("exit", (code) => {
      clearTimeout(deadline)
      const seconds = Math.round((performance.now() - began) / 1000)
      resolve({ ...one, seconds, outcome: outcomeOf(one, code, isLate) })
    })
  })

/** The tests that are marked as failed and the end, of a step that left no report. */
const tellingLines = (log) => {
  const lines = log.trimEnd().split("\n")
  return [
    ...lines
      .slice(0, -40)
      .filter((line) => /[×✗]|FAIL/.test(line))
      .slice(0, 40),
    ...lines.slice(-40),
  ]
}

const done = []
const lane = async (waiting) => {
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const result = await run(one)
    done.push(result)
    console.log(`\n=== ${one.name}: ${result.outcome}, ${result.seconds} s\n${readFileSync(logOf(one), "utf8")}`)
  }
}
const began = performance.now()
for (const steps of [PREPARATION, SUITES, CROWDS]) {
  const waiting = [...steps]
  await Promise.all(Array.from({ length: LANES }, () => lane(waiting)))
}

const tests = done.flatMap((one) =>
  one.script !== undefined
    ? filesOf(reportOf(one)).flatMap(({ name, assertionResults }) =>
        assertionResults.map((test) => ({ ...test, suite: one.name, file: name })),
      )
    : [],
)
const clock = (seconds) => {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`
}
const passed = tests.filter(({ status }) => status === "passed").length
/** The last lines of a step without a report: what follows its heading of broken promises, where it has one. */
const lastLines = (log) => {
  const lines = log.split("\n").filter((line) => line.trim() !== "")
  const heading = lines.lastIndexOf("Broken promises:")
  return (heading < 0 ? lines.slice(-5) : lines.slice(heading)).slice(0, 5)
}
let failed = 0
/** Repeated beside the totals, because a log that is cut keeps its end. */
const inShort = []
for (const one of done.filter(({ outcome }) => outcome === "failed" || outcome === "out of time")) {
  const failures = one.script !== undefined ? failuresOf(reportOf(one)) : []
  failed += Math.max(1, failures.length)
  console.log(`\n=== ${one.outcome}: ${one.name}`)
  for (const { name, message } of failures) console.log(`${name}\n${message}\n`)
  const [first] = failures
  const alone = first === undefined ? one.command : `npm run ${one.script} -- ${first.name.split(":")[0]}`
  const log = first === undefined ? readFileSync(logOf(one), "utf8") : ""
  if (first === undefined) console.log(tellingLines(log).join("\n"))
  const telling = first === undefined ? lastLines(log) : failures.map(({ name, message }) => `${name}: ${message}`)
  inShort.push(...telling.map((line) => `${one.name}  ${line.replaceAll(/\s+/g, " ").slice(0, 400)}`))
  console.log(`repeat it alone: ${alone}`)
}
console.log("\n=== times")
let processor = 0
for (const one of done) {
  const busy = processorSeconds(one)
  processor += busy
  console.log(`${clock(one.seconds).padStart(6)}  ${one.outcome.padEnd(8)} ${one.name} (${clock(busy)} of a processor)`)
}
console.log(
  `${clock((performance.now() - began) / 1000).padStart(6)}  all, two steps side by side (${clock(processor)} of a processor)`,
)
console.log("\n=== the ten slowest tests")
for (const { suite, file, fullName, duration } of tests.toSorted((a, b) => b.duration - a.duration).slice(0, 10)) {
  console.log(`${(duration / 1000).toFixed(1).padStart(6)} s  ${suite}  ${file}: ${fullName}`)
}

if (inShort.length > 0) console.log(`\n=== what failed, in short\n${inShort.slice(0, 20).join("\n")}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
