/** A folder for one test, removed when the test ends. */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  // Under root the database's system user must be able to pass through it.
  await chmod(folder, 0o711)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
