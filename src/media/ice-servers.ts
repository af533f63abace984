/**
 * ICE servers, by which browsers find a way to each other: a STUN server answers with the address that a browser is seen under, a TURN
 * server relays. This server makes the TURN credentials with a shared secret, and they expire by themselves (draft-uberti-behave-turn-rest;
 * coturn: `use-auth-secret`).
 */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import { isTurnUrl } from "../model/media/ice-url.ts"

export interface IceOptions {
  /** Addresses of the schemes `stun:`, `stuns:`, `turn:` and `turns:`. */
  readonly urls: ReadonlyArray<string>
  /** Secret shared with the TURN servers; null when there are none. */
  readonly turnSecret: Redacted.Redacted<string> | null
}

interface IceServerEntry {
  readonly urls: ReadonlyArray<string>
  readonly username?: string
  readonly credential?: string
}

/** Lifetime of a credential. A browser needs it to begin a connection, and again to restart one. */
const CREDENTIAL_SECONDS = 3600

/** The user name is the Unix time of expiry and the participant; the password is its signature. */
const turnCredential = (secret: string, participantId: string, now: number) => {
  const username = `${Math.floor(now / 1000) + CREDENTIAL_SECONDS}:${participantId}`
  return { username, credential: createHmac("sha1", secret).update(username).digest("base64") }
}

/** ICE servers for a browser's `RTCPeerConnection`. `now` is in Unix milliseconds. */
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
