/** Plays a vector with a client in any language, and compares what the client tells. */
import { readdirSync, readFileSync } from "node:fs"
import { expect } from "vitest"
import { eventually } from "../../support/wait.ts"
import { type Frame, ScriptedServer, type TokenAnswer } from "./scripted-server.ts"

/** What a client told. */
export interface Told {
  /** Names and data of the dispatches. Of a `ready`, only `resumed` is told. */
  readonly dispatches: unknown[]
  /** Each status; each failed attempt with its kind, its code and the wait for the next one; and the end with its cause. */
  readonly status: unknown[]
  /** The outcomes of commands, by their labels. */
  readonly replies: { [label: string]: unknown }
}

export interface VectorOptions {
  readonly firstMs?: number
  readonly longestMs?: number
  readonly commandTimeoutMs?: number
  readonly helloTimeoutMs?: number
  readonly mute?: ReadonlyArray<"reactions" | "transcript">
}

export interface CommandAction {
  readonly label: string
  readonly t: string
  readonly d: Frame
  readonly id?: string
  readonly rev?: number
}

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

export interface Vector {
  readonly name: string
  readonly options?: VectorOptions
  readonly tokens?: ReadonlyArray<TokenAnswer>
  readonly steps: ReadonlyArray<readonly [name: string, ...values: unknown[]]>
  /** A list that is absent is not compared. */
  readonly dispatches?: ReadonlyArray<unknown>
  readonly status?: ReadonlyArray<unknown>
  readonly replies?: { readonly [label: string]: unknown }
}

/** Cases make a vector for each of them: `$case` stands for the case. */
type Written = Vector & { readonly cases?: ReadonlyArray<unknown> }

const FOLDER = new URL("./", import.meta.url)

const VECTORS: ReadonlyArray<Vector> = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .toSorted()
  .flatMap((name) => {
    const written: ReadonlyArray<Written> = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"))
    return written.flatMap(({ cases = [undefined], ...vector }) =>
      cases.map(
        (one): Vector =>
          JSON.parse(
            JSON.stringify(vector)
              .replaceAll('"$case"', JSON.stringify(one ?? null))
              .replaceAll("$case", String(one)),
          ),
      ),
    )
  })

/** Each with its whole name as the first of the pair: the name of its test. */
export const NAMED_VECTORS = VECTORS.map((vector) => [vector.name, vector] as const)

/** Fails where the client goes on for ever, and as its program failed. */
const endOf = async (driven: Driven): Promise<void> => {
  let isOver = false
  const ending = driven.ended().finally(() => {
    isOver = true
  })
  ending.catch(() => {})
  await eventually(() => isOver, "the end of the client")
  await ending
}

const countOf = (values: Told[keyof Told]): number => Object.keys(values).length

export const play = async (vector: Vector, drive: Drive): Promise<void> => {
  const server = new ScriptedServer(vector.tokens ?? [])
  let client: Driven | undefined
  try {
    const driven = await drive(await server.listen(), { firstMs: 10, longestMs: 10, ...vector.options })
    client = driven
    const actions: { readonly [name: string]: (...values: never[]) => unknown } = {
      ...server.steps,
      command: (action: CommandAction) => driven.command(action),
      stop: () => driven.close(),
      stall: (ms: number) => driven.stall(ms),
      until: (list: keyof Told, count: number) =>
        eventually(() => countOf(driven.told[list]) >= count, `${count} entries of ${list}`),
    }
    for (const [name, ...values] of vector.steps) {
      const action = actions[name]
      if (action === undefined) throw new Error(`there is no step ${name}`)
      await action(...(values as never[]))
    }
    await endOf(driven)
    expect(server.unexpected).toEqual([])
    const { dispatches = driven.told.dispatches, status = driven.told.status, replies = {} } = vector
    expect(driven.told).toEqual({ dispatches, status, replies })
  } catch (cause) {
    throw new Error(
      `${cause instanceof Error ? cause.message : cause}\nThe client told ${JSON.stringify(client?.told)}`,
      { cause },
    )
  } finally {
    client?.kill()
    await server.stop()
  }
}
