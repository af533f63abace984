/** Long playlists are read and written in slices. */
import { expect, test } from "vitest"
import { inSlices } from "../../src/media/stage/slices.ts"
import { writingWholeStage } from "../../src/media/stage/stage-playlist.ts"
import { readingTake } from "../../src/media/stage/take-playlist.ts"
import { TextBytes } from "../../src/media/stage/text-bytes.ts"

/**
 * The longest processor time of this process between two turns of the event loop, as a share of all that the work took, and the number
 * of turns. Other processes that come in between do not count, and neither does how fast the machine is.
 */
const heldBy = async (work: () => Promise<unknown>): Promise<{ readonly longest: number; readonly turns: number }> => {
  let [longest, turns, isOver] = [0, 0, false]
  const startedAt = process.cpuUsage()
  let from = process.cpuUsage()
  const look = (): void => {
    const { user, system } = process.cpuUsage(from)
    longest = Math.max(longest, user + system)
    from = process.cpuUsage()
    turns += 1
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  const { user, system } = process.cpuUsage(startedAt)
  return { longest: longest / (user + system), turns }
}

/** In one go it is all of it. A collection of garbage takes its part. */
const MOST = 0.2

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
  // The garbage of the runs before is collected in some of them: the best one counts.
  const runs = [await heldBy(build)]
  while (runs.length < 10 && runs.every(({ longest }) => longest >= MOST)) runs.push(await heldBy(build))
  expect(Math.min(...runs.map(({ longest }) => longest))).toBeLessThan(MOST)
  for (const { turns } of runs) expect(turns).toBeGreaterThan(25)
})
