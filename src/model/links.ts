/**
 * Bearer links: addresses that work by being held. Each names its ground, the grant that it rests on, and holds no longer than that. One
 * statement reads how the ground stands now, for one link or for hundreds, and the rule below judges it.
 */
import { Schema } from "effect"
import { accessOf, type GrantState, holds } from "./grants.ts"
import { namedId } from "./ids.ts"
import { EventRole, isOnStage } from "./roles.ts"

/** `ingest`: where an encoder pushes. `watch`: the playlist of a private broadcast. `media`: stored media, watched or downloaded. */
export const LinkKind = Schema.Literals(["ingest", "upload", "watch", "media"])
export type LinkKind = typeof LinkKind.Type

const { optionalKey: optional } = Schema

/** The parts of a basis that the holder has (`model/grants.ts`), and for a participant of a live event who that is. */
export const Ground = Schema.Struct({
  /** What the holder has to be: one who manages the workspace, who speaks at the event, or who may see it. */
  as: Schema.Literals(["manager", "speaker", "viewer"]),
  /** Not of a guest or registrant, who are known at their event alone. */
  workspaceId: optional(Schema.String),
  userId: optional(Schema.String),
  sessionVersion: optional(Schema.Int),
  login: optional(
    Schema.Struct({
      accountId: Schema.String,
      sessionId: Schema.String,
      credentialsVersion: optional(Schema.Int),
    }),
  ),
  keyId: optional(Schema.String),
  participantId: optional(Schema.String),
  /** Of a guest or registrant, whose role no list has. */
  role: optional(EventRole),
})
export type Ground = typeof Ground.Type

export interface HeldLink {
  readonly kind: LinkKind
  readonly objectId: string
  readonly eventId: string
  readonly ground: Ground
  /** Unix milliseconds. What ended at that time or later includes it. */
  readonly givenAt: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** A person of the workspace, a key, or a guest or registrant of an event. */
export const holderOf = ({ login, userId, keyId, participantId = "" }: Ground): string => {
  if (login !== undefined) return `account:${login.accountId}`
  if (userId !== undefined) return `user:${userId}`
  return keyId === undefined ? participantId : `key:${keyId}`
}

/** The same for all links of a kind that a holder has to an object. */
export const linkIdOf = ({ kind, objectId, ground }: Pick<HeldLink, "kind" | "objectId" | "ground">): string =>
  namedId(objectId, kind, ground.as, holderOf(ground))

/** The row that ends everything that a holder has in a workspace, or at an event. */
export const everythingOf = (within: string, holder: string): string => namedId(within, "everything", holder)

/** How what a link rests on stands now. */
export interface LinkState {
  readonly grant: GrantState
  /** It was ended by hand, by a commit of the live event, or by another address of the same encoder. */
  readonly isEnded: boolean
  /** A host removed the participant for good. */
  readonly isBarred: boolean
  /** The guest was erased, or the registration is cancelled. */
  readonly isGone: boolean
  /** The role that the live event gave, which precedes the stored one. */
  readonly givenRole: EventRole | null
}

export const linkHolds = (ground: Ground, { grant, isEnded, isBarred, isGone, givenRole }: LinkState): boolean => {
  if (isEnded || isGone || !holds(grant)) return false
  if (ground.as === "manager")
    return ground.login === undefined ? ground.keyId !== undefined : grant.workspaceRole !== null
  const access = ground.userId === undefined ? { role: ground.role ?? "viewer", manages: false } : accessOf(grant)
  if (grant.event === null || access === undefined || (isBarred && !access.manages)) return false
  return ground.as === "viewer" || isOnStage(givenRole ?? access.role)
}
