/** Long playlists are read and written in slices. */
import { expect, test } from "vitest"
import { inSlices } from "../../src/media/stage/slices.ts"
import { writingWholeStage } from "../../src/media/stage/stage-playlist.ts"
import { readingTake } from "../../src/media/stage/take-playlist.ts"
import { TextBytes } from "../../src/media/stage/text-bytes.ts"

/** How often the work gave the event loop back. Time is not measured: other processes may come in between. */
const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isOver = false
  const look = (): void => {
    turns += 1
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  return turns
}

test("the playlist of a day is read and written while the event loop does other work", async () => {
  const entries = Array.from(
    { length: 43_200 },
    (_, n) => `#EXT-X-PROGRAM-DATE-TIME:2026-11-23T10:00:00.123Z\n#EXTINF:2.000,\nsegment_${n}.ts\n`,
  )
  const text = `#EXTM3U\n${entries.join("")}#EXT-X-ENDLIST\n`
  const address = `https://bucket/${"x".repeat(500)}`
  const build = async (): Promise<Buffer> => {
    const { segments } = await inSlices(readingTake(text))
    const bytes = new TextBytes()
    const writing = writingWholeStage([{ id: "a", segments }], { number: 0, take: 0 }, () => address)
    await inSlices(writing, (piece) => bytes.add(piece))
    return bytes.joined()
  }
  const body = await build()
  expect(body.toString().split(address)).toHaveLength(43_201)
  // A quarter of a second in all on a quiet machine: less than ten milliseconds each.
  expect(await turnsOf(build)).toBeGreaterThan(25)
})
