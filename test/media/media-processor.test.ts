/** The server's end of the process for media, with real processes that hang, grow, crash or answer. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { MediaProcessor } from "../../src/media/processing/media-processor.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** A process that does as the path of its task says. */
const MODULE = `
const held = []
process.on("message", ({ id, source: { path } }) => {
  if (path === "hang") for (;;);
  // timed: the process takes more and more memory on purpose.
  if (path === "grow") setInterval(() => held.push(Buffer.alloc(20_000_000, 1)), 5)
  if (path === "crash") process.exit(3)
  if (path === "fault") process.send({ id, fault: "no such file" })
  if (path === "environment") process.send({ id, fault: Object.keys(process.env).join() })
  if (path === "answer") process.send({ id, result: { outcome: "refused", failure: { code: "unreadable_media", detail: "x" } } })
})
process.on("disconnect", () => process.exit())
`

const open = async (givenMs: number): Promise<MediaProcessor["Service"]> => {
  const module = join(await temporaryFolder(), "process.mjs")
  await writeFile(module, MODULE)
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const withinMs = (sizeBytes: number | null) => Math.min(givenMs, sizeBytes ?? givenMs)
  const layer = MediaProcessor.layer({ entry: { module, args: [] }, withinMs, maxResidentBytes: 200_000_000 })
  const built = Layer.buildWithScope(layer.pipe(Layer.provide(Telemetry.layer("silent"))), scope)
  return Context.get(await Effect.runPromise(built), MediaProcessor)
}

const taskOf = (path: string, sizeBytes: number | null = null) => ({ source: { path }, sizeBytes, wantsSha256: true })

const failureOf = (processor: MediaProcessor["Service"], path: string, sizeBytes: number | null = null) =>
  Effect.runPromise(Effect.flip(processor.inspect(taskOf(path, sizeBytes))))

test("a task that takes too long is given up, and the next one has a process of its own", async () => {
  // A small file has less time than one whose size is not known.
  const processor = await open(60_000)
  expect(await failureOf(processor, "hang", 300)).toMatchObject({ tooMuch: true, detail: "time" })
  expect(await Effect.runPromise(processor.inspect(taskOf("answer")))).toMatchObject({
    outcome: "refused",
  })
})

test("a task that takes too much memory is given up", async () => {
  // Other systems do not say how much memory another process has: there its time ends.
  const detail = process.platform === "linux" ? "memory" : "time"
  expect(await failureOf(await open(10_000), "grow")).toMatchObject({ tooMuch: true, detail })
})

test("a crash is a failed try, and so is a fault; neither is taken for too much", async () => {
  const processor = await open(30_000)
  expect(await failureOf(processor, "crash")).toMatchObject({ tooMuch: false })
  expect(await failureOf(processor, "fault")).toMatchObject({ tooMuch: false, detail: "no such file" })
  expect(await Effect.runPromise(processor.inspect(taskOf("answer")))).toMatchObject({
    outcome: "refused",
  })
})

test("the process has no variable of the server's environment", async () => {
  const { detail } = await failureOf(await open(30_000), "environment")
  expect(detail.split(",")).not.toContain("PATH")
})
