/**
 * The servers by which browsers find a way to each other: a STUN server answers with the address that a browser is seen under, a
 * TURN server relays. A TURN server takes credentials that this server makes with the secret they share, and that end by themselves
 * (draft-uberti-behave-turn-rest; coturn: `use-auth-secret`).
 */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import { isTurnUrl } from "../model/media/ice-url.ts"

export interface IceOptions {
  /** `stun:`, `stuns:`, `turn:` and `turns:` addresses. */
  readonly urls: ReadonlyArray<string>
  /** Shared with the TURN servers; null: there are none. */
  readonly turnSecret: Redacted.Redacted<string> | null
}

interface IceServerEntry {
  readonly urls: ReadonlyArray<string>
  readonly username?: string
  readonly credential?: string
}

/** The life of a credential. A browser needs it to begin a connection, and again to restart one. */
const CREDENTIAL_SECONDS = 3600

/** The user name is the Unix time of the credential's end and the participant; the password is its signature. */
const turnCredential = (secret: string, participantId: string, now: number) => {
  const username = `${Math.floor(now / 1000) + CREDENTIAL_SECONDS}:${participantId}`
  return { username, credential: createHmac("sha1", secret).update(username).digest("base64") }
}

/** As a browser's `RTCPeerConnection` takes them. `now`: Unix milliseconds. */
export const iceServersFor = (
  { urls, turnSecret }: IceOptions,
  participantId: string,
  now: number,
): ReadonlyArray<IceServerEntry> => {
  const [relays, others] = [urls.filter(isTurnUrl), urls.filter((url) => !isTurnUrl(url))]
  return [
    ...(others.length === 0 ? [] : [{ urls: others }]),
    ...(relays.length === 0 || turnSecret === null
      ? []
      : [{ urls: relays, ...turnCredential(Redacted.value(turnSecret), participantId, now) }]),
  ]
}
