/** From a gateway command to the live event's: who asked, under which key, and what exactly. */
import { createHash } from "node:crypto"
import type { Command, Envelope } from "../actors/commands.ts"
import { newId } from "../model/ids.ts"
import type { CommandName } from "../model/permissions.ts"
import { canonical } from "./canonical-json.ts"
import type { Identity } from "./connection.ts"
import type { CommandData } from "./protocol/commands.ts"
import type { CommandFrame } from "./protocol/frames.ts"

/** Commands the gateway answers itself. */
export type LocalCommand = "roster.list" | "leave" | "sync"
export type ActorCommand = Exclude<CommandName, LocalCommand>

interface Asked {
  readonly by: Identity
  readonly rev: number | undefined
}

type ToCommand = { readonly [T in ActorCommand]: (d: CommandData<T>, asked: Asked) => Command }

const revOf = ({ rev }: Asked) => (rev === undefined ? {} : { rev })

export const TO_COMMAND: ToCommand = {
  "phase.next": ({ phaseId }) => ({ type: "advance", phaseId: phaseId ?? null }),
  "phase.update": (d, asked) => ({ type: "updatePhase", ...d, ...revOf(asked) }),
  "event.end": () => ({ type: "end" }),
  "timer.extend": ({ timerId, seconds }, asked) => ({
    type: "extendTimer",
    phaseId: timerId,
    seconds,
    ...revOf(asked),
  }),
  announce: ({ text }, { by: { participantId, name } }) => ({
    type: "announce",
    announcementId: newId(),
    text,
    by: { participantId, name },
  }),
  "participant.remove": ({ id, block }) => ({ type: "removeParticipant", participantId: id, block: block ?? false }),
}

/** Two frames ask for the same when this is the same; the order of keys does not matter. */
const bodyHash = ({ t, d, rev }: CommandFrame): string =>
  createHash("sha256")
    .update(`${t} ${canonical(d ?? {})} ${rev ?? ""}`)
    .digest("base64url")

export const envelopeOf = <T extends ActorCommand>(
  t: T,
  d: CommandData<T>,
  frame: CommandFrame,
  by: Identity,
): Envelope => ({
  commandId: frame.id,
  scope: by.participantId,
  bodyHash: bodyHash(frame),
  role: by.role,
  at: Date.now(),
  command: TO_COMMAND[t](d, { by, rev: frame.rev }),
})
