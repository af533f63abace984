/** Behind each shipped proxy two nodes keep every promise of the gateway, over WebSockets and over event streams. */
import { expect, onTestFinished, test } from "vitest"
import { checkServer } from "../packages/conformance/src/check-server.ts"
import { createWorkspace } from "../test/support/api.ts"
import { PATIENCE_MS } from "../test/support/patience.ts"
import { startDeployment } from "./support/deployment.ts"

test.each(["nginx", "haproxy", "caddy"] as const)("%s", async (name) => {
  const deployment = await startDeployment(onTestFinished, name, 2, { DRAIN_DELAY_MS: "0" })
  onTestFinished(() => deployment.stop())
  const { key } = await createWorkspace(deployment.url)
  const { outcomes } = await checkServer({ url: deployment.url, key, patienceMs: PATIENCE_MS })
  expect(outcomes.filter(({ state }) => state !== "ok")).toMatchObject([{ id: "drain", state: "skipped" }])
  expect(outcomes.length).toBeGreaterThan(15)
})
