/** Prometheus itself reads the rules of `deploy/monitoring/`, and raises the alerts of `slo-tests.yaml` when it should. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const folder = fileURLToPath(new URL("../deploy/monitoring", import.meta.url))
const promtool = async (...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)("promtool", args, { cwd: folder })).stdout

test("the rules are valid, and an outage, slow commands and late deliveries raise the alert that they should", async () => {
  expect(await promtool("check", "rules", "alerts.yaml", "slo.yaml")).not.toContain("FAILED")
  expect(await promtool("test", "rules", "slo-tests.yaml")).toMatch(/SUCCESS\s*$/)
})
