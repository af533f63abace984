/** The broker between the nodes of a run, for `npm run test:nodes`. */
import type { TestProject } from "vitest/node"
import { freePort } from "./free-port.ts"
import { NatsServer } from "./nats-server.ts"

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const nats = new NatsServer(await freePort())
  await nats.start()
  project.provide("natsUrl", nats.url)
  return () => nats.kill()
}
