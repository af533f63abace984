/** Commands on their way to an event's mailbox. */
import { Deferred, Effect, Exit } from "effect"
import { expect, test } from "vitest"
import type { Envelope, Outcome } from "../../src/actors/commands.ts"
import { CommandBatcher } from "../../src/actors/runtime/command-batcher.ts"
import { envelope } from "../support/live-events.ts"

const answer = ({ commandId }: Envelope): Outcome => ({
  version: 1,
  result: { commandId },
  duplicate: false,
  event: null,
})

test("while one command is under way as many wait as may, one more is refused for now, and the others go together", async () => {
  const sent: number[] = []
  const way = Deferred.makeUnsafe<void>()
  const batcher = new CommandBatcher({
    most: 3,
    send: (envelopes) => {
      sent.push(envelopes.length)
      return Effect.as(Deferred.await(way), envelopes.map(answer))
    },
    fork: (effect) => void Effect.runFork(effect),
    emptied: () => {},
  })
  const put = () => Effect.runPromiseExit(batcher.put(envelope({ type: "event.end", d: {} })))
  const outcomes = Array.from({ length: 5 }, put)
  expect(await outcomes[4]).toMatchObject(Exit.fail({ retryAfterSeconds: 1 }))
  await Effect.runPromise(Deferred.succeed(way, undefined))
  const done = await Promise.all(outcomes.slice(0, 4))
  expect(done.every(Exit.isSuccess)).toBe(true)
  expect(sent).toEqual([1, 3])
})
