/** Builds the envelope of a gateway command for the live event: the caller, the idempotency key, and the command. */
import { createHash } from "node:crypto"
import type { Caller, Command, Envelope } from "../../actors/commands.ts"
import { newId } from "../../model/ids.ts"
import type { LiveCommandName } from "../../protocol/contract.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { Sender } from "./sender.ts"

/** One text for each JSON value, whatever the order of its keys. The value must come from `JSON.parse` and be shallow. */
export const canonical = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`
}

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
  t: LiveCommandName,
  d: unknown,
  frame: CommandFrame,
  { identity: by, address, isRequest }: Pick<Sender, "identity" | "address" | "isRequest">,
): Envelope => ({
  commandId: frame.id,
  scope: by.participantId,
  bodyHash: bodyHash(frame),
  by: { ...callerOf(by, address), ...(isRequest === true && { isRequest }) },
  freshId: newId(),
  command: { type: t, d, ...(frame.rev === undefined ? {} : { rev: frame.rev }) } as Command,
})
