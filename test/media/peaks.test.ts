/** The shape of a sound, against a plain computation over all samples, whatever pieces they come in. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { findFfmpeg } from "../../src/media/derivations/ffmpeg.ts"
import { PEAKS, PeakMeter } from "../../src/media/derivations/peaks.ts"

const bytesOf = (samples: ReadonlyArray<number>): Uint8Array => new Uint8Array(Int16Array.from(samples).buffer)

test("silence, then a square: the peaks are where the sound is", () => {
  const samples = Array.from({ length: PEAKS * 4 }, (_, at) => {
    if (at < PEAKS * 2) return 0
    return at % 2 === 0 ? 16_384 : -32_768
  })
  const meter = new PeakMeter(samples.length)
  meter.add(bytesOf(samples))
  const { version, durationMs, peaks } = meter.waveform(500)
  expect([version, durationMs, peaks.length]).toEqual([1, 500, PEAKS])
  expect(peaks.slice(0, PEAKS / 2)).toEqual(Array.from({ length: PEAKS / 2 }, () => [0, 0]))
  expect(peaks.slice(PEAKS / 2)).toEqual(Array.from({ length: PEAKS / 2 }, () => [-1, 0.5]))
})

test("pieces of any size give the same shape, also when more comes than was expected", () => {
  const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 3000 })
  fc.assert(
    fc.property(
      samples,
      fc.integer({ min: 1, max: 3000 }),
      fc.array(fc.nat(7), { maxLength: 200 }),
      (all, expected, cuts) => {
        const [whole, pieces] = [new PeakMeter(expected), new PeakMeter(expected)]
        const bytes = bytesOf(all)
        whole.add(bytes)
        let at = 0
        for (const cut of cuts) {
          pieces.add(bytes.subarray(at, at + cut))
          at += cut
        }
        pieces.add(bytes.subarray(at))
        expect(pieces.waveform(1)).toEqual(whole.waveform(1))
        const { peaks } = whole.waveform(1)
        const round = (sample: number) => Math.round((sample / 32_768) * 1000) / 1000
        expect(Math.min(...peaks.map(([low]) => low)) + 0).toBe(Math.min(0, round(Math.min(...all))) + 0)
        expect(Math.max(...peaks.map(([, high]) => high)) + 0).toBe(Math.max(0, round(Math.max(...all))) + 0)
      },
    ),
    { numRuns: 50 },
  )
})

test("ffmpeg is looked for where it may be, and nowhere when it is off", () => {
  expect(findFfmpeg(null, "/nowhere:/neither")).toBeNull()
  expect(findFfmpeg("off", "/usr/bin:/bin")).toBeNull()
  expect(findFfmpeg("/nowhere/ffmpeg", "/usr/bin")).toBeNull()
  expect(findFfmpeg(process.execPath, "")).toBe(process.execPath)
})
