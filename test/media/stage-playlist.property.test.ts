/** The playlist of a broadcast of several takes, each of which grows, ends, fails, is deleted, and is read at any moment. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { beginningOf, planStage, type TakeNow } from "../../src/media/stage/stage-numbers.ts"
import { writeStagePlaylist, writingWholeStage } from "../../src/media/stage/stage-playlist.ts"
import { NO_SEGMENTS, readingTake, type TakePlaylist } from "../../src/media/stage/take-playlist.ts"
import type { StageNumbers, TakePlace } from "../../src/store/media/stage-takes.ts"

const addressOf = (take: string, name: string): string => `https://bucket/${take}/${name}`
const numberIn = (playlist: string, tag: string): number =>
  Number(new RegExp(`#EXT-X-${tag}:(\\d+)`).exec(playlist)?.[1])
const addressesIn = (playlist: string): ReadonlyArray<string> =>
  playlist.split("\n").filter((line) => line.startsWith("https:"))
const segment = (n: number) => ({ name: `segment_${n}.ts`, seconds: 2, at: null })
const read = (text: string): TakePlaylist => {
  const reading = readingTake(text)
  let step = reading.next()
  while (step.done !== true) step = reading.next()
  return step.value
}

/** Nothing shown yet. */
const NOTHING: StageNumbers = { oldest: 0, next: 0, takes: 0 }

const writeWhole = (takes: ReadonlyArray<TakeNow>, shown: StageNumbers): string => {
  let text = ""
  for (const piece of writingWholeStage(takes, beginningOf(takes, shown), addressOf)) text += piece
  return text
}

interface Take {
  segments: number
  /** Nothing is expected of it any more. */
  hasEnded: boolean
  /** It gets no more segments: one that is overdue may. */
  isOver: boolean
  /** It failed, or its recording was deleted. */
  isGone: boolean
  /** The bucket does not give its playlist now. */
  isHidden: boolean
}

type Step = "grow" | "end" | "overdue" | "begin" | "fail" | "delete" | "hide" | "show" | "read"

/** A broadcast, its rows, and a viewer who reads its playlists. */
class Stage {
  readonly takes: Take[] = []
  readonly known = new Map<number, string>()
  /** A take was lost, or shown late. */
  isLossy = false
  shown = NOTHING
  readonly #places = new Map<string, TakePlace>()
  readonly #takeOf = new Map<number, number>()
  readonly #numberOf = new Map<string, number>()
  #sequence = 0
  #discontinuities = 0

  readonly #steps: { readonly [S in Exclude<Step, "read" | "begin">]: (last: Take) => void } = {
    grow: () => {
      for (const take of this.takes) if (!take.isOver) take.segments += 1
    },
    end: () => Object.assign(this.#writing ?? {}, { hasEnded: true, isOver: true }),
    overdue: (last) => {
      if (this.#writing !== last) Object.assign(this.#writing ?? {}, { hasEnded: true })
    },
    fail: (last) => Object.assign(last, { hasEnded: true, isOver: true, isGone: true }),
    delete: (last) => Object.assign(this.takes.find(({ isGone }) => !isGone) ?? last, { isGone: true }),
    hide: (last) => Object.assign(last, { isHidden: true }),
    show: (last) => Object.assign(last, { isHidden: false }),
  }

  get #writing(): Take | undefined {
    return this.takes.find(({ hasEnded }) => !hasEnded)
  }

  do(step: Step): void {
    const last = this.takes.at(-1)
    if (step === "read") this.#read()
    else if (step === "begin" || last === undefined) this.#begin()
    else this.#steps[step](last)
    this.isLossy ||= ["overdue", "fail", "delete", "hide"].includes(step)
  }

  #begin(): void {
    this.takes.push({ segments: 0, hasEnded: false, isOver: false, isGone: false, isHidden: false })
  }

  /** As the media server names a take's segments: the last five, or all. */
  now(which: "live" | "whole"): ReadonlyArray<TakeNow> {
    return this.takes.flatMap(({ segments, hasEnded, isGone, isHidden }, index) => {
      if (isGone) return []
      const id = `take${index}`
      const first = which === "live" ? Math.max(0, segments - 5) : 0
      const listed = Array.from({ length: segments - first }, (_, n) => segment(first + n))
      const place = this.#places.get(id) ?? null
      const playlist = isHidden && which === "live" ? NO_SEGMENTS : { first, segments: listed }
      return [{ ...playlist, id, place, hasEnded }]
    })
  }

  #read(): void {
    const { segments, numbers, places } = planStage(this.now("live"), this.shown)
    this.shown = numbers
    for (const [id, place] of places) this.#places.set(id, place)
    const playlist = writeStagePlaylist(segments, addressOf)
    if (playlist === undefined) return
    const [first, discontinuities] = [
      numberIn(playlist, "MEDIA-SEQUENCE"),
      numberIn(playlist, "DISCONTINUITY-SEQUENCE"),
    ]
    expect(first).toBeGreaterThanOrEqual(this.#sequence)
    expect(discontinuities).toBeGreaterThanOrEqual(this.#discontinuities)
    this.#sequence = first
    this.#discontinuities = discontinuities
    let [number, take] = [first, discontinuities]
    for (const line of playlist.split("\n")) {
      if (line === "#EXT-X-DISCONTINUITY") take += 1
      if (!line.startsWith("https:")) continue
      expect(this.known.get(number) ?? line).toBe(line)
      expect(this.#takeOf.get(number) ?? take).toBe(take)
      // Discontinuities are between takes, and nowhere else.
      const of = line.split("/")[3] ?? ""
      expect(this.#numberOf.get(of) ?? take).toBe(take)
      this.#numberOf.set(of, take)
      this.known.set(number, line)
      this.#takeOf.set(number, take)
      number += 1
    }
  }
}

const stepsOf = (...some: ReadonlyArray<Step>) =>
  fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 80, size: "max" })
const runs = fc.oneof(
  stepsOf("grow", "grow", "grow", "end", "begin", "read", "read"),
  stepsOf("grow", "grow", "grow", "grow", "end", "overdue", "begin", "fail", "delete", "hide", "show", "read", "read"),
)

test("a number keeps its segment and numbers do not go back when takes fail or are deleted; the whole has every segment that is left", () => {
  fc.assert(
    fc.property(runs, (steps) => {
      const stage = new Stage()
      for (const step of steps) stage.do(step)
      const takes = stage.now("whole")
      const whole = writeWhole(takes, stage.shown)
      const listed = addressesIn(whole)
      expect(listed).toHaveLength(takes.reduce((sum, { segments }) => sum + segments.length, 0))
      if (listed.length === 0) return
      const first = numberIn(whole, "MEDIA-SEQUENCE")
      if (!stage.isLossy) expect(first).toBe(0)
      // A viewer at the end of the broadcast goes on in the whole of it.
      const last = takes.findLast(({ segments }) => segments.length > 0)
      const end = (last?.place?.first ?? 0) + (last?.segments.length ?? 0)
      const isKept = (address: string): boolean =>
        !stage.isLossy || (end >= listed.length && address.startsWith(`https://bucket/${last?.id}/`))
      const kept = [...stage.known].filter(([, address]) => isKept(address))
      for (const [number, address] of kept) expect(listed[number - first]).toBe(address)
    }),
    { numRuns: 300 },
  )
})

test("a take that comes after a later one was shown is not shown, and takes no numbers", () => {
  const late: TakeNow = { id: "a", first: 0, segments: [segment(0), segment(1)], hasEnded: true, place: null }
  const shown: TakeNow = { id: "b", first: 0, segments: [segment(0)], hasEnded: false, place: { take: 0, first: 0 } }
  const { segments, numbers, places } = planStage([late, shown], { oldest: 0, next: 1, takes: 1 })
  expect(segments.map(({ of, number }) => `${of} ${number}`)).toEqual(["b 0"])
  expect(numbers).toEqual({ oldest: 0, next: 1, takes: 1 })
  expect(places.size).toBe(0)
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
  const whole = {
    first: 3,
    segments: [
      { name: "segment_00003.ts", seconds: 2, at: "2026-11-23T10:00:00.123Z" },
      { name: "segment_00004.ts", seconds: 1.5, at: null },
    ],
    hasEnded: true,
  }
  expect(read(text)).toEqual(whole)
  expect(read(`${text.replaceAll("\n", "\r\n")}\r\n`)).toEqual(whole)
  for (let length = 0; length < text.length; length++) {
    const { segments, hasEnded } = read(text.slice(0, length))
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
  expect(read(hostile.join("\n")).segments).toEqual([])
})

test("an entry that is not understood leaves the others their numbers, and is a gap for players", () => {
  const entries = [
    "#EXTINF:x,",
    "a.ts",
    "#EXTINF:2.000,",
    "b.ts",
    "#EXTINF:2.000,",
    "c?.ts",
    "d.ts",
    "#EXTINF:1.500,",
    "e.ts",
  ]
  const taken = read(["#EXT-X-MEDIA-SEQUENCE:7", ...entries, "#EXTINF:2.0"].join("\n"))
  expect(taken).toEqual({
    first: 8,
    segments: [
      { name: "b.ts", seconds: 2, at: null },
      { name: null, seconds: 2, at: null },
      { name: null, seconds: 2, at: null },
      { name: "e.ts", seconds: 1.5, at: null },
    ],
    hasEnded: false,
  })
  const { segments } = planStage([{ ...taken, id: "take", place: null }], NOTHING)
  const playlist = writeStagePlaylist(segments, addressOf) ?? ""
  expect(numberIn(playlist, "MEDIA-SEQUENCE")).toBe(8)
  expect(playlist).toContain(
    "#EXTINF:2.000,\nhttps://bucket/take/b.ts\n#EXT-X-GAP\n#EXTINF:2.000,\ngap.ts\n#EXT-X-GAP\n#EXTINF:2.000,\ngap.ts\n#EXTINF:1.500,",
  )
  const whole = writeWhole([{ ...taken, id: "take", place: null }], NOTHING)
  expect([numberIn(whole, "MEDIA-SEQUENCE"), whole.match(/#EXT-X-GAP/g)?.length]).toEqual([8, 2])
})

test("a broadcast of a week, in several takes, has a playlist of all of its segments", () => {
  const segments = Array.from({ length: 43_200 }, (_, n) => segment(n))
  const takes = Array.from({ length: 7 }, (_, n) => ({
    first: 0,
    segments,
    hasEnded: true,
    id: `take${n}`,
    place: null,
  }))
  const playlist = writeWhole(takes, NOTHING)
  expect(addressesIn(playlist)).toHaveLength(7 * 43_200)
  expect(numberIn(playlist, "TARGETDURATION")).toBe(2)
})
