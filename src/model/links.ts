/**
 * Bearer links: addresses that work for whoever holds them. Each names its ground, which is the grant behind it, and is valid no longer
 * than that. One statement reads the ground's current state, for one link or for hundreds, and the rule below judges it.
 */
import { Schema } from "effect"
import { accessOf, type GrantState, holds } from "./grants.ts"
import { namedId } from "./ids.ts"
import { EventRole, isOnStage } from "./roles.ts"

/** `ingest`: where an encoder pushes. `watch`: the playlist of a private broadcast. `media`: stored media, watched or downloaded. */
export const LinkKind = Schema.Literals(["ingest", "upload", "watch", "media"])
export type LinkKind = typeof LinkKind.Type

const { optionalKey: optional } = Schema

/** The holder's parts of a basis (`model/grants.ts`), and for a participant of a live event their identity. */
export const Ground = Schema.Struct({
  /** Required standing of the holder: one who manages the workspace, who speaks at the event, or who may see it. */
  as: Schema.Literals(["manager", "speaker", "viewer"]),
  /** Absent for a guest or registrant, who are known only at their event. */
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
  /** Role of a guest or registrant, who are in no list. */
  role: optional(EventRole),
})
export type Ground = typeof Ground.Type

export interface HeldLink {
  readonly kind: LinkKind
  readonly objectId: string
  readonly eventId: string
  readonly ground: Ground
  /** Unix milliseconds. An end of the holder's links at that time or later includes this link. */
  readonly givenAt: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** Identifies the holder: a person of the workspace, a key, or a guest or registrant of an event. */
export const holderOf = ({ login, userId, keyId, participantId = "" }: Ground): string => {
  if (login !== undefined) return `account:${login.accountId}`
  if (userId !== undefined) return `user:${userId}`
  return keyId === undefined ? participantId : `key:${keyId}`
}

/** Id shared by all links of one kind that a holder has to one object. */
export const linkIdOf = ({ kind, objectId, ground }: Pick<HeldLink, "kind" | "objectId" | "ground">): string =>
  namedId(objectId, kind, ground.as, holderOf(ground))

/** Id of the row that ends all of a holder's links in a workspace, or at an event. */
export const everythingOf = (within: string, holder: string): string => namedId(within, "everything", holder)

/** Current state of what a link is based on. */
export interface LinkState {
  readonly grant: GrantState
  /** The link was ended by hand, by a commit of the live event, or by another address of the same encoder. */
  readonly isEnded: boolean
  /** A host removed the participant for good. */
  readonly isBarred: boolean
  /** The guest was erased, or the registration is cancelled. */
  readonly isGone: boolean
  /** Role given by the live event, which takes precedence over the stored one. */
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
