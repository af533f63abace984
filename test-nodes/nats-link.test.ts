/** The link between nodes on a real NATS that is killed and comes back. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { natsLinkLayer } from "../src/cluster/link/nats-link.ts"
import { NodeLink } from "../src/cluster/link/node-link.ts"
import { Telemetry } from "../src/telemetry/telemetry.ts"
import { freePort } from "../test/support/free-port.ts"
import { NatsServer } from "../test/support/nats-server.ts"
import { eventually } from "../test/support/wait.ts"

const RECEIVED = 'gathercue_node_messages_total{outcome="received"}'
const LOST = 'gathercue_node_messages_total{outcome="lost"}'

const openNode = async (url: string) => {
  const layer = natsLinkLayer(Redacted.make(url)).pipe(Layer.provideMerge(Telemetry.layer("silent")))
  const runtime = ManagedRuntime.make(layer)
  onTestFinished(() => runtime.dispose())
  const { link, telemetry } = await runtime.runPromise(Effect.all({ link: NodeLink, telemetry: Telemetry }))
  /** Of this process: tests that ran here before have counted, too. */
  const metric = (name: string): number =>
    Number(
      telemetry
        .render()
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")
        .at(-1),
    )
  return { link, metric }
}

test("messages go on after NATS was away, and its metrics tell of those that were lost", async () => {
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const [here, there] = [await openNode(nats.url), await openNode(nats.url)]
  const [heard, own]: [string[], string[]] = [[], []]
  const [receivedBefore, lostBefore] = [RECEIVED, LOST].map(here.metric) as [number, number]
  const resets = { there: 0 }
  there.link.onReset(() => resets.there++)
  there.link.subscribe("news", (text) => {
    if (text === "bad") throw new Error("cannot be used")
    heard.push(text)
  })
  here.link.subscribe("news", (text) => own.push(text))
  const says = async (text: string): Promise<void> => {
    await eventually(() => {
      here.link.publish("news", text)
      return heard.includes(text)
    }, `"${text}" to be heard`)
  }
  await says("before")
  // A message that cannot be used ends nothing.
  here.link.publish("news", "bad")
  await says("after a bad one")
  expect(here.metric("gathercue_nats_connected")).toBe(1)

  await nats.kill()
  // Also in the moments in which the loss is not noticed yet.
  await eventually(() => {
    here.link.publish("news", "lost")
    return here.metric(LOST) > lostBefore
  }, "the loss to be seen")
  await eventually(() => here.metric("gathercue_nats_connected") === 0, "the metric to tell of it")

  await nats.start()
  await eventually(() => here.metric("gathercue_nats_connected") === 1 && resets.there === 1, "the link to be back")
  await says("after")
  expect(heard).not.toContain("lost")
  expect(own).toEqual([])
  expect(there.metric(RECEIVED) - receivedBefore).toBe(heard.length + 1)
  expect(resets).toEqual({ there: 1 })
})
