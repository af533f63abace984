/**
 * Sessions of event streams. A stream carries frames in one direction, so its client sends frames by separate requests with the stream's
 * secret. A request may reach another process of the deployment than the one that has the stream.
 */
import { Context, Effect, Layer } from "effect"
import { Unauthorized, type Unavailable } from "../model/errors.ts"
import { hashSecret, newSecret } from "./secrets.ts"

/** Takes a frame of the stream's client. */
type Take = (frame: Uint8Array) => void

interface StreamSession {
  /** Known to the stream's client alone; valid while the stream is open. */
  readonly secret: string
  readonly end: () => void
}

export class StreamSessions extends Context.Service<
  StreamSessions,
  {
    /** Begins the session of a stream of this process. */
    readonly begin: (take: Take) => StreamSession
    /** Passes a frame to the stream with this secret, on whichever process it is. */
    readonly pass: (secret: string, frame: Uint8Array) => Effect.Effect<void, Unauthorized | Unavailable>
  }
>()("gathercue/StreamSessions") {
  /** A process that runs alone. */
  static readonly layer: Layer.Layer<StreamSessions> = Layer.sync(StreamSessions, () => {
    const { begin, passHere } = streamSessionsHere()
    const pass: StreamSessions["Service"]["pass"] = (secret, frame) =>
      Effect.suspend(() => (passHere(hashOf(secret), frame) ? Effect.void : Effect.fail(NO_STREAM)))
    return { begin, pass }
  })
}

export const NO_STREAM = new Unauthorized({
  detail: "Send the session of an open stream as a bearer token. A session ends with its stream: open another one.",
})

/** Sessions are compared by hash, so that a lookup leaks nothing about a secret. */
const hashOf = (secret: string): string => Buffer.from(hashSecret(secret)).toString("base64")

const PLACE_LENGTH = 8
const SECRET = new RegExp(`^([0-9A-Za-z]{${PLACE_LENGTH}})\\.[0-9A-Za-z]{43}$`)

/** The process in whose memory a session is, and the hash of its secret; undefined for a text that is no secret. */
export const readSecret = (secret: string): { readonly place: string; readonly hash: string } | undefined => {
  const place = SECRET.exec(secret)?.[1]
  return place === undefined ? undefined : { place, hash: hashOf(secret) }
}

/** Sessions of this process alone. `place`: its name in the secrets. */
export const streamSessionsHere = (place = newSecret().slice(0, PLACE_LENGTH)) => {
  const open = new Map<string, Take>()
  return {
    place,
    begin: (take: Take): StreamSession => {
      const secret = `${place}.${newSecret()}`
      const hash = hashOf(secret)
      open.set(hash, take)
      return { secret, end: () => void open.delete(hash) }
    },
    /** Whether a stream of this process has taken the frame. */
    passHere: (hash: string, frame: Uint8Array): boolean => {
      const take = open.get(hash)
      take?.(frame)
      return take !== undefined
    },
  }
}
