/** A backup of the embedded database in a bucket on an S3 server of others: made twice, kept once, restored on trial and for good. */
import { expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace } from "../test/support/api.ts"
import { runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { startSwift } from "./swift/swift-bucket.ts"

test("Swift keeps a backup, which is restored on trial and then elsewhere", async () => {
  const swift = await startSwift()
  onTestFinished(() => swift.close())
  const [dataDir, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
  const server = await startServerProcess({ DATA_DIR: dataDir, PORT: "0" })
  onTestFinished(() => void server.child.kill("SIGKILL"))
  const { key } = await createWorkspace(server.url)
  await createEvent(server.url, key, { title: "kept" })
  const container = new URL(swift.environment["S3_URL"] ?? "").pathname.split("/")[1]
  const to = `s3://${container}/site`
  const environment = { ...swift.environment, BACKUP_KEEP: "1" }
  for (const _ of ["first", "second"]) {
    const made = await runCommand(["backup", "--to", to], { DATA_DIR: dataDir, ...environment })
    expect([made.code, made.stderr]).toEqual([0, ""])
  }
  expect(await swift.stored("site/backups/")).toHaveLength(1)
  const verified = await runCommand(["backup", "--verify", "--to", to], environment)
  expect([verified.code, verified.stderr, verified.stdout]).toEqual([
    0,
    "",
    expect.stringContaining("restored and read"),
  ])
  const restored = await runCommand(["restore", to], { DATA_DIR: elsewhere, ...environment })
  expect([restored.code, restored.stderr]).toEqual([0, ""])
  const second = await startServerProcess({ DATA_DIR: elsewhere, PORT: "0" })
  const { body } = await call(second.url, "GET", "/v1/events", { key })
  expect(body.events.map(({ title }: { title: string }) => title)).toEqual(["kept"])
  await second.end("SIGTERM")
})
