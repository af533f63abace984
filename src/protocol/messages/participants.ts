/** Commands of hosts on participants: roles, muting, removal, and the waiting room. */
import { Schema } from "effect"
import { AbsenceMeasure } from "../../model/host-absence.ts"
import { LobbyPolicy, ParticipantId } from "../../model/live/live-values.ts"
import { ParticipantKind } from "../../model/participants.ts"
import { EventRole } from "../../model/roles.ts"
import { Instant, InstantInput } from "../../model/timestamp.ts"
import { activityCommand } from "../command.ts"
import { ephemeral, ordered } from "../dispatch.ts"
import { everywhere, inCalls, type Rule, STAFF } from "../rule.ts"
import { OneParticipant, ParticipantIds, ParticipantReply } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

export const WaitingView = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  kind: ParticipantKind,
  since: Instant,
})
export type WaitingView = typeof WaitingView.Type

/** No host has been present since `since`, and this measure applies. */
export const HostAbsenceView = Schema.Struct({ since: Instant, measure: AbsenceMeasure })
export type HostAbsenceView = typeof HostAbsenceView.Type

const MANAGING = { allowed: everywhere(STAFF) } as const satisfies Rule
const LOBBY = { allowed: inCalls(STAFF) } as const satisfies Rule
const Ids = Schema.Array(Schema.String)

export const PARTICIPANT_COMMANDS = {
  /** Mutes for good without `until`; `on: false` ends the mute. */
  "participant.mute": activityCommand({
    ...MANAGING,
    data: Schema.Struct({ id: ParticipantId, until: optional(InstantInput), on: optional(Schema.Boolean) }),
    reply: Schema.Struct({ participantId: Schema.String, muted: Schema.Boolean, until: nullable(Schema.String) }),
    managersExemptIn: ["id"],
  }),
  "role.set": activityCommand({
    ...MANAGING,
    data: Schema.Struct({ id: ParticipantId, role: EventRole }),
    reply: Schema.Struct({ participantId: Schema.String, role: EventRole }),
    managersExemptIn: ["id"],
  }),
  "participant.remove": activityCommand({
    ...MANAGING,
    data: Schema.Struct({ id: ParticipantId, block: optional(Schema.Boolean) }),
    reply: Schema.Struct({ participantId: Schema.String, block: Schema.Boolean }),
    managersExemptIn: ["id"],
  }),
  /** Allows a participant who was removed for good to return. */
  "participant.unblock": activityCommand({
    ...MANAGING,
    data: OneParticipant,
    reply: ParticipantReply,
    managersExemptIn: [],
  }),
  /** `missing` in a reply: the given ids that are no longer waiting. */
  "lobby.admit": activityCommand({
    ...LOBBY,
    data: Schema.Union([Schema.Struct({ ids: ParticipantIds }), Schema.Struct({ all: Schema.Literal(true) })]),
    reply: Schema.Struct({ admitted: Ids, missing: Ids }),
    managersExemptIn: [],
  }),
  "lobby.deny": activityCommand({
    ...LOBBY,
    data: Schema.Struct({ ids: ParticipantIds, block: optional(Schema.Boolean) }),
    reply: Schema.Struct({ denied: Ids, missing: Ids }),
    managersExemptIn: ["ids"],
  }),
  "lobby.policy": activityCommand({
    ...LOBBY,
    data: Schema.Struct({ mode: LobbyPolicy }),
    reply: Schema.Struct({ mode: LobbyPolicy }),
  }),
  "participant.toLobby": activityCommand({
    ...LOBBY,
    data: OneParticipant,
    reply: ParticipantReply,
    managersExemptIn: ["id"],
  }),
} as const

export const PARTICIPANT_DISPATCHES = {
  "me.muted": ordered(["me"], Schema.Struct({ muted: Schema.Boolean, until: nullable(Instant) }), ["muted"]),
  "participant.removed": ordered(["staff"], Schema.Struct({ participantId: Schema.String, block: Schema.Boolean }), [
    "blocked",
  ]),
  "participant.unblocked": ordered(["staff"], Schema.Struct({ participantId: Schema.String }), ["blocked"]),
  "lobby.waiting": ordered(["staff"], Schema.Struct({ add: Schema.Array(WaitingView), remove: Ids }), ["lobby"]),
  "lobby.settings": ordered(["event"], Schema.Struct({ mode: LobbyPolicy }), ["lobby"]),
  /** A measure applies because no host is present; null: it ended. */
  "host.absence": ordered(["event"], Schema.Struct({ absence: nullable(HostAbsenceView) }), ["hostAbsence", "lobby"]),
  /** Sent to a participant in the waiting room. `admitted`: a `ready` follows. */
  "lobby.status": ephemeral(["me"], Schema.Struct({ state: Schema.Literals(["waiting", "admitted", "denied"]) }), []),
} as const
