/** From a gateway command to the live event's: who asked, under which key, and what exactly. */
import { createHash } from "node:crypto"
import type { ActivityCommand, Caller, Command, Envelope } from "../actors/commands.ts"
import { ACTIVITY_COMMANDS, type ActivityName } from "../model/activity-commands.ts"
import { newId } from "../model/ids.ts"
import type { CommandName } from "../model/permissions.ts"
import { canonical } from "./canonical-json.ts"
import type { Connection, Identity } from "./connection.ts"
import type { CommandData } from "./protocol/commands.ts"
import type { CommandFrame } from "./protocol/frames.ts"

/** Commands the gateway answers itself. */
export type LocalCommand = "roster.list" | "reaction.send" | "leave" | "sync"
export type ActorCommand = Exclude<CommandName, LocalCommand>
type SteeringName = Exclude<ActorCommand, ActivityName>

interface Rev {
  readonly rev?: number
}

const STEERING: { readonly [T in SteeringName]: (d: CommandData<T>, rev: Rev) => Command } = {
  "phase.next": ({ phaseId }, rev) => ({ type: "advance", phaseId: phaseId ?? null, ...rev }),
  "phase.update": (d, rev) => ({ type: "updatePhase", ...d, ...rev }),
  "event.end": () => ({ type: "end" }),
  "timer.extend": ({ timerId, seconds }, rev) => ({ type: "extendTimer", phaseId: timerId, seconds, ...rev }),
}

const isActivity = (t: string): t is ActivityName => t in ACTIVITY_COMMANDS

const commandOf = (t: ActorCommand, d: unknown, rev: Rev): Command =>
  isActivity(t)
    ? ({ type: t, d, ...rev } as ActivityCommand)
    : (STEERING[t] as (d: unknown, rev: Rev) => Command)(d, rev)

/** Two frames ask for the same when this is the same; the order of keys does not matter. */
export const bodyHash = ({ t, d, rev }: CommandFrame): string =>
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
  t: ActorCommand,
  d: unknown,
  frame: CommandFrame,
  { identity: by, address }: Pick<Connection, "identity" | "address">,
): Envelope => ({
  commandId: frame.id,
  scope: by.participantId,
  bodyHash: bodyHash(frame),
  by: callerOf(by, address),
  at: Date.now(),
  freshId: newId(),
  command: commandOf(t, d, frame.rev === undefined ? {} : { rev: frame.rev }),
})
