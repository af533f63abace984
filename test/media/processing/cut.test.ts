/** Clips of files whose index says anything, and of files with tracks that not every container can hold. */
import { readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ALL_FORMATS, FilePathSource, Input } from "mediabunny"
import { expect, test } from "vitest"
import { cutMedia } from "../../../src/media/processing/cut.ts"
import { inspect } from "../../../src/media/processing/inspect.ts"
import { bombOf, mp4Of, type Track } from "../../support/mp4.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const MEBIBYTE = 1024 ** 2

const cutOf = async (file: Uint8Array, endMs: number, mostBytes = 64 * MEBIBYTE) => {
  const folder = await temporaryFolder()
  const [path, output] = [join(folder, "recording"), join(folder, "clip.part")]
  await writeFile(path, file)
  expect(await inspect({ path }, () => {})).toMatchObject({ contentType: expect.anything() })
  const facts = await cutMedia({ kind: "cut", source: { path }, output, startMs: 0, endMs, inside: false, mostBytes })
  return { folder, output, facts }
}

const codecsOf = async (path: string): Promise<ReadonlyArray<string | null>> => {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  try {
    const codecs = await Promise.all((await input.getTracks()).map((track) => track.getCodec()))
    return codecs.toSorted()
  } finally {
    input.dispose()
  }
}

const track = (entry: Track["entry"], at: number, more: Partial<Track> = {}): Track => ({
  entry,
  sampleBytes: 160,
  samples: 100,
  at,
  sampleMs: 20,
  ...more,
})
/** Samples of mu law are a byte each. */
const mulaw = (at: number): Track => track("mulaw", at, { sampleBytes: 1, samples: 2000, sampleMs: 1 })

test.each([
  ["of which the index is written last", 3000],
  ["of which the index is written first", 60],
])("a clip that would be much larger than its recording is refused, %s", async (_, seconds) => {
  const bomb = bombOf(3000)
  expect(bomb.byteLength).toBeLessThan(1.1 * MEBIBYTE)
  const { facts, output } = await cutOf(bomb, seconds * 1000, 32 * MEBIBYTE)
  expect(facts).toMatchObject({ code: "too_large" })
  const written = await stat(output).catch(() => ({ size: 0 }))
  expect(written.size).toBeLessThanOrEqual(32 * MEBIBYTE)
})

test("a clip within its limit is cut", async () => {
  const { facts } = await cutOf(bombOf(20), 10_000)
  expect(facts).toMatchObject({ contentType: "audio/mp4", actualStartMs: 0 })
})

test("a clip has all tracks, if need be in another container", async () => {
  const { facts, output } = await cutOf(mp4Of([track("opus", 0), mulaw(16_000)], Buffer.alloc(18_000), "qt  "), 1000)
  expect(facts).toMatchObject({ contentType: expect.stringMatching(/quicktime/), actualStartMs: 0 })
  expect(await codecsOf(output)).toEqual(["opus", "ulaw"])
})

test("a clip that would be without the picture is refused, and leaves nothing behind", async () => {
  const { facts, folder } = await cutOf(mp4Of([track("mpeg4", 0), track("opus", 16_000)], Buffer.alloc(32_000)), 1000)
  expect(facts).toMatchObject({ code: "track_not_copied" })
  expect(await readdir(folder)).toEqual(["recording"])
})
