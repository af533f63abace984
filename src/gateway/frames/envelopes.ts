/** Builds the envelope of a gateway command for the live event: the caller, the idempotency key, and the command. */
import { createHash } from "node:crypto"
import type { Caller, Command, Envelope } from "../../actors/commands.ts"
import { newId } from "../../model/ids.ts"
import type { CommandName, GatewayCommandName } from "../../protocol/contract.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import { canonical } from "./canonical-json.ts"

/** Equal for two frames with the same request; the order of keys does not matter. */
const bodyHash = ({ t, d, rev }: CommandFrame): string =>
  createHash("sha256")
    .update(`${t} ${canonical(d ?? {})} ${rev ?? ""}`)
    .digest("base64url")

const callerOf = ({ participantId, name, userId, kind, role, walkIn, manages }: Identity, address: string): Caller => ({
  participantId,
  name,
  userId,
  kind,
  role,
  walkIn,
  manages,
  ...(kind === "anonymous" ? { address } : {}),
})

/** `d` has been decoded by the schema of `t`. */
export const envelopeOf = (
  t: Exclude<CommandName, GatewayCommandName>,
  d: unknown,
  frame: CommandFrame,
  { identity: by, address }: Pick<Connection, "identity" | "address">,
): Envelope => ({
  commandId: frame.id,
  scope: by.participantId,
  bodyHash: bodyHash(frame),
  by: callerOf(by, address),
  freshId: newId(),
  command: { type: t, d, ...(frame.rev === undefined ? {} : { rev: frame.rev }) } as Command,
})
