/** The real process for media: files that it cannot be done with, and its death in the middle of a task. */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { MediaProcessor } from "../../../src/media/processing/media-processor.ts"
import { Telemetry } from "../../../src/telemetry/telemetry.ts"
import { compiled } from "../../support/compiled.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { eventually } from "../../support/wait.ts"
import { wavOf } from "../../support/wav.ts"

/** `name`: an argument by which the test's own process is told from others. */
const open = async (name: string, withinMs: number): Promise<MediaProcessor["Service"]> => {
  const module = await compiled("src/media/processing/media-process.ts")
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const layer = MediaProcessor.layer({
    entry: { module, args: [name] },
    withinMs: () => withinMs,
    maxResidentBytes: 1024 ** 3,
  })
  const built = Layer.buildWithScope(layer.pipe(Layer.provide(Telemetry.layer("silent"))), scope)
  return Context.get(await Effect.runPromise(built), MediaProcessor)
}

const fileOf = async (bytes: Uint8Array): Promise<string> => {
  const path = join(await temporaryFolder(), "recording")
  await writeFile(path, bytes)
  return path
}

const pidOf = async (name: string): Promise<number> => {
  let found = ""
  await eventually(async () => {
    found = await promisify(execFile)("pgrep", ["-f", `media-process.js ${name}$`]).then(
      ({ stdout }) => stdout.trim(),
      () => "",
    )
    return found !== ""
  }, "the process for media")
  return Number(found)
}

const MATROSKA = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff",
  "hex",
)

test("a file that makes its reader go on for ever is given up, and the next one is read", async () => {
  const processor = await open("endless", 4000)
  const endless = await fileOf(Buffer.concat([MATROSKA, Buffer.alloc(5000, 0xa3)]))
  const inspect = (path: string) => processor.inspect({ source: { path }, sizeBytes: null, wantsSha256: true })
  expect(await Effect.runPromise(Effect.flip(inspect(endless)))).toMatchObject({ tooMuch: true })
  expect(await Effect.runPromise(inspect(await fileOf(wavOf(1))))).toMatchObject({ outcome: "readable" })
})

test.each(["inspect", "cut"] as const)(
  "killed in the middle of a task to %s, it is started anew for the next try",
  async (kind) => {
    const processor = await open(`killed-${kind}`, 60_000)
    const path = await fileOf(wavOf(2))
    // Nobody writes to it, so that its reader is in the middle of the task for as long as it lives.
    const endless = `${path}.pipe`
    await promisify(execFile)("mkfifo", [endless])
    const tried = (from: string): Effect.Effect<{ readonly outcome: string }, unknown> => {
      const source = { path: from }
      return kind === "cut"
        ? processor.cut({
            source,
            output: `${path}.part`,
            startMs: 0,
            endMs: 1000,
            inside: false,
            mostBytes: 1_000_000,
          })
        : processor.inspect({ source, sizeBytes: null, wantsSha256: true })
    }
    const failed = Effect.runPromise(Effect.flip(tried(endless)))
    process.kill(await pidOf(`killed-${kind}`), "SIGKILL")
    expect(await failed).toMatchObject({ tooMuch: false, detail: expect.stringContaining("SIGKILL") })
    expect(await Effect.runPromise(tried(path))).toMatchObject({ outcome: kind === "cut" ? "cut" : "readable" })
  },
)
