/** A folder for one test, removed when the test ends. A test that runs beside others gives its own `onTestFinished`. */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

export async function temporaryFolder(whenFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  // Under root the database's system user must be able to pass through it.
  await chmod(folder, 0o711)
  whenFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
