/**
 * Who may send which gateway command: the one table. It drives the server's checks, `me.can`, the generated docs and the
 * tests. A command asks for three things at once: a role in the active phase's modality, a modality that has such a thing,
 * and (for some) a feature of the phase. REST calls of the audience are checked by the same rows.
 */
import type { ParticipantKind } from "./participants.ts"
import type { Feature, Modality } from "./phase.ts"
import { type EventRole, narrowRole } from "./roles.ts"

/** Whoever is signed out is a viewer to whom the event may or may not allow to ask and to vote (specification §2). */
export type ActingRole = EventRole | "anonymous"

/** Who is anonymous stays that until a host makes more of them than a viewer. */
export const actingAs = ({ kind, role }: { readonly kind: ParticipantKind; readonly role: EventRole }): ActingRole =>
  kind === "anonymous" && role === "viewer" ? "anonymous" : role

type Roles = ReadonlyArray<ActingRole>
/** `none`: no phase is active. */
type Setting = Modality | "none"
/** Who may, by modality; where a modality is absent there is no such thing. Roles after narrowing by the active phase. */
type Cells = { readonly [S in Setting]?: Roles }

interface Rule {
  readonly cells: Cells
  /** The active phase must have this feature. */
  readonly feature?: Feature
  /** The event's setting that lets anonymous viewers do it. */
  readonly anonymous?: "questions" | "voting"
}

const STAFF: Roles = ["workspace_admin", "host"]
const STAGE: Roles = [...STAFF, "speaker"]
const CALL: Roles = [...STAFF, "participant"]
const AUDIENCE: Roles = [...STAGE, "participant", "viewer"]
const EVERYONE: Roles = [...AUDIENCE, "anonymous"]

const everywhere = (roles: Roles): Cells => ({
  broadcast: roles,
  meeting: roles,
  breakout: roles,
  rotation: roles,
  none: roles,
})
const inCalls = (roles: Roles): Cells => ({ meeting: roles, breakout: roles, rotation: roles })

const STEERING: Rule = { cells: everywhere(STAFF) }
const BROADCAST: Rule = { cells: { broadcast: STAFF } }
const LOBBY: Rule = { cells: inCalls(STAFF) }
const ANYBODY: Rule = { cells: everywhere(EVERYONE) }
/** Asking opens with the announcement of the event, so that questions gather before it begins. */
const ASKING: Rule = {
  cells: { broadcast: EVERYONE, ...inCalls(CALL), none: EVERYONE },
  feature: "qa",
  anonymous: "questions",
}
const MODERATION: Rule = { cells: everywhere(STAFF), feature: "qa" }
const CHAT_STAFF: Rule = { cells: everywhere(STAFF), feature: "chat" }
const POLLING: Rule = { cells: { broadcast: STAFF, ...inCalls(STAFF) }, feature: "polls" }
/** Speakers have the floor; they need not ask for it. */
const ASKING_FOR_THE_FLOOR: Rule = {
  cells: { broadcast: [...STAFF, "participant", "viewer"], meeting: CALL, breakout: CALL },
}
const HAND: Rule = { cells: { broadcast: AUDIENCE, meeting: CALL, breakout: CALL } }
const ROOMS: Rule = { cells: { breakout: STAFF } }
const ROOM: Rule = { cells: { breakout: CALL } }
const ROUNDS: Rule = { cells: { rotation: STAFF } }
const CAPTURE: Rule = { cells: everywhere(STAFF), feature: "capture" }

export const PERMISSIONS = {
  "phase.next": STEERING,
  "phase.update": STEERING,
  "event.end": STEERING,
  "timer.extend": STEERING,
  announce: STEERING,
  "participant.remove": STEERING,
  "participant.unblock": STEERING,
  "participant.mute": STEERING,
  "role.set": STEERING,
  "broadcast.start": BROADCAST,
  "broadcast.pause": BROADCAST,
  "broadcast.resume": BROADCAST,
  "broadcast.stop": BROADCAST,
  "lobby.admit": LOBBY,
  "lobby.deny": LOBBY,
  "lobby.policy": LOBBY,
  "participant.toLobby": LOBBY,
  "question.ask": ASKING,
  "question.withdraw": ASKING,
  "question.vote": { ...ASKING, anonymous: "voting" },
  "question.approve": MODERATION,
  "question.hide": MODERATION,
  "question.restore": MODERATION,
  "question.pin": MODERATION,
  "question.answer": { cells: { broadcast: STAGE, ...inCalls(STAFF), none: STAFF }, feature: "qa" },
  "qa.settings": MODERATION,
  /** In any of the places of `CHAT_TARGETS`. */
  "chat.send": {
    cells: { broadcast: AUDIENCE, meeting: CALL, breakout: CALL, rotation: CALL },
    feature: "chat",
  },
  /** Staff may delete any message, everybody else their own. */
  "chat.delete": {
    cells: { broadcast: AUDIENCE, meeting: CALL, breakout: CALL, rotation: CALL },
    feature: "chat",
  },
  "chat.slow": CHAT_STAFF,
  "poll.create": { cells: everywhere(STAFF), feature: "polls" },
  "poll.open": POLLING,
  "poll.close": POLLING,
  "poll.publish": POLLING,
  "poll.delete": { cells: everywhere(STAFF), feature: "polls" },
  "poll.vote": { cells: { broadcast: EVERYONE, ...inCalls(CALL) }, feature: "polls", anonymous: "voting" },
  "reaction.send": { cells: { broadcast: EVERYONE, ...inCalls(CALL) }, feature: "reactions" },
  "hand.raise": ASKING_FOR_THE_FLOOR,
  "hand.lower": HAND,
  "hand.lowerFor": { cells: { broadcast: STAFF, meeting: STAFF, breakout: STAFF } },
  "stage.invite": { cells: { broadcast: STAFF, meeting: STAFF, breakout: STAFF } },
  "stage.accept": ASKING_FOR_THE_FLOOR,
  "stage.leave": HAND,
  "breakout.plan": { cells: { meeting: STAFF, breakout: STAFF } },
  "breakout.open": ROOMS,
  "breakout.move": ROOMS,
  "breakout.close": ROOMS,
  "room.choose": ROOM,
  "room.return": ROOM,
  "room.help": ROOM,
  "rotation.start": ROUNDS,
  "rotation.skip": ROUNDS,
  "rotation.pause": ROUNDS,
  "rotation.resume": ROUNDS,
  "rotation.stop": ROUNDS,
  "rotation.opt": { cells: { rotation: CALL } },
  "capture.start": CAPTURE,
  "capture.stop": CAPTURE,
  "transcript.push": { cells: everywhere(STAFF), feature: "transcript" },
  /** Names are for those who gave theirs. */
  "roster.list": { cells: everywhere(AUDIENCE) },
  leave: ANYBODY,
  sync: ANYBODY,
} as const satisfies Record<string, Rule>

export type CommandName = keyof typeof PERMISSIONS

/** What of the event decides who may do what now. */
export interface PhaseTraits {
  /** Of the active phase; null when none is active. */
  readonly modality: Modality | null
  readonly featureSet: ReadonlyArray<Feature>
  /** What the event lets anonymous viewers do. */
  readonly anonymous: { readonly questions: boolean; readonly voting: boolean }
}

/** Nothing is known yet: before an event has been read. */
export const NO_TRAITS: PhaseTraits = {
  modality: null,
  featureSet: [],
  anonymous: { questions: false, voting: false },
}

export type Permission = "allowed" | "forbidden" | "wrong_phase" | "feature_disabled"

/** A stored role as the phase reads it; who is anonymous stays that. */
const narrowed = (stored: ActingRole, modality: Modality | null): ActingRole =>
  stored === "anonymous" ? stored : narrowRole(stored, modality)

const permit = (rule: Rule, stored: ActingRole, traits: PhaseTraits): Permission => {
  const { modality, featureSet, anonymous } = traits
  const settings = Object.entries(rule.cells) as ReadonlyArray<[Setting, Roles]>
  const isAllowedIn = ([setting, roles]: readonly [Setting, Roles]): boolean =>
    roles.includes(narrowed(stored, setting === "none" ? null : setting))
  if (!settings.some(isAllowedIn)) return "forbidden"
  const cell = rule.cells[modality ?? "none"]
  if (cell === undefined) return "wrong_phase"
  if (rule.feature !== undefined && !featureSet.includes(rule.feature)) return "feature_disabled"
  const isLet = stored !== "anonymous" || rule.anonymous === undefined || anonymous[rule.anonymous]
  return isLet && isAllowedIn([modality ?? "none", cell]) ? "allowed" : "forbidden"
}

/**
 * May a participant with this stored role send the command now? The refusal says what was missing: `forbidden` for who never
 * may, `wrong_phase` and `feature_disabled` for what nobody can do now, `forbidden` again for who may not now.
 */
export const can = (stored: ActingRole, traits: PhaseTraits, command: CommandName): Permission =>
  permit(PERMISSIONS[command], stored, traits)

export const ChatTarget = ["event", "room", "staff"] as const
export type ChatTarget = (typeof ChatTarget)[number]

/** Where one may write, for those who may write at all: to everyone, to one's room, or among those on stage. */
export const CHAT_TARGETS: { readonly [T in ChatTarget]: Rule } = {
  event: { cells: { broadcast: AUDIENCE, meeting: CALL, breakout: STAFF, rotation: STAFF }, feature: "chat" },
  room: { cells: { breakout: CALL, rotation: CALL }, feature: "chat" },
  staff: { cells: { broadcast: STAGE, ...inCalls(STAFF) }, feature: "chat" },
}

export const canChat = (stored: ActingRole, traits: PhaseTraits, to: ChatTarget): Permission =>
  permit(CHAT_TARGETS[to], stored, traits)

/** Every command the participant may send now, for `me.can`. */
export const allowedCommands = (stored: ActingRole, traits: PhaseTraits): ReadonlyArray<CommandName> =>
  (Object.keys(PERMISSIONS) as ReadonlyArray<CommandName>).filter(
    (command) => can(stored, traits, command) === "allowed",
  )
