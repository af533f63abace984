/**
 * Whoever asks without a name must not be found out from what is stored. The answer to their command is kept, so that a
 * repeat gets it again, but under a name that only the holder of the server's secret key could tie to them, and only by
 * trying everyone.
 */
import { createHmac } from "node:crypto"
import { isKeyedScope, keyedScope } from "../model/command-scopes.ts"
import type { Envelope } from "./commands.ts"

const isUnnamed = ({ command }: Envelope): boolean => command.type === "question.ask" && command.d.anonymous === true

/** The scope under which the command's id is remembered. */
export const withScope = (key: Uint8Array, envelope: Envelope): Envelope => {
  if (!isUnnamed(envelope)) return envelope
  const { scope, commandId } = envelope
  const pseudonym = createHmac("sha256", key).update(`${scope}\n${commandId}`).digest("base64url")
  return { ...envelope, scope: isKeyedScope(scope) ? keyedScope(pseudonym) : pseudonym }
}
