/** The sound that ffmpeg decodes is bounded by the length that is asked for, whatever the file makes of it. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { FfmpegFailed, soundOf } from "../../src/media/derivations/ffmpeg.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { eventually } from "../support/wait.ts"

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test("a decoder that writes sound without end is killed, and another try is of no use", async () => {
  const folder = await temporaryFolder()
  const [ffmpeg, pid] = [join(folder, "ffmpeg"), join(folder, "pid")]
  await writeFile(ffmpeg, `#!/bin/sh\necho $$ > ${pid}\nexec /bin/cat /dev/zero\n`, { mode: 0o755 })
  const run = { ffmpeg, signal: new AbortController().signal }
  const failure = await soundOf(run, { path: join(folder, "film.mkv") }, 0, 1000).catch((cause: unknown) => cause)
  expect(failure).toBeInstanceOf(FfmpegFailed)
  expect(failure).toMatchObject({ isFinal: true })
  const child = Number(await readFile(pid, "utf8"))
  await eventually(() => !isAlive(child), "the end of the decoder")
})
