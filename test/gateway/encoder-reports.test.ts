/** When staff get a report on the encoder of their broadcast. */
import { expect, test } from "vitest"
import { EncoderReports } from "../../src/gateway/broadcast/encoder-reports.ts"
import type { EncoderReport } from "../../src/media/placed/broadcasts.ts"

const reported = (looks: ReadonlyArray<EncoderReport | undefined>): ReadonlyArray<string> => {
  const sent: string[] = []
  let present: EncoderReport | undefined
  const delivery = {
    ephemeral: ({ stream, frame }: { readonly stream: string; readonly frame: string }) => {
      const { t, d } = JSON.parse(frame)
      sent.push([stream, t, d.broadcastId, d.state, ...(d.failure === null ? [] : [d.failure.code])].join(" "))
    },
    schedule: () => {},
  }
  const reports = new EncoderReports("event", { encoderOf: () => present }, delivery)
  for (const [second, look] of looks.entries()) {
    present = look
    reports.look(second * 1000)
  }
  return sent
}

const of = (
  broadcastId: string,
  state: EncoderReport["state"],
  failure: EncoderReport["failure"] = null,
): EncoderReport => ({ broadcastId, phaseId: "p", state, failure })

const CODEC: EncoderReport["failure"] = { code: "codec", detail: "Another codec." }

test.each<[string, ReadonlyArray<EncoderReport | undefined>, ReadonlyArray<string>]>([
  ["nothing for a broadcast that is not in memory", [undefined, undefined], []],
  ["nothing while it waits", [of("a", "waiting"), of("a", "waiting")], []],
  [
    "each change once, also after it left memory for a while",
    [
      of("a", "waiting"),
      of("a", "receiving"),
      of("a", "receiving"),
      of("a", "lost"),
      undefined,
      of("a", "lost"),
      of("a", "receiving"),
    ],
    ["a receiving", "a lost", "a receiving"],
  ],
  [
    "why an encoder is refused, and when it is not any more",
    [of("a", "waiting", CODEC), of("a", "waiting", CODEC), of("a", "receiving", CODEC), of("a", "receiving")],
    ["a waiting codec", "a receiving codec", "a receiving"],
  ],
  [
    "another broadcast from its own beginning",
    [of("a", "lost"), of("b", "waiting"), of("b", "lost")],
    ["a lost", "b lost"],
  ],
])("staff get %s", (_what, looks, expected) => {
  expect(reported(looks)).toEqual(expected.map((one) => `staff broadcast.stream ${one}`))
})
