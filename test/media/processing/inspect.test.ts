/** Inspections of files that the system does not read. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { inspect } from "../../../src/media/processing/inspect.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

test("a disk that fails is no verdict on the file: reading it is tried again, for as long as that lasts", async () => {
  const path = join(await temporaryFolder(), "recording")
  // Reading a folder is refused by the system, as reading from a broken disk is.
  await mkdir(path)
  await expect(inspect({ path }, () => {})).rejects.toMatchObject({ name: "StorageAway" })
})

test("a file that is not there is no verdict either", async () => {
  const path = join(await temporaryFolder(), "absent")
  await expect(inspect({ path }, () => {})).rejects.toMatchObject({ code: "ENOENT" })
})

/** Frames of 128 kbit/s at 44.1 kHz without sound. */
const mp3Of = (frames: number): Buffer => {
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

test.each(["#EXTM3U\nhttp://10.0.0.1/\n", "[playlist]\nFile1=http://10.0.0.1/\n", "\u{feff}#EXTM3U\n"])(
  "sound behind the text %j is refused: a player may take the file for a playlist",
  async (text) => {
    const folder = await temporaryFolder()
    const [plain, hidden] = [join(folder, "plain"), join(folder, "hidden")]
    await writeFile(plain, mp3Of(40))
    await writeFile(hidden, Buffer.concat([Buffer.from(text), mp3Of(40)]))
    expect(await inspect({ path: plain }, () => {})).toMatchObject({ contentType: "audio/mpeg" })
    expect(await inspect({ path: hidden }, () => {})).toEqual({
      code: "unreadable_media",
      detail: "The file begins with text and not with sound.",
    })
  },
)
