/** The client of a speech recogniser bounds the time and the bytes of an answer, and trusts no time in it. */
import { expect, onTestFinished, test } from "vitest"
import { type Recognise, RecogniserFailed, recogniseBy, type Sound } from "../../src/media/derivations/recogniser.ts"
import { type Misbehave, startRecogniser } from "../support/recogniser.ts"
import { eventually } from "../support/wait.ts"
import { tonesOf } from "../support/wav.ts"

const SOUND: Sound = {
  bytes: tonesOf(1, [{ from: 0.2, to: 0.8, hertz: 440 }]),
  contentType: "audio/wav",
  name: "sound.wav",
  durationMs: 1000,
}

const recogniserThat = async (misbehave: Misbehave, withinMs?: number): Promise<Recognise> => {
  const recogniser = await startRecogniser(misbehave)
  onTestFinished(() => recogniser.stop())
  return recogniseBy({ url: recogniser.url, model: "m", key: null }, withinMs)
}

const never = (): AbortSignal => new AbortController().signal

const failureOf = async (asking: Promise<unknown>): Promise<RecogniserFailed> => {
  const failure = await asking.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(failure instanceof RecogniserFailed)) throw new Error(`it was ${String(failure)}`)
  return failure
}

test("one that does not answer, or not to the end, is left after its time", async () => {
  const silent = await recogniserThat(() => true, 200)
  const halting = await recogniserThat((response) => response.write('{"segments":[') || true, 200)
  for (const recognise of [silent, halting]) {
    const failure = await failureOf(recognise(SOUND, null, never()))
    expect(failure).toMatchObject({ message: "The recogniser did not answer in time.", isFinal: false })
  }
})

test("an answer without end is cut off after four mebibytes", async () => {
  let sent = 0
  let isCut = false
  const recognise = await recogniserThat((response) => {
    const chunk = Buffer.alloc(65_536, "x")
    const more = (): void => {
      sent += chunk.byteLength
      response.write(chunk, (cause) => (cause ? undefined : more()))
    }
    response.once("close", () => {
      isCut = true
    })
    more()
    return true
  })
  expect((await failureOf(recognise(SOUND, null, never()))).message).toBe("The answer of the recogniser is too long.")
  await eventually(() => isCut, "the end of the connection")
  // What the kernel's buffers hold comes on top.
  expect(sent).toBeLessThan(32 * 1024 ** 2)
})

test("an interrupted job closes its request", async () => {
  let isCut = false
  let isAsked = false
  const recognise = await recogniserThat((response) => {
    isAsked = true
    response.once("close", () => {
      isCut = true
    })
    return true
  })
  const interruption = new AbortController()
  const asking = failureOf(recognise(SOUND, null, interruption.signal))
  await eventually(() => isAsked, "the request")
  interruption.abort()
  await asking
  await eventually(() => isCut, "the end of the connection")
})

test("times beyond the sound are those of its ends, texts are tidied and cut, and their order is that of speech", async () => {
  const segments = [
    { start: 0.7, end: 9, text: "  last\u0000  one " },
    { start: -3, end: 0.2, text: "x".repeat(3000) },
    { start: 0.5, end: 0.1, text: "ends early" },
    { start: 4, end: 5, text: "after the end" },
    { start: 0.3, end: 0.4, text: "   " },
    { start: 0.6, end: 0.65, text: `half \ud83d` },
    { start: 0.66, end: 0.67, text: `${"y".repeat(1999)}😀` },
  ]
  const recognise = await recogniserThat((response) => {
    response.end(JSON.stringify({ segments }))
    return true
  })
  expect(await recognise(SOUND, "en", never())).toEqual([
    { t0: 0, t1: 200, speaker: "", lang: "en", text: "x".repeat(2000) },
    { t0: 500, t1: 500, speaker: "", lang: "en", text: "ends early" },
    { t0: 600, t1: 650, speaker: "", lang: "en", text: "half \ufffd" },
    { t0: 660, t1: 670, speaker: "", lang: "en", text: `${"y".repeat(1999)}\ufffd` },
    { t0: 700, t1: 1000, speaker: "", lang: "en", text: "last one" },
  ])
})

test("a status is final where another try would be refused alike", async () => {
  for (const [status, isFinal] of [
    [400, true],
    [413, true],
    [401, false],
    [404, false],
    [429, false],
    [503, false],
  ] as const) {
    const recognise = await recogniserThat((response) => {
      response.writeHead(status, { "retry-after": "7" }).end("no")
      return true
    })
    const failure = await failureOf(recognise(SOUND, null, never()))
    expect(failure).toMatchObject({ message: `The recogniser answered ${status}.`, isFinal, retryAfterMs: 7000 })
  }
})
