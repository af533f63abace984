/**
 * Tests wait for signals, and assert no speed of the machine. A wait for a time, a timer, and a comparison of a clock with a number
 * need a reason: the comment `// timed: <reason>` on the line or the line before. Lists every breach and exits 1.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const FOLDERS = [
  "test",
  "test-media",
  "test-nodes",
  "test-processes",
  "test-browser",
  "test-drills",
  "test-livekit",
  "test-languages",
  "test-sdks",
]

const RULES = [
  [/\bset(?:Timeout|Interval)\(/, "waits for a time; wait for a signal"],
  [/\b(?:Effect\.)?(?:sleep|delay)\(|Atomics\.wait\(|waitForTimeout\(/, "waits for a time; wait for a signal"],
  [
    /(?:performance|Date)\.now\(\).*\.toBe(?:Less|Greater)Than|toBe(?:Less|Greater)Than\w*\(.*(?:performance|Date)\.now\(\)/,
    "asserts a time that the machine decides",
  ],
  [
    /\b(?:took|tookMs|elapsed|elapsedMs|duration)\)\.toBe(?:Less|Greater)Than/,
    "asserts a time that the machine decides",
  ],
  [/\b(?:performance|Date)\.now\(\)(?: - \w+)? *[<>]/, "compares a clock with a number"],
]
const REASON = /\/\/ timed: \S/

const files = execFileSync("git", ["ls-files", "--", ...FOLDERS.map((folder) => `${folder}/*.ts`)], {
  cwd: root,
  encoding: "utf8",
})
const breaches = []
for (const file of files.trim().split("\n")) {
  const lines = readFileSync(`${root}/${file}`, "utf8").split("\n")
  lines.forEach((line, at) => {
    const rule = RULES.find(([pattern]) => pattern.test(line))
    const hasReason = REASON.test(line) || REASON.test(lines[at - 1] ?? "")
    if (rule !== undefined && !hasReason)
      breaches.push(`${file}:${at + 1}: ${rule[1]}, or give the reason: ${line.trim()}`)
  })
}
for (const breach of breaches) console.error(breach)
if (breaches.length > 0) process.exit(1)
console.log(`${files.trim().split("\n").length} files of tests wait for signals, or give a reason`)
