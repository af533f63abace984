/** Prometheus itself reads the rules of `deploy/monitoring/`, and raises the alerts of `slo-tests.yaml` when it should. */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"
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
