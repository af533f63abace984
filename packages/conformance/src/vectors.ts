/** The vectors: what a server does and what a client must send and tell. `vectors/schema.json` describes their files. */
import { readdirSync, readFileSync } from "node:fs"
import type { ClientPromise } from "./client-promises.ts"
import type { Frame } from "./frames.ts"

export type Transport = "websocket" | "sse"

/** The answer to one request for a token: a refusal, or a token that is valid until `expiresAt`. */
export interface TokenAnswer {
  readonly status?: number
  readonly retryAfter?: string
  readonly expiresAt?: string
}

/** Options of the client. */
export interface VectorOptions {
  readonly firstMs?: number
  readonly longestMs?: number
  readonly commandTimeoutMs?: number
  readonly helloTimeoutMs?: number
  readonly mute?: ReadonlyArray<"reactions" | "transcript">
  readonly transport?: Transport
}

export interface CommandAction {
  readonly label: string
  readonly t: string
  readonly d: Frame
  readonly id?: string
  readonly rev?: number
}

/** The lists that a client has told. */
export interface Told {
  /** Names and data of the dispatches. Of a `ready`, only `resumed` is told. */
  readonly dispatches: unknown[]
  /** Each status; each failed attempt with its kind, its code and the wait for the next one; and the end with its cause. */
  readonly status: unknown[]
  /** The outcomes of commands, by their labels. */
  readonly replies: { [label: string]: unknown }
}

export interface Vector {
  readonly promise: ClientPromise
  readonly name: string
  /** The transports that it is about; absent: all. */
  readonly over?: ReadonlyArray<Transport>
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

const FOLDER = new URL("../vectors/", import.meta.url)

const casesOf = ({ cases = [null], ...vector }: Written): ReadonlyArray<Vector> => {
  const text = JSON.stringify(vector)
  return cases.map((one) =>
    JSON.parse(text.replaceAll('"$case"', JSON.stringify(one)).replaceAll("$case", String(one))),
  )
}

const VECTORS: ReadonlyArray<Vector> = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json") && name !== "schema.json")
  .toSorted()
  .flatMap((name) => {
    const written: ReadonlyArray<Written> = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"))
    return written.flatMap(casesOf)
  })

/** The vectors as they are played over a transport. Over an event stream all of them are about the same promise. */
export const vectorsOver = (transport: Transport): ReadonlyArray<Vector> =>
  VECTORS.filter(({ over = [transport] }) => over.includes(transport)).map((vector) =>
    transport === "websocket"
      ? vector
      : {
          ...vector,
          promise: "stream",
          options: { ...vector.options, transport },
          name: `${vector.name} (event stream)`,
        },
  )
