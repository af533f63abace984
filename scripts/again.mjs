/**
 * Runs a suite again and again in random order, beside processes that keep the cores busy, to find tests that fail now and then. It
 * prints each seed, and at the end the tests that failed, with a command that repeats the order of such a run. Exits 1 if any failed.
 *
 *   npm run again -- [--times 10] [--busy 2] [--seed n] [test | test:nodes | … | drills] [file ...]
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { failuresOf } from "./test-reports.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const SUITES = Object.keys(scripts).filter((name) => /^(?:test\b|drills$)/.test(name))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "10" },
    busy: { type: "string", default: "2" },
    seed: { type: "string" },
  },
})
const [suite, files] = SUITES.includes(positionals[0] ?? "")
  ? [positionals[0], positionals.slice(1)]
  : ["test", positionals]
if (suite === "test" && files.some((file) => file.startsWith("test:"))) {
  console.error(`There is no suite ${files[0]}; there are ${SUITES.join(", ")}.`)
  process.exit(2)
}
const count = (name, most) => {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= 0 && value <= most) return value
  console.error(`--${name}: an integer from 0 to ${most}`)
  process.exit(2)
}
const times = count("times", 1000)
const busy = count("busy", 64)
const given = values.seed === undefined ? undefined : count("seed", 2 ** 31)

const loops = Array.from({ length: busy }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }))
const endLoops = () => {
  for (const loop of loops) loop.kill("SIGKILL")
}
/** Ends the run that is under way with all its processes. */
let endRun
process.once("exit", () => {
  endLoops()
  endRun?.()
})
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const folder = mkdtempSync(join(tmpdir(), "gathercue-again-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const orderOf = (seed) => ["--sequence.shuffle", `--sequence.seed=${seed}`]

/** Resolves to the failed tests of one run; a run that reports nothing counts as one failed test. */
const runOnce = (seed) =>
  new Promise((resolve) => {
    const report = join(folder, `${seed}.json`)
    const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`]
    const runner = spawn("npm", ["run", "--silent", suite, "--", ...files, ...orderOf(seed), ...reporters], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    })
    endRun = () => process.kill(-runner.pid, "SIGTERM")
    runner.once("exit", (code) => {
      endRun = undefined
      const failures = failuresOf(report)
      if (code !== 0 && failures.length === 0) failures.push({ name: "the run itself", message: `exit code ${code}` })
      resolve(failures)
    })
  })

/** By the name of the test: how often it failed, in which orders, and with which message at first. */
const found = new Map()
for (let n = 1; n <= times; n++) {
  const seed = given ?? randomInt(2 ** 31)
  const began = performance.now()
  const failures = await runOnce(seed)
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `${n} of ${times}: seed ${seed}, ${seconds} s, ${failures.length === 0 ? "green" : `${failures.length} failed`}`,
  )
  for (const { name, message } of failures) {
    console.log(`  ${name}\n    ${message.split("\n").slice(0, 3).join("\n    ")}`)
    const seen = found.get(name) ?? { seeds: [], message }
    found.set(name, { ...seen, seeds: [...seen.seeds, seed] })
  }
}

endLoops()
console.log(`\n${suite}, ${times} times beside ${busy} busy loops: ${found.size} tests failed`)
for (const [name, { seeds }] of [...found].sort(([, a], [, b]) => b.seeds.length - a.seeds.length)) {
  console.log(`${String(seeds.length).padStart(4)}  ${name}\n      npm run ${suite} -- ${orderOf(seeds[0]).join(" ")}`)
}
process.exit(found.size === 0 ? 0 : 1)
