/** Requests that schemathesis derives from the description, to every operation: what it finds wrong is none of the product's faults. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createLiveEvent, createWorkspace } from "../test/support/api.ts"
import { startTestServer } from "../test/support/server.ts"
import { descriptionIn, tools, workFolder } from "./support/generation.ts"
import { run } from "./support/running.ts"

/** As many examples of each operation beside those that schemathesis computes from the bounds of its schemas. */
const EXAMPLES = 1

/** Findings of the tool, by what it says and what the server answered. Each is described; no schema can say it. */
const KNOWN: ReadonlyArray<readonly [finding: RegExp, reason: string]> = [
  [/^ST101 GET \/v1\/auth\/idp\/\S+ 501 idp_not_configured/, "501 is documented: this server has no provider"],
  [/^ST201 .* (?:413|431) /, "too large is refused, by a status that the tool does not count as a refusal"],
  [/^ST202 GET .* 400 bad_request cursor: not one that a page of ours gave/, "a cursor comes from the page before"],
  [/^ST202 GET \/v1\/occurrences 400 bad_request after: not one that an answer of ours gave/, "so does this one"],
  [/^ST202 GET \/v1\/gateway\/stream 400 bad_request last-event-id: not the id of an event/, "and so does this one"],
  [/^ST202 POST .* 400 invalid_token/, "a one-time token comes from an email"],
  [/^ST202 POST \S+\/memberships 400 role_not_on_event/, "the roles that an event takes are its settings"],
  [/^ST202 POST \/v1\/webhooks 400 bad_request eventId: not an event of/, "so are the events of a workspace"],
  [/^ST202 POST .* 422 idempotency_key_reused/, "the tool sends another body under the same key"],
  [/^ST202 POST \/v1\/mcp 400/, "the rules of MCP for a message and its headers"],
  [/^ST202 .* timeZone: must be a time zone of the IANA database/, "the names of time zones are data of the runtime"],
  [/^ST202 .* coverUrl: must be an https address without a user/, "which addresses a browser reads is no schema"],
  [/^ST202 .* password: must not be a common password/, "the list of common passwords is no schema"],
  [/^ST202 POST \S+\/commands\S* 400 bad_request \S*targets: Expected "all" \| array/, "a word or a list has no type"],
  [/^ST202 PUT \S+\/forms\/\S+ 400 bad_request questions\./, "what a question has depends on its kind"],
  [/^ST202 POST \S+\/(?:register|answers) 400 bad_request answers/, "answers depend on the questions of the event"],
  [/^ST202 POST \S+\/registrations\/import 400 bad_request body: /, "the columns of a file are questions of the event"],
  [/^ST202 PUT \/v1\/events\/\{id\}\/phases\/order .* phaseIds: \S+ (?:is missing|is not)/, "the phases of the event"],
]

interface Check {
  readonly status: string
  readonly failure_info?: { readonly failure: { readonly code: string; readonly operation: string } }
}
interface Interaction {
  readonly response?: { readonly status_code: number; readonly content?: { readonly $base64: string } } | null
}
interface Scenario {
  readonly recorder: {
    readonly checks: { readonly [id: string]: ReadonlyArray<Check> } | null
    readonly interactions: { readonly [id: string]: Interaction } | null
  }
}

/** The code and the words of a problem, or as much of another body as shows what it is. */
const wordsOf = (body: string): string => {
  try {
    const { code, detail } = JSON.parse(body) as { readonly code?: string; readonly detail?: string }
    return `${code} ${detail}`
  } catch {
    return body.slice(0, 200)
  }
}

const findingsOf = ({ recorder }: Scenario): ReadonlyArray<string> =>
  Object.entries(recorder.checks ?? {}).flatMap(([id, checks]) =>
    checks.flatMap(({ failure_info: info }) => {
      if (info === undefined) return []
      const { status_code: status, content } = recorder.interactions?.[id]?.response ?? {}
      const body = Buffer.from(content?.$base64 ?? "", "base64").toString()
      return `${info.failure.code} ${info.failure.operation} ${status} ${wordsOf(body)}`
    }),
  )

test("no answer is against the description, and what is refused is refused for a reason that no schema can say", async () => {
  const server = await startTestServer()
  const folder = await workFolder()
  const report = join(folder, "report.ndjson")
  try {
    const { key } = await createWorkspace(server.url)
    await createLiveEvent(server.url, key, { phases: [{ modality: "meeting" }] })
    const input = await descriptionIn(folder, server.url)
    const options = [
      ["--url", server.url, "-H", `x-api-key: ${key}`, "--workers", "2", "--no-color"],
      ["--phases", "examples,coverage,fuzzing", "--max-examples", String(EXAMPLES), "--continue-on-failure"],
      ["--seed", "1", "--generation-database", "none", "--no-shrink"],
      ["--report", "ndjson", "--report-ndjson-path", report],
    ].flat()
    // It ends with 1 where it found anything.
    const command = ["-m", "schemathesis.cli", "run", input, ...options]
    // It keeps what it found in the folder that it runs in.
    const printed = await run(join(tools().python, "python"), command, { cwd: folder }).catch((cause: unknown) =>
      String(cause),
    )
    const events = (await readFile(report, "utf8").catch(() => Promise.reject(new Error(printed)))).trim().split("\n")
    const scenarios = events.flatMap((line) => {
      const { ScenarioFinished } = JSON.parse(line) as { readonly ScenarioFinished?: Scenario }
      return ScenarioFinished ?? []
    })
    const requests = scenarios.flatMap(({ recorder }) => Object.keys(recorder.interactions ?? {}))
    expect(printed).toMatch(/Tested: (?:\d{3})/)
    expect(requests.length).toBeGreaterThan(3000)
    const findings = new Set(scenarios.flatMap(findingsOf))
    expect([...findings].filter((finding) => !KNOWN.some(([known]) => known.test(finding))).toSorted()).toEqual([])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  } finally {
    await server.stop()
  }
})
