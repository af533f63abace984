/**
 * A process of its own for the bytes of strangers: whatever they do to the code that reads them, the server goes on. It takes one
 * task after the other from its parent and ends with it.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { cut } from "./cut.ts"
import { inspect } from "./inspect.ts"
import type { CutTask, Cutting, Inspection, MediaAnswer, MediaTask } from "./protocol.ts"

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

const say = (cause: unknown): void => answer({ said: String(cause) })

const measured = async (path: string) => {
  const { size } = await stat(path)
  return { sizeBytes: size, sha256: await hashOf(path) }
}

const inspection = async (path: string): Promise<Inspection> => {
  const facts = await inspect(path, say)
  if ("code" in facts) return { outcome: "refused", failure: facts }
  return { outcome: "readable", facts, ...(await measured(path)) }
}

const cutting = async (task: CutTask): Promise<Cutting> => {
  const facts = await cut(task)
  if ("code" in facts) return { outcome: "refused", failure: facts }
  return { outcome: "cut", facts, ...(await measured(task.output)) }
}

const run = async (task: MediaTask): Promise<void> => {
  const { id } = task
  try {
    answer({ id, result: await (task.kind === "inspect" ? inspection(task.path) : cutting(task)) })
  } catch (cause) {
    say(cause)
    answer({ id, fault: cause instanceof Error ? cause.message : String(cause) })
  }
}

let turn: Promise<void> = Promise.resolve()
process.on("message", (task) => {
  turn = turn.then(() => run(task as MediaTask))
})
process.on("disconnect", () => process.exit())
