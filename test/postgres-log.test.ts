/** The log of PostgreSQL, as Compose configures it, has no values that are credentials or of people. */
import { readFileSync } from "node:fs"
import { parseYaml } from "@redocly/openapi-core"
import postgres from "postgres"
import { expect, onTestFinished, test } from "vitest"
import { startEmbeddedPostgres } from "../src/store/embedded/postgres.ts"
import { temporaryFolder } from "./support/temporary-folder.ts"
import { eventually } from "./support/wait.ts"

interface Compose {
  readonly services: { readonly postgres: { readonly command: ReadonlyArray<string> } }
}

const SECRET = "planted-credential-0123456789"

const compose = parseYaml(readFileSync(new URL("../deploy/compose.yaml", import.meta.url), "utf8")) as Compose

/** `-c name=value`, more than once. */
const settings = compose.services.postgres.command
  .filter((word) => word.includes("="))
  .map((word) => word.split("=", 2) as [string, string])

/** What PostgreSQL sets where nobody has said otherwise. */
const DEFAULTS = {
  log_error_verbosity: "default",
  log_min_error_statement: "error",
  log_statement: "none",
  log_min_duration_statement: "-1",
  log_parameter_max_length_on_error: "0",
}

test("a statement that fails leaves none of its values in PostgreSQL's log, which it would by default", async () => {
  const log: string[] = []
  const server = await startEmbeddedPostgres({
    dataDir: await temporaryFolder(),
    onLog: (line) => log.push(line),
    settings: { fsync: "off" },
  })
  onTestFinished(() => server.stop())
  const failures = async (given: Readonly<Record<string, string>>): Promise<string> => {
    const from = log.length
    const sql = postgres(server.url, { max: 1, onnotice: () => {} })
    try {
      for (const [name, value] of Object.entries(given)) await sql`select set_config(${name}, ${value}, false)`
      await sql`create temp table links (token text unique, uses int check (uses > 0))`
      const insert = (token: string, uses: number) => sql`insert into links values (${token}, ${uses})`
      await insert(SECRET, 1)
      for (const work of [
        () => insert(SECRET, 1),
        () => insert(SECRET, 0),
        () => sql`select 1 / (length(${SECRET}) - ${SECRET.length})`,
        () => sql.unsafe(`select '${SECRET}' from nowhere`),
      ]) {
        await expect(work()).rejects.toThrow()
      }
    } finally {
      await sql.end()
    }
    const ended = () => log.slice(from).filter((line) => line.startsWith("ERROR:")).length === 4
    await eventually(ended, "the failures to be logged")
    return log.slice(from).join("\n")
  }
  expect(Object.keys(DEFAULTS).toSorted()).toEqual(settings.map(([name]) => name).toSorted())
  const byDefault = await failures(DEFAULTS)
  expect(byDefault).toContain(`Key (token)=(${SECRET}) already exists`)
  expect(byDefault).toContain(`Failing row contains (${SECRET}, 0)`)
  expect(byDefault).toContain(`select '${SECRET}' from nowhere`)
  expect(await failures(Object.fromEntries(settings))).not.toContain(SECRET)
})
