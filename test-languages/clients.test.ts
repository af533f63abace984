/** Both clients keep every promise that the conformance kit checks, and for each promise there is a fault that breaks it alone. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { checkClient } from "../packages/conformance/src/check-client.ts"
import { CLIENT_PROMISES } from "../packages/conformance/src/client-promises.ts"
import type { Report } from "../packages/conformance/src/report.ts"
import { SERVER_PROMISES } from "../packages/conformance/src/server-promises.ts"
import { builtClient } from "../test/support/compiled.ts"
import { PATIENCE_MS } from "../test/support/patience.ts"
import { inPackages, installPython, ROOT } from "./support/programs.ts"

/** As long as a broken promise is waited for. The vectors have waits of up to eight seconds. */
const FAULT_PATIENCE_MS = 20_000
/** A vector mostly waits. Each job is a process, which a busy machine starts slowly. */
const JOBS = 4

const FAULTS: ReadonlyArray<readonly [promise: string, fault: string]> = [
  ["resume", "forgets its position"],
  ["replay", "tells a dispatch twice"],
  ["order", "reads a frame from its end"],
  ["gap", "never asks for what is missing"],
  ["drain", "does not heed `op 7`"],
  ["closes", "goes on after a removal"],
  ["waits", "waits without jitter"],
  ["heartbeats", "takes its own heartbeat for an answer"],
  ["tokens", "keeps its first token"],
  ["commands", "repeats a command under another id"],
  ["budgets", "sends all commands at once"],
  ["lobby", "does not know the lobby"],
  ["stream", "sends its frames without the session"],
]

let client: string
beforeAll(async () => {
  client = join(await builtClient(), "dist/index.js")
})

const brokenIn = ({ outcomes }: Report) =>
  outcomes.filter(({ state }) => state === "failed").map(({ id, detail }) => `${id}: ${detail}`)

test("the TypeScript client keeps every promise", async () => {
  const command = [process.execPath, inPackages("conformance/adapters/typescript.mjs"), client]
  const report = await checkClient({ command, jobs: JOBS, patienceMs: PATIENCE_MS })
  expect([brokenIn(report), report.errors]).toEqual([[], ""])
  expect(report.outcomes.filter(({ state }) => state === "ok").length).toBe(Object.keys(CLIENT_PROMISES).length)
})

test("the Python client keeps every promise but that of a transport it does not have", async () => {
  const { python } = await installPython(afterAll)
  const adapter = inPackages("conformance/adapters/gathercue_adapter.py")
  const command = [python, "-X", "dev", "-W", "error", adapter]
  const report = await checkClient({ command, jobs: JOBS, patienceMs: PATIENCE_MS })
  expect([brokenIn(report), report.errors]).toEqual([[], ""])
  expect(report.outcomes.filter(({ state }) => state === "skipped").map(({ id }) => id)).toEqual(["stream"])
})

describe.concurrent("a fault", () => {
  for (const [promise, fault] of FAULTS)
    test(`breaks \`${promise}\` alone: the client ${fault}`, async (context) => {
      const program = join(ROOT, "test-languages/support/broken-client.mjs")
      const command = [process.execPath, program, client, fault, join(ROOT, "node_modules/ws/index.js")]
      // A busy machine may take longer for a vector that is kept than a broken promise is waited for.
      const others = Object.keys(CLIENT_PROMISES).filter((id) => id !== promise)
      const [own, kept] = await Promise.all([
        checkClient({ command, jobs: 1, patienceMs: FAULT_PATIENCE_MS, only: [promise] }),
        checkClient({ command, jobs: JOBS, patienceMs: PATIENCE_MS, only: others }),
      ])
      context.expect([own.outcomes.map(({ state }) => state), brokenIn(kept)]).toEqual([["failed"], []])
    })
})

test("each promise of a client has a fault", () => {
  expect(FAULTS.map(([promise]) => promise)).toEqual(Object.keys(CLIENT_PROMISES))
})

test("each promise is a sentence of the documentation", () => {
  const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8").replaceAll(/\s+/g, " ")
  const promises = [...Object.values(CLIENT_PROMISES), ...SERVER_PROMISES]
  const absent = promises.filter(({ sentence, source }) => !textOf(source.split("#")[0] ?? "").includes(sentence))
  expect(absent.map(({ sentence }) => sentence)).toEqual([])
})
