/** The broker between the nodes of a run, for `npm run test:nodes`. */
import type { TestProject } from "vitest/node"
import { NatsUnderTest } from "../../chaos/site/nats.ts"
import { freePort } from "./free-port.ts"

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const nats = new NatsUnderTest(await freePort())
  await nats.start()
  project.provide("natsUrl", nats.url)
  return () => nats.kill()
}
