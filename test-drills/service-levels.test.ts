/** Prometheus itself reads the rules of `deploy/monitoring/`, raises the alerts of `slo-tests.yaml` when it should, and fills the board. */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { blocksOf } from "../test/support/code-blocks.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

const folder = fileURLToPath(new URL("../deploy/monitoring", import.meta.url))
const promtool = async (...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)("promtool", args, { cwd: folder })).stdout

test("the settings of the guide are those of a Prometheus", async () => {
  const [settings = ""] = blocksOf("docs/monitoring.md").flatMap(({ language, code }) =>
    language === "yaml" ? [code] : [],
  )
  const file = join(await temporaryFolder(), "prometheus.yml")
  // The files of the guide are the operator's; their syntax is that of these.
  const placed = settings
    .replace("/etc/prometheus/gathercue-token", join(folder, "alerts.yaml"))
    .replaceAll(/\/etc\/prometheus\/gathercue-(\w+\.yaml)/g, join(folder, "$1"))
  await writeFile(file, placed)
  expect(await promtool("check", "config", file)).toContain("is valid prometheus config file syntax")
})

test("the rules are valid, and an outage, slow commands and late deliveries raise the alert that they should", async () => {
  expect(await promtool("check", "rules", "alerts.yaml", "slo.yaml")).not.toContain("FAILED")
  expect(await promtool("test", "rules", "slo-tests.yaml")).toMatch(/SUCCESS\s*$/)
})

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

interface Board {
  readonly schemaVersion: number
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string }> }
}

/** What two hours leave behind in which a request of 2,000 fails, ten commands of 1,000 are slow, and an endpoint is late for a while. */
const SERIES: ReadonlyArray<readonly [string, string]> = [
  ['gathercue_http_requests_total{job="gathercue",status="200"}', "0+1999x120"],
  ['gathercue_http_requests_total{job="gathercue",status="503"}', "0+1x120"],
  ['gathercue_actor_command_duration_seconds_bucket{job="gathercue",le="0.25"}', "0+990x120"],
  ['gathercue_actor_command_duration_seconds_bucket{job="gathercue",le="+Inf"}', "0+1000x120"],
  ['gathercue_actor_command_duration_seconds_count{job="gathercue"}', "0+1000x120"],
  ['gathercue_webhook_delay_seconds_bucket{job="gathercue",le="1"}', "0+90x120"],
  ['gathercue_webhook_delay_seconds_bucket{job="gathercue",le="+Inf"}', "0+100x120"],
  ['gathercue_webhook_overdue_seconds{job="gathercue"}', "0+0x110 300+0x10"],
]

/** Half of one in a thousand, and all of one in a hundred. */
const BUDGETS_LEFT = { "Requests: budget left": 0.5, "Commands: budget left": 0 }

/** As Grafana asks it for one job. */
const asked = (expression: string): string =>
  expression.replaceAll("$job", "gathercue").replaceAll("$__rate_interval", "5m")

test("each panel of the board of service levels has a figure, and the budgets are what is left of them", async () => {
  const board = JSON.parse(await readFile(join(folder, "slo-grafana.json"), "utf8")) as Board
  expect(board.schemaVersion).toBeGreaterThan(30)
  expect(board.templating.list.map(({ name }) => name)).toEqual(["source", "job"])
  const expressions = board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => asked(expr)))
  expect(expressions.length).toBeGreaterThanOrEqual(board.panels.length)
  for (const expression of expressions) expect(expression).not.toContain("$")
  const filled = expressions.map((expression) => ({
    expr: `count(${expression}) > bool 0`,
    eval_time: "2h",
    exp_samples: [{ labels: "{}", value: 1 }],
  }))
  const left = Object.entries(BUDGETS_LEFT).map(([title, value]) => {
    const expr = board.panels.find((panel) => panel.title === title)?.targets?.[0]?.expr ?? expect.fail(title)
    return { expr: `round(sum(${asked(expr)}), 0.1)`, eval_time: "2h", exp_samples: [{ labels: "{}", value }] }
  })
  const file = join(await temporaryFolder(onTestFinished), "board.yaml")
  const rules = join(folder, "slo.yaml")
  const input_series = SERIES.map(([series, values]) => ({ series, values }))
  const tests = [{ interval: "1m", input_series, promql_expr_test: [...filled, ...left] }]
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: "1m", tests }))
  expect(await promtool("test", "rules", file)).toMatch(/SUCCESS\s*$/)
})
