/** The rules and the boards of `deploy/monitoring/` ask for metrics that the server has, with labels that they have. */
import { readFile } from "node:fs/promises"
import { beforeAll, expect, test } from "vitest"
import { CLOSE } from "../src/protocol/wire/close-codes.ts"
import { RELEASE } from "../src/protocol/wire/release.ts"
import { createTestDatabase } from "./support/database.ts"
import { startServerProcess } from "./support/server-process.ts"
import { eventually } from "./support/wait.ts"

const SECRET_KEY = "secret-key-of-the-tests-0123456789abcdef"

const METRIC = /\b((?:gathercue|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g
/** Added by Prometheus when it scrapes, and by the recording rules of the service levels. */
const ADDED = new Set(["job", "instance", "slo"])
/** A start collects garbage more than once. */
const COLLECTED = /^nodejs_gc_duration_seconds_count\{kind="minor"\} [1-9]/m

let page: string

/** The page that Prometheus reads of a process that did nothing before: other tests' metrics are in this one. */
beforeAll(async () => {
  const database = await createTestDatabase()
  const server = await startServerProcess({ DATABASE_URL: database.url, SECRET_KEY, PORT: "0" })
  const scrape = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text()
  // The durations of a route begin with its first answer. A process is told of its garbage collections some time after them.
  await eventually(async () => COLLECTED.test(await scrape()), "a garbage collection")
  page = await scrape()
  await server.end("SIGTERM")
  await database.drop()
})

/** Label names by metric. */
const offered = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const labels = new Map<string, Set<string>>()
  for (const line of page.split("\n")) {
    const [, name, given = ""] = /^([a-z0-9_]+)(?:\{([^}]*)\})? /.exec(line) ?? []
    if (name === undefined) continue
    const known = labels.get(name) ?? new Set()
    for (const [, label = ""] of given.matchAll(/(\w+)="/g)) known.add(label)
    labels.set(name, known)
  }
  return labels
}

const read = (file: string): Promise<string> =>
  readFile(new URL(`../deploy/monitoring/${file}`, import.meta.url), "utf8")

/** The expressions of all files, as Prometheus gets them. */
const expressions = async (): Promise<ReadonlyArray<string>> => {
  const rules = `${await read("alerts.yaml")}${await read("slo.yaml")}`
  const found = Array.from(rules.matchAll(/\bexpr: (.*?)(?: })?$/gm), ([, expression = ""]) => expression)
  for (const file of ["grafana.json", "slo-grafana.json"]) {
    const board = JSON.parse(await read(file)) as {
      readonly panels: ReadonlyArray<{ readonly targets?: ReadonlyArray<{ readonly expr: string }> }>
    }
    found.push(...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))
  }
  return found
}

interface Asked {
  readonly metrics: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
}

const askedIn = (expression: string): Asked => {
  const found = Array.from(expression.matchAll(METRIC))
  const matched = found.flatMap(([, , matchers = ""]) =>
    Array.from(matchers.matchAll(/(\w+)=/g), ([, label = ""]) => label),
  )
  const grouped = Array.from(expression.matchAll(/by \(([^)]*)\)/g)).flatMap(([, list = ""]) => list.split(", "))
  return { metrics: found.map(([, name = ""]) => name), labels: [...matched, ...grouped] }
}

test("every metric and label that an alert or a panel asks for is offered", async () => {
  const known = offered()
  const all = await expressions()
  expect(all.length).toBeGreaterThan(75)
  for (const expression of all) {
    const { metrics, labels } = askedIn(expression)
    expect([expression, metrics.filter((name) => !known.has(name))]).toEqual([expression, []])
    const has = new Set([...ADDED, ...metrics.flatMap((name) => [...(known.get(name) ?? [])])])
    expect([expression, labels.filter((label) => !has.has(label))]).toEqual([expression, []])
  }
})

test("the levels and budgets that rules and boards ask for are recorded", async () => {
  const recorded = Array.from((await read("slo.yaml")).matchAll(/record: "?(gathercue:[\w:]+)/g), ([, name]) => name)
  const asked = (await expressions()).flatMap((expression) => expression.match(/gathercue:[\w:]+/g) ?? [])
  expect(asked.length).toBeGreaterThan(10)
  expect([...new Set(asked)].filter((name) => !recorded.includes(name))).toEqual([])
})

test("no metric is without a description, and none of ours is missing from the page", () => {
  const described = new Set(Array.from(page.matchAll(/^# HELP (\S+) \S/gm), ([, name]) => name))
  for (const [, name] of page.matchAll(/^# TYPE (\S+)/gm)) expect(described.has(name), name).toBe(true)
  expect(described.size).toBeGreaterThan(40)
})

test("a series whose labels are known is there before its first event", () => {
  for (const { code } of Object.values(CLOSE)) {
    expect(page).toContain(`\ngathercue_gateway_disconnects_total{code="${code}"} 0\n`)
  }
  for (const status of [401, 500, 503])
    expect(page).toContain(`\ngathercue_http_requests_total{status="${status}"} 0\n`)
})

test("the page tells the release, that of Node, and how long garbage collections took", () => {
  expect(page).toContain(`\ngathercue_build_info{version="${RELEASE}",node="${process.version}"} 1\n`)
  expect(page).toMatch(COLLECTED)
})
