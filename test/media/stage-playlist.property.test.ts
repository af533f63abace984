/** The playlist of a broadcast of several takes, each of which grows, ends, and is read at any moment. */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  readTakePlaylist,
  type StageTakeSegments,
  writeStagePlaylist,
  writeWholeStage,
} from "../../src/media/stage/stage-playlist.ts"

/** Segments of the takes that have come so far; a take with `isOver` gets no more. */
interface Come {
  readonly segments: number
  readonly isOver: boolean
}

/** As the media server names a take's last five segments. */
const lastOf = ({ segments, isOver }: Come, take: number): StageTakeSegments => {
  const first = Math.max(0, segments - 5)
  const names = Array.from({ length: segments - first }, (_, index) => `segment_${first + index}.ts`)
  return {
    first,
    segments: names.map((name) => ({ name, seconds: 2, at: null })),
    hasEnded: isOver,
    addressOf: (name) => `https://bucket/${take}/${name}`,
  }
}

const numberIn = (playlist: string, tag: string): number =>
  Number(new RegExp(`#EXT-X-${tag}:(\\d+)`).exec(playlist)?.[1])
const addressesIn = (playlist: string): ReadonlyArray<string> =>
  playlist.split("\n").filter((line) => line.startsWith("https:"))

test("a number keeps its segment, numbers do not go back, and no segment is left out behind the first", () => {
  const steps = fc.array(fc.constantFrom("grow", "grow", "grow", "end", "begin"), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, (all) => {
      const takes: Come[] = [{ segments: 0, isOver: false }]
      const known = new Map<number, string>()
      let [sequence, discontinuities] = [0, 0]
      for (const step of all) {
        const last = takes.length - 1
        const now = takes[last] ?? { segments: 0, isOver: false }
        // The take before may still be written when the next one has begun.
        const writing = takes.findIndex(({ isOver }) => !isOver)
        if (step === "grow") takes[last] = now.isOver ? now : { ...now, segments: now.segments + 1 }
        else if (step === "begin") takes.push({ segments: 0, isOver: false })
        else if (writing >= 0) takes[writing] = { segments: takes[writing]?.segments ?? 0, isOver: true }
        const playlist = writeStagePlaylist(takes.map(lastOf))
        if (playlist === undefined) continue
        const first = numberIn(playlist, "MEDIA-SEQUENCE")
        expect(first).toBeGreaterThanOrEqual(sequence)
        expect(numberIn(playlist, "DISCONTINUITY-SEQUENCE")).toBeGreaterThanOrEqual(discontinuities)
        sequence = first
        discontinuities = numberIn(playlist, "DISCONTINUITY-SEQUENCE")
        for (const [index, address] of addressesIn(playlist).entries()) {
          expect(known.get(first + index) ?? address).toBe(address)
          known.set(first + index, address)
        }
      }
      const whole = writeWholeStage(
        takes.map((take, n) => ({ ...lastOf(take, n), ...allOf(take.segments), addressOf: lastOf(take, n).addressOf })),
      )
      const listed = addressesIn(whole ?? "")
      expect(listed).toHaveLength(takes.reduce((sum, { segments }) => sum + segments, 0))
      for (const [number, address] of known) expect(listed[number]).toBe(address)
    }),
    { numRuns: 500 },
  )
})

/** All segments of a take. */
const allOf = (count: number) => ({
  first: 0,
  segments: Array.from({ length: count }, (_, index) => ({ name: `segment_${index}.ts`, seconds: 2, at: null })),
})

test("a playlist that is cut off anywhere, or holds anything else, gives its whole entries and nothing harmful", () => {
  const text = [
    "#EXTM3U",
    "#EXT-X-MEDIA-SEQUENCE:3",
    "#EXT-X-PROGRAM-DATE-TIME:2026-11-23T10:00:00.123Z",
    "#EXTINF:2.000,",
    "segment_00003.ts",
    "#EXTINF:1.5,",
    "segment_00004.ts",
    "#EXT-X-ENDLIST",
  ].join("\n")
  expect(readTakePlaylist(text)).toEqual({
    first: 3,
    segments: [
      { name: "segment_00003.ts", seconds: 2, at: "2026-11-23T10:00:00.123Z" },
      { name: "segment_00004.ts", seconds: 1.5, at: null },
    ],
    hasEnded: true,
  })
  for (let length = 0; length < text.length; length++) {
    const { segments, hasEnded } = readTakePlaylist(text.slice(0, length))
    expect(hasEnded).toBe(false)
    expect(["", "segment_00003.ts", "segment_00003.ts segment_00004.ts"]).toContain(
      segments.map(({ name }) => name).join(" "),
    )
  }
  const hostile = [
    "#EXTINF:2.000,",
    "../other/secret.ts",
    "#EXTINF:2.000,",
    "https://evil.example/a.ts",
    "#EXTINF:x,",
    "a.ts",
  ]
  expect(readTakePlaylist(hostile.join("\n")).segments).toEqual([])
})
