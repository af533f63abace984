/** The alert rules and the board of `deploy/monitoring/` ask for metrics that the server has, with labels that they have. */
import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { openLog, Telemetry } from "../src/telemetry/telemetry.ts"

const METRIC = /\b((?:gathercue|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g
/** Added by Prometheus when it scrapes. */
const SCRAPED = new Set(["job", "instance"])

/** Label names by metric, from the page that Prometheus reads. */
const offered = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const telemetry = Telemetry.make(openLog("silent"))
  const { httpRequests, httpDuration, disconnects } = telemetry.metrics
  httpRequests.add(1, "200")
  httpDuration.observe(0.1, "/v1/events")
  disconnects.add(1, "4307")
  const labels = new Map<string, Set<string>>()
  for (const line of telemetry.render().split("\n")) {
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

/** The expressions of both files, as Prometheus gets them. */
const expressions = async (): Promise<ReadonlyArray<string>> => {
  const rules = Array.from(
    (await read("alerts.yaml")).matchAll(/^\s+expr: (.*)$/gm),
    ([, expression = ""]) => expression,
  )
  const board = JSON.parse(await read("grafana.json")) as {
    readonly panels: ReadonlyArray<{ readonly targets?: ReadonlyArray<{ readonly expr: string }> }>
  }
  return [...rules, ...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))]
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
  expect(all.length).toBeGreaterThan(40)
  for (const expression of all) {
    const { metrics, labels } = askedIn(expression)
    expect([expression, metrics.filter((name) => !known.has(name))]).toEqual([expression, []])
    const has = new Set([...SCRAPED, ...metrics.flatMap((name) => [...(known.get(name) ?? [])])])
    expect([expression, labels.filter((label) => !has.has(label))]).toEqual([expression, []])
  }
})

test("no metric is without a description, and none of ours is missing from the page", () => {
  const telemetry = Telemetry.make(openLog("silent"))
  const page = telemetry.render()
  const described = new Set(Array.from(page.matchAll(/^# HELP (\S+) \S/gm), ([, name]) => name))
  for (const [, name] of page.matchAll(/^# TYPE (\S+)/gm)) expect(described.has(name), name).toBe(true)
  expect(described.size).toBeGreaterThan(40)
})
