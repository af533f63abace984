/**
 * Stored data must not identify an anonymous caller. The answer to their command is kept for repeats under a pseudonym. Only the holder of
 * the server's secret key can link it to the participant, and only by trying every participant. Addresses of anonymous callers become
 * pseudonyms too, which differ between events.
 */
import { createHmac } from "node:crypto"
import { isKeyedScope, keyedScope } from "../../model/live/command-scopes.ts"
import type { Envelope } from "../commands.ts"

const isUnnamed = ({ command }: Envelope): boolean => command.type === "question.ask" && command.d.anonymous === true

const ORIGIN_BYTES = 9

const withOrigin = (key: Uint8Array, eventId: string, envelope: Envelope): Envelope => {
  const { by } = envelope
  if (by?.address === undefined) return envelope
  const digest = createHmac("sha256", key).update(`${eventId}\n${by.address}`).digest()
  return { ...envelope, by: { ...by, address: digest.subarray(0, ORIGIN_BYTES).toString("base64url") } }
}

/** The envelope as the live event receives it. */
export const pseudonymous = (key: Uint8Array, eventId: string, envelope: Envelope): Envelope =>
  withScope(key, withOrigin(key, eventId, envelope))

/** Replaces the scope under which the command id is remembered. */
const withScope = (key: Uint8Array, envelope: Envelope): Envelope => {
  if (!isUnnamed(envelope)) return envelope
  const { scope, commandId } = envelope
  const pseudonym = createHmac("sha256", key).update(`${scope}\n${commandId}`).digest("base64url")
  return { ...envelope, scope: isKeyedScope(scope) ? keyedScope(pseudonym) : pseudonym }
}
