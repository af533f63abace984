/**
 * A process of its own for the bytes of strangers: whatever they do to the code that reads them, the server goes on. It takes one
 * task after the other from its parent and ends with it.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { inspect } from "./inspect.ts"
import type { Inspection, MediaAnswer, MediaTask } from "./protocol.ts"

const answer = (message: MediaAnswer): void => {
  process.send?.(message)
}

/** 1 MiB: few reads, and little memory. */
const CHUNK = 1_048_576

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) hash.update(chunk as Uint8Array)
  return hash.digest("hex")
}

const inspection = async (path: string): Promise<Inspection> => {
  const found = await inspect(path, (cause) => answer({ said: String(cause) }))
  if ("code" in found) return { outcome: "refused", failure: found }
  const { size } = await stat(path)
  return { outcome: "readable", facts: found, sizeBytes: size, sha256: await hashOf(path) }
}

const run = async ({ id, path }: MediaTask): Promise<void> => {
  try {
    answer({ id, inspection: await inspection(path) })
  } catch (cause) {
    answer({ id, fault: cause instanceof Error ? cause.message : String(cause) })
  }
}

let turn: Promise<void> = Promise.resolve()
process.on("message", (task) => {
  turn = turn.then(() => run(task as MediaTask))
})
process.on("disconnect", () => process.exit())
