/** Messages of the feed that are lost, also the last of an event, which leaves no gap: the store is compared. */
import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { VersionAudit } from "../../src/gateway/recovery/version-audit.ts"
import { openLossyFeed } from "../support/lossy-feed.ts"
import { openVirtualTime } from "../support/virtual-time.ts"
import { received } from "./crowd.ts"
import { openHouse } from "./house.ts"

const open = async (auditMs: number) => {
  const feed = openLossyFeed()
  const house = await openHouse({ auditMs }, { feed: feed.layer })
  onTestFinished(() => house.stop())
  const stage = await house.stage([{ modality: "meeting", featureSet: ["chat"] }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const ann = await house.join(stage, "ann")
  const say = (text: string) => host.command("chat.send", { to: "event", text })
  const hears = (text: string) => received(ann, "chat.message", ({ message }) => message.text === text)
  return { feed, house, stage, host, ann, say, hears }
}

test("the last message of an event that was lost is delivered within a comparison", async () => {
  const { feed, say, hears, ann } = await open(300)
  feed.cut()
  expect((await say("lost")).ok).toBe(true)
  feed.restore(false)
  await hears("lost")
  expect((await say("next")).ok).toBe(true)
  await hears("next")
  const texts = ann.received.filter(({ t }) => t === "chat.message").map(({ d }) => d.message.text)
  expect(texts).toEqual(["lost", "next"])
})

test("after a loss of the link that is reported, the store is compared at once", async () => {
  const { feed, say, hears } = await open(3_600_000)
  feed.cut()
  expect((await say("lost")).ok).toBe(true)
  feed.restore(true)
  await hears("lost")
})

describe("a comparison", () => {
  const stored = { eventId: "e", epoch: "one", version: 7, fencingToken: 1 }

  /** `missed`: whether the event has missed messages, at each time that it is asked. */
  const compared = async (...missed: ReadonlyArray<boolean>): Promise<number> => {
    const time = await openVirtualTime()
    const answers = [...missed]
    let reloads = 0
    const followed = {
      eventId: "e",
      isBehind: (row: unknown) => {
        expect(row).toEqual(stored)
        return answers.shift() ?? false
      },
      reload: () => {
        reloads += 1
      },
    }
    const services = {
      timers: time.timers,
      options: GATEWAY_DEFAULTS,
      feed: { onReset: () => () => {} },
      database: { run: () => Effect.succeed([stored]) },
      fork: Effect.runFork,
    }
    const audit = new VersionAudit(services as never, () => [followed])
    onTestFinished(() => audit.stop())
    await time.pass(GATEWAY_DEFAULTS.auditMs + 1000)
    return reloads
  }

  test("reads an event again that is behind twice, not one whose message may be on its way", async () => {
    expect([await compared(false), await compared(true, false), await compared(true, true)]).toEqual([0, 0, 1])
  })
})
