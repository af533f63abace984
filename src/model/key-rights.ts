/** Rights of API keys: what a key may do (`scopes`), and in which events. */
import { Schema } from "effect"
import { named } from "./named.ts"
import type { EventRole, WorkspaceRole } from "./roles.ts"

/**
 * `read`: all GET requests except those of another scope. `events:write`: events and their agendas. `live`: controlling live events, and
 * sessions of users. `people`: users, roles, registrations, invites and personal data. `media`: recordings, clips, transcripts. `webhooks`:
 * endpoints and deliveries. `admin`: other keys, guest integrations, the audit log, and roles of administrators.
 */
export const KEY_SCOPES = ["read", "events:write", "live", "people", "media", "webhooks", "admin"] as const
export const KeyScope = Schema.Literals(KEY_SCOPES).annotate(named("ApiKeyScope"))
export type KeyScope = typeof KeyScope.Type

export interface KeyRights {
  readonly scopes: ReadonlyArray<KeyScope>
  /** The only events that the key may read and change; null: all events, and everything that belongs to the whole workspace. */
  readonly eventIds: ReadonlyArray<string> | null
}

export const ALL_KEY_RIGHTS: KeyRights = { scopes: KEY_SCOPES, eventIds: null }

/** Most events listed for a key. */
export const MOST_KEY_EVENTS = 100

const isEventWithin = (asked: KeyRights["eventIds"], own: KeyRights["eventIds"]): boolean =>
  own === null || (asked?.every((id) => own.includes(id)) ?? false)

/** Whether a key with `own` rights has all the requested ones. A key may give no more to another key. */
export const areWithin = (asked: KeyRights, own: KeyRights): boolean =>
  asked.scopes.every((scope) => own.scopes.includes(scope)) && isEventWithin(asked.eventIds, own.eventIds)

/** The scope that a key needs to give a role; `people` suffices for the other roles. */
export const scopeToGive = (role: EventRole | WorkspaceRole | string): KeyScope => {
  if (role === "admin" || role === "workspace_admin") return "admin"
  return role === "host" ? "live" : "people"
}
