/** What the supervisor passes on between its workers, and what it does with one that takes nothing. */
import { expect, test } from "vitest"
import type { SupervisorMessage } from "../../src/cluster/link/worker-messages.ts"
import { LinkHub, type Receiver } from "../../src/workers/link-hub.ts"

/** A worker that takes messages when it is told to. */
const open = (hub: LinkHub) => {
  const got: SupervisorMessage[] = []
  let untaken: Array<() => void> = []
  const receiver: Receiver = {
    send: (message, taken) => {
      got.push(message)
      untaken.push(taken)
    },
  }
  hub.joined(receiver)
  const take = (): void => {
    const taken = untaken
    untaken = []
    for (const call of taken) call()
  }
  return { got, receiver, take }
}

test("a message reaches all others that subscribe to its subject, in order, until they unsubscribe or leave", () => {
  const hub = new LinkHub()
  const [first, second, third] = [open(hub), open(hub), open(hub)]
  for (const { receiver } of [first, second, third]) hub.received(receiver, { type: "subscribe", subject: "a" })
  hub.received(third.receiver, { type: "subscribe", subject: "b" })
  const publish = (subject: string, text: string) => hub.received(first.receiver, { type: "publish", subject, text })
  publish("a", "1")
  publish("b", "2")
  hub.received(second.receiver, { type: "unsubscribe", subject: "a" })
  publish("a", "3")
  hub.left(third.receiver)
  publish("a", "4")
  expect([first.got, second.got]).toEqual([[], [{ type: "message", subject: "a", text: "1" }]])
  expect(third.got.map((message) => "text" in message && message.text)).toEqual(["1", "2", "3"])
})

test("a worker that takes nothing costs sixteen megabytes at most, and is told once it takes messages again", () => {
  const hub = new LinkHub()
  const [quick, slow] = [open(hub), open(hub)]
  hub.received(slow.receiver, { type: "subscribe", subject: "a" })
  const megabyte = "x".repeat(512 * 1024)
  for (let n = 0; n < 40; n++) hub.received(quick.receiver, { type: "publish", subject: "a", text: megabyte })
  expect(slow.got).toHaveLength(16)
  slow.take()
  expect(slow.got.at(-1)).toEqual({ type: "reset" })
  hub.received(quick.receiver, { type: "publish", subject: "a", text: "after it" })
  expect(slow.got.at(-1)).toMatchObject({ text: "after it" })
  slow.take()
  expect(slow.got).toHaveLength(18)
})

test("one message above the limit reaches a worker that has taken all others", () => {
  const hub = new LinkHub()
  const [sender, receiver] = [open(hub), open(hub)]
  hub.received(receiver.receiver, { type: "subscribe", subject: "a" })
  hub.received(sender.receiver, { type: "publish", subject: "a", text: "x".repeat(9 * 1024 * 1024) })
  expect(receiver.got).toHaveLength(1)
})
