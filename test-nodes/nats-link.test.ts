/** The link between nodes on a real NATS that is killed and comes back. */
import { connect } from "@nats-io/transport-node"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { pino } from "pino"
import { expect, onTestFinished, test } from "vitest"
import { MessageSeal } from "../src/cluster/link/message-seal.ts"
import { natsLinkLayer } from "../src/cluster/link/nats-link.ts"
import { NodeLink } from "../src/cluster/link/node-link.ts"
import { Telemetry } from "../src/telemetry/telemetry.ts"
import { freePort } from "../test/support/free-port.ts"
import { NatsServer } from "../test/support/nats-server.ts"
import { eventually } from "../test/support/wait.ts"

const RECEIVED = 'gathercue_node_messages_total{outcome="received"}'
const REFUSED = 'gathercue_node_messages_total{outcome="refused"}'
const LOST = 'gathercue_node_messages_total{outcome="lost"}'

const SECRET = "a secret of the cluster, long enough"

const openNode = async (url: string, secret: string | null = SECRET, copy: string | null = null) => {
  const lines: string[] = []
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) })
  const silent = Layer.effect(
    Telemetry,
    Effect.map(Telemetry, (telemetry) => ({ ...telemetry, log })),
  ).pipe(Layer.provide(Telemetry.layer("silent")))
  const link = natsLinkLayer(Redacted.make(url), secret === null ? null : Redacted.make(secret), null, copy)
  const layer = link.pipe(Layer.provideMerge(silent))
  const runtime = ManagedRuntime.make(layer)
  onTestFinished(() => runtime.dispose())
  const { opened, telemetry } = await runtime.runPromise(Effect.all({ opened: NodeLink, telemetry: Telemetry }))
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
  return { link: opened, metric, lines }
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

test("somebody else on the same NATS reads no message, and none that they send or send again is believed", async () => {
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const [here, there] = [await openNode(nats.url), await openNode(nats.url)]
  const heard: string[] = []
  there.link.subscribe("ev.1", (text) => heard.push(text))
  there.link.subscribe("end", () => heard.push("end"))
  const other = await connect({ servers: new URL(nats.url).host })
  onTestFinished(() => other.close())
  const seen: Uint8Array[] = []
  other.subscribe("gathercue.>", { callback: (_, message) => void seen.push(message.data) })
  await other.flush()
  await eventually(() => {
    here.link.publish("ev.1", "to staff alone")
    return heard.length > 0 && seen.length > 0
  }, "the message to be heard")
  const told = heard.length
  expect(Buffer.concat(seen).toString("latin1")).not.toContain("staff")

  const before = there.metric(REFUSED)
  other.publish("gathercue.ev.1", "in clear")
  other.publish("gathercue.ev.1", seen[0] as Uint8Array)
  other.publish(
    "gathercue.ev.1",
    Uint8Array.from(seen[0] ?? [], (byte, n) => (n === 40 ? byte ^ 1 : byte)),
  )
  await other.flush()
  await eventually(() => there.metric(REFUSED) - before >= 3, "all three to be refused")
  here.link.publish("end", "")
  await eventually(() => heard.includes("end"), "the end")
  expect(heard.slice(0, -1)).toEqual(Array.from({ length: heard.length - 1 }, () => "to staff alone"))
  expect(heard.length - 1).toBeGreaterThanOrEqual(told)
  // Once for each kind, however many there are.
  expect(there.lines.map((line) => JSON.parse(line).msg.split(":")[0])).toEqual(
    Array.from({ length: 2 }, () => "a message on NATS is dropped, and others like it"),
  )
})

test("a node with another secret is not heard, and says so", async () => {
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const [here, there] = [await openNode(nats.url), await openNode(nats.url, "another secret of a cluster, long enough")]
  const heard: string[] = []
  there.link.subscribe("ev.1", (text) => heard.push(text))
  await eventually(() => {
    here.link.publish("ev.1", "hello")
    return there.lines.length > 0
  }, "the log to tell of it")
  expect(heard).toEqual([])
  expect(there.lines[0]).toContain("CLUSTER_SECRET")
})

test("a node that starts later believes no message that was recorded a minute before", async () => {
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const there = await openNode(nats.url)
  const heard: string[] = []
  there.link.subscribe("ev.1", (text) => heard.push(text))
  const recorded = new MessageSeal(SECRET, () => Date.now() - 60_000).seal("ev.1", "a minute ago")
  const other = await connect({ servers: new URL(nats.url).host })
  onTestFinished(() => other.close())
  const before = there.metric(REFUSED)
  await eventually(() => {
    other.publish("gathercue.ev.1", recorded)
    return there.metric(REFUSED) > before
  }, "it to be refused")
  expect(there.lines.map((line) => JSON.parse(line).msg)).toEqual([expect.stringContaining("30 seconds off")])
  const here = await openNode(nats.url)
  await eventually(() => {
    here.link.publish("ev.1", "now")
    return heard.includes("now")
  }, "a new message to be heard")
  expect(heard).not.toContain("a minute ago")
})

test("nodes on a copy of a database hear each other, and nothing of those on the original", async () => {
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const [original, other] = [await openNode(nats.url), await openNode(nats.url)]
  const [copy, beside] = [await openNode(nats.url, SECRET, "0a1b2c"), await openNode(nats.url, SECRET, "0a1b2c")]
  const heard: { readonly [name: string]: string[] } = { other: [], beside: [] }
  other.link.subscribe("news", (text) => heard["other"]?.push(text))
  beside.link.subscribe("news", (text) => heard["beside"]?.push(text))
  await eventually(() => {
    copy.link.publish("news", "copied")
    original.link.publish("news", "real")
    return heard["beside"]?.includes("copied") === true && heard["other"]?.includes("real") === true
  }, "both pairs to hear each other")
  expect([new Set(heard["other"]), new Set(heard["beside"])]).toEqual([new Set(["real"]), new Set(["copied"])])
})
