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

test("every metric and label that an alert or a panel asks for is offered", async () => {
  const metrics = offered()
  const all = await expressions()
  expect(all.length).toBeGreaterThan(40)
  for (const expression of all) {
    const labels = new Set<string>()
    for (const [, name = "", matchers = ""] of expression.matchAll(METRIC)) {
      expect(metrics.has(name), `${name} in ${expression}`).toBe(true)
      for (const label of metrics.get(name) ?? []) labels.add(label)
      for (const [, label = ""] of matchers.matchAll(/(\w+)=/g)) {
        expect(SCRAPED.has(label) || labels.has(label), `${label} of ${name} in ${expression}`).toBe(true)
      }
    }
    for (const [, list = ""] of expression.matchAll(/by \(([^)]*)\)/g)) {
      for (const label of list.split(", ")) {
        expect(SCRAPED.has(label) || labels.has(label), `${label} in ${expression}`).toBe(true)
      }
    }
  }
})

test("no metric is without a description, and none of ours is missing from the page", () => {
  const telemetry = Telemetry.make(openLog("silent"))
  const page = telemetry.render()
  const described = new Set(Array.from(page.matchAll(/^# HELP (\S+) \S/gm), ([, name]) => name))
  for (const [, name] of page.matchAll(/^# TYPE (\S+)/gm)) expect(described.has(name), name).toBe(true)
  expect(described.size).toBeGreaterThan(40)
})
