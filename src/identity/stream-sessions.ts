/**
 * Sessions of event streams. A stream carries frames in one direction, so its client sends frames by separate requests with the stream's
 * secret. A request may reach another process of the deployment than the one that has the stream. Secrets are signed, so that a process
 * passes on nothing for a caller who never had a stream.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { KeyRing } from "../crypto/secret-key.ts"
import { Unauthorized, type Unavailable } from "../model/errors.ts"
import { hashSecret, newSecret } from "./secrets.ts"

/** Purpose of the keys that sign the secrets. */
export const STREAM_SESSIONS_PURPOSE = "stream-sessions"

/** Takes a frame of the stream's client. */
type Take = (frame: Uint8Array) => void

interface StreamSession {
  /** Known to the stream's client alone; valid while the stream is open. */
  readonly secret: string
  readonly end: () => void
}

/** Passes a frame to the stream of a session, on whichever process it is. */
export type PassFrame = (frame: Uint8Array) => Effect.Effect<void, Unauthorized | Unavailable>

export class StreamSessions extends Context.Service<
  StreamSessions,
  {
    /** Begins the session of a stream of this process. */
    readonly begin: (take: Take) => StreamSession
    /** Fails for a secret that no process of the deployment gave, and for one of this process whose stream has ended. */
    readonly find: (secret: string) => Effect.Effect<PassFrame, Unauthorized>
  }
>()("gathercue/StreamSessions") {
  /** Sessions of a process that runs alone. */
  static readonly layer = (keys: KeyRing): Layer.Layer<StreamSessions> =>
    Layer.sync(StreamSessions, () => {
      const { begin, find } = streamSessionsHere(keys)
      return { begin, find: find(() => () => Effect.fail(NO_STREAM)) }
    })
}

export const NO_STREAM = new Unauthorized({
  detail: "Send the session of an open stream as a bearer token. A session ends with its stream: open another one.",
})

/** Sessions are compared by hash, so that a lookup leaks nothing about a secret. */
const hashOf = (secret: string): string => Buffer.from(hashSecret(secret)).toString("base64")

const PLACE_LENGTH = 8
/** 128 bits. */
const TAG_BYTES = 16
/** Place, random part and tag. */
const SECRET = new RegExp(`^(([0-9A-Za-z]{${PLACE_LENGTH}})\\.[0-9A-Za-z]{43})\\.([\\w-]{22})$`)

const tagOf = (key: Uint8Array, signed: string): Buffer =>
  createHmac("sha256", key).update(signed).digest().subarray(0, TAG_BYTES)

/** The process in whose memory a session is, and the hash of its secret; undefined for a text that no key has signed. */
const readSecret = (keys: KeyRing, secret: string): { readonly place: string; readonly hash: string } | undefined => {
  const [, signed = "", place = "", tag = ""] = SECRET.exec(secret) ?? []
  const given = Buffer.from(tag, "base64url")
  if (given.length !== TAG_BYTES || !keys.some((key) => timingSafeEqual(given, tagOf(key, signed)))) return undefined
  return { place, hash: hashOf(secret) }
}

/** Sessions of this process alone, whose name in the secrets is `place`. */
export const streamSessionsHere = (keys: KeyRing, place = newSecret().slice(0, PLACE_LENGTH)) => {
  const open = new Map<string, Take>()
  /** Whether a stream of this process has taken the frame. */
  const passHere = (hash: string, frame: Uint8Array): boolean => {
    const take = open.get(hash)
    take?.(frame)
    return take !== undefined
  }
  return {
    place,
    begin: (take: Take): StreamSession => {
      const signed = `${place}.${newSecret()}`
      const secret = `${signed}.${tagOf(keys[0], signed).toString("base64url")}`
      const hash = hashOf(secret)
      open.set(hash, take)
      return { secret, end: () => void open.delete(hash) }
    },
    passHere,
    /** `elsewhere` passes frames to a session of another process. */
    find:
      (elsewhere: (place: string, hash: string) => PassFrame): StreamSessions["Service"]["find"] =>
      (secret) =>
        Effect.suspend(() => {
          const read = readSecret(keys, secret)
          if (read === undefined) return Effect.fail(NO_STREAM)
          const { hash } = read
          if (read.place !== place) return Effect.succeed(elsewhere(read.place, hash))
          if (!open.has(hash)) return Effect.fail(NO_STREAM)
          return Effect.succeed((frame) =>
            Effect.suspend(() => (passHere(hash, frame) ? Effect.void : Effect.fail(NO_STREAM))),
          )
        }),
  }
}
