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

type Step = "grow" | "end" | "begin"

/** The takes after the step. The take before may still be written when the next one has begun. */
const after = (takes: ReadonlyArray<Come>, step: Step): ReadonlyArray<Come> => {
  if (step === "begin") return [...takes, { segments: 0, isOver: false }]
  if (step === "grow") {
    return takes.map((take, n) =>
      n < takes.length - 1 || take.isOver ? take : { ...take, segments: take.segments + 1 },
    )
  }
  const writing = takes.findIndex(({ isOver }) => !isOver)
  return takes.map((take, n) => (n === writing ? { ...take, isOver: true } : take))
}

/** All segments of a take, with the addresses that its last ones have. */
const wholeOf = (come: Come, take: number): StageTakeSegments => ({
  ...lastOf(come, take),
  first: 0,
  segments: Array.from({ length: come.segments }, (_, n) => ({ name: `segment_${n}.ts`, seconds: 2, at: null })),
})

/** The playlists that a viewer reads, one after the other. */
class Viewer {
  readonly known = new Map<number, string>()
  #sequence = 0
  #discontinuities = 0

  read(playlist: string): void {
    const [first, discontinuities] = [
      numberIn(playlist, "MEDIA-SEQUENCE"),
      numberIn(playlist, "DISCONTINUITY-SEQUENCE"),
    ]
    expect(first).toBeGreaterThanOrEqual(this.#sequence)
    expect(discontinuities).toBeGreaterThanOrEqual(this.#discontinuities)
    this.#sequence = first
    this.#discontinuities = discontinuities
    for (const [index, address] of addressesIn(playlist).entries()) {
      expect(this.known.get(first + index) ?? address).toBe(address)
      this.known.set(first + index, address)
    }
  }
}

test("a number keeps its segment, numbers do not go back, and the whole has every segment under its number", () => {
  const steps = fc.array(fc.constantFrom<Step>("grow", "grow", "grow", "end", "begin"), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, (all) => {
      let takes: ReadonlyArray<Come> = [{ segments: 0, isOver: false }]
      const viewer = new Viewer()
      for (const step of all) {
        takes = after(takes, step)
        const playlist = writeStagePlaylist(takes.map(lastOf))
        if (playlist !== undefined) viewer.read(playlist)
      }
      const listed = addressesIn(writeWholeStage(takes.map(wholeOf)) ?? "")
      expect(listed).toHaveLength(takes.reduce((sum, { segments }) => sum + segments, 0))
      for (const [number, address] of viewer.known) expect(listed[number]).toBe(address)
    }),
    { numRuns: 500 },
  )
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

test("a broadcast of a week, in several takes, has a playlist of all of its segments", () => {
  const takes = Array.from({ length: 7 }, (_, take) => wholeOf({ segments: 43_200, isOver: true }, take))
  const playlist = writeWholeStage(takes) ?? ""
  expect(addressesIn(playlist)).toHaveLength(7 * 43_200)
  expect(numberIn(playlist, "TARGETDURATION")).toBe(2)
})
