/**
 * A separate process for untrusted bytes: whatever they do to the code that reads them, the server continues. It runs one task after the
 * other for its parent, and ends with it.
 */
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import type { ReadTranscript } from "../captions/read.ts"
import type { MediaSource } from "../storage/storage.ts"
import { cutMedia } from "./cut.ts"
import { inspect } from "./inspect.ts"
import type { CutTask, Cutting, InspectTask, MediaAnswer, MediaInspection, MediaTask } from "./protocol.ts"
import { bytesOf, readFault, StorageAway } from "./source.ts"

const answer = (message: MediaAnswer): void => {
  process.send?.(message)
}

const hashOf = async (source: MediaSource): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of bytesOf(source)) hash.update(chunk)
  return hash.digest("hex")
}

const say = (cause: unknown): void => answer({ said: String(cause) })

const inspection = async ({ source, wantsSha256 }: InspectTask): Promise<MediaInspection> => {
  const facts = await inspect(source, say)
  if ("code" in facts) return { outcome: "refused", failure: facts }
  const sha256 = !wantsSha256
    ? null
    : await hashOf(source).catch((cause: unknown) => {
        throw readFault(cause)
      })
  return { outcome: "readable", facts, sha256 }
}

const cutting = async (task: CutTask): Promise<Cutting> => {
  const facts = await cutMedia(task)
  if ("code" in facts) return { outcome: "refused", failure: facts }
  const { size } = await stat(task.output)
  return { outcome: "cut", facts, sizeBytes: size, sha256: await hashOf({ path: task.output }) }
}

const workOn = async (task: MediaTask): Promise<MediaInspection | Cutting | ReadTranscript> => {
  switch (task.kind) {
    case "inspect":
      return inspection(task)
    case "cut":
      return cutting(task)
    case "read": {
      // Loaded on demand, because an inspection does not need it.
      const { readTranscript } = await import("../captions/read.ts")
      return readTranscript(task.form, task.body, task.lenient)
    }
  }
}

const run = async (task: MediaTask): Promise<void> => {
  const { id } = task
  try {
    answer({ id, result: await workOn(task) })
  } catch (cause) {
    say(cause)
    const fault = cause instanceof Error ? cause.message : String(cause)
    answer({ id, fault, isAway: cause instanceof StorageAway })
  }
}

let turn: Promise<void> = Promise.resolve()
process.on("message", (task) => {
  turn = turn.then(() => run(task as MediaTask))
})
process.on("disconnect", () => process.exit())
