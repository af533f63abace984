/** The calls of the README and of the guides, run as they are printed, in order and in one shell, with curl and ffmpeg, against a server of the test. */
import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { blocksOf, CALLS } from "../test/support/code-blocks.ts"
import { startTestServer, type TestServer } from "../test/support/server.ts"

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  folder = mkdtempSync(join(tmpdir(), "readme-"))
  const film = ["-f", "lavfi", "-i", "testsrc=size=320x180:rate=25", "-f", "lavfi", "-i", "sine", "-t", "3"]
  for (const name of ["talk.mp4", "opening.mp4"]) {
    execFileSync("ffmpeg", ["-v", "error", ...film, "-pix_fmt", "yuv420p", join(folder, name)])
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})

const BASE = "BASE=http://127.0.0.1:8080"

/** The calls of the documents, of which none may be refused. */
const run = async (documents: ReadonlyArray<string>): Promise<number> => {
  const blocks = documents.flatMap(blocksOf)
  const printed = blocks.flatMap(({ language, code }) =>
    language === "sh" && code.includes("curl -sS ") ? [code] : [],
  )
  const text = printed.join("\n")
  expect(text).toContain(BASE)
  // Each call tells its status on standard error; everything else is as it is printed.
  const script = [
    "set -eu",
    `curl() { command curl -w '%{stderr}%{http_code} %{method} %{url}\\n' "$@"; }`,
    `ffmpeg() { command ffmpeg -v error -nostdin "$@"; }`,
    text.replace(BASE, `BASE=${server.url}`),
  ].join("\n")
  const { stderr } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, timeout: 300_000 })
  const answers = stderr.trim().split("\n")
  expect(answers.filter((line) => !/^20[0-4] /.test(line))).toEqual([])
  expect(answers).toHaveLength(text.match(/curl -sS /g)?.length ?? 0)
  return answers.length
}

test("the first event of the README runs, and no call is refused", async () => {
  expect(await run(["README.md"])).toBe(5)
})

test("the guides run from the first to the last, and no call is refused", async () => {
  expect(await run(CALLS)).toBeGreaterThan(20)
})
