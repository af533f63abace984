/** Plays a vector with a client, and compares what the client sends and tells. */

import { Broken, eventually } from "./eventually.ts"
import { Patterns } from "./matching.ts"
import { ScriptedServer } from "./scripted-server.ts"
import type { CommandAction, Told, Vector, VectorOptions } from "./vectors.ts"

/** A client that has begun to connect. */
export interface Driven {
  readonly told: Told
  readonly command: (action: CommandAction) => void
  readonly close: () => void
  /** Lets the whole process of the client stand still for so long. */
  readonly stall: (ms: number) => void
  /** Resolves when the client has stopped and told everything; nothing is asked of it any more. */
  readonly ended: () => Promise<void>
  /** Ends a client that may do nothing else any more. */
  readonly kill: () => void
}

export type Drive = (baseUrl: string, options: VectorOptions) => Driven | Promise<Driven>

interface PlayOptions {
  /** Milliseconds after which what has not come will not come. */
  readonly patienceMs: number
  /** The lists that the client tells; others are not compared. */
  readonly tells?: ReadonlyArray<keyof Told>
}

/** A client that gives up an attempt while the kit is busy would be played against a connection that is gone. */
const OPTIONS = { firstMs: 10, longestMs: 10, helloTimeoutMs: 600_000 }

const LISTS = ["dispatches", "status", "replies"] as const

/** Fails where the client goes on for ever, and as its program failed. */
const endOf = async (driven: Driven, patienceMs: number): Promise<void> => {
  let isOver = false
  const ending = driven.ended().finally(() => {
    isOver = true
  })
  ending.catch(() => {})
  await eventually(() => isOver, "the end of the client", patienceMs)
  await ending
}

/** @throws Broken with what the client told, where it is not what the vector expects */
export const play = async (vector: Vector, drive: Drive, options: PlayOptions): Promise<void> => {
  const { patienceMs, tells = LISTS } = options
  const patterns = new Patterns()
  const server = new ScriptedServer(vector.tokens ?? [], patterns, patienceMs)
  let client: Driven | undefined
  try {
    const driven = await drive(await server.listen(), { ...OPTIONS, ...vector.options })
    client = driven
    const actions: { readonly [name: string]: (...values: never[]) => unknown } = {
      ...server.steps,
      command: (action: CommandAction) => driven.command(action),
      stop: () => driven.close(),
      stall: (ms: number) => driven.stall(ms),
      until: (list: keyof Told, count: number) => {
        const holds = (): boolean => Object.keys(driven.told[list]).length >= count || !tells.includes(list)
        return eventually(holds, `entry ${count} of ${list}`, patienceMs)
      },
    }
    for (const [name, ...values] of vector.steps) {
      const action = actions[name]
      if (action === undefined) throw new Error(`there is no step ${name}`)
      await action(...(values as never[]))
    }
    await endOf(driven, patienceMs)
    patterns.check("what no step expected", [], server.unexpected)
    for (const list of LISTS.filter((one) => tells.includes(one)))
      patterns.check(list, vector[list] ?? (list === "replies" ? {} : "*"), driven.told[list])
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new Broken(`${message}\nThe client told ${JSON.stringify(client?.told)}`, { cause })
  } finally {
    client?.kill()
    await server.stop()
  }
}
