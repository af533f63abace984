/** Inspections of files that the system does not read. */
import { mkdir } from "node:fs/promises"
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
