/** Gateway tokens made with the server's own code and key, so that 20,000 of them need no REST calls. */
import { Effect, Redacted } from "effect"
import { Tokens } from "../../src/identity/tokens.ts"
import type { EventRole } from "../../src/model/roles.ts"
import { SECRET_KEY } from "./server-process.ts"

export interface GatewayPlace {
  readonly eventId: string
  readonly workspaceId: string
  /** Users of the workspace that a key vouched for: their tokens rest on both, as tokens from REST do, and are checked against them. */
  readonly users?: { readonly ids: ReadonlyArray<string>; readonly keyId: string }
}

const SESSION_SECONDS = 4 * 3600

const tokens = Effect.runSync(Effect.provide(Tokens, Tokens.layer([Redacted.make(SECRET_KEY)])))

const sets = new WeakMap<ReadonlyArray<string>, ReadonlySet<string>>()

const storedIds = (ids: ReadonlyArray<string>): ReadonlySet<string> => {
  const known = sets.get(ids) ?? new Set(ids)
  sets.set(ids, known)
  return known
}

export const gatewayToken = async (
  { eventId, workspaceId, users }: GatewayPlace,
  participantId: string,
  role: EventRole,
): Promise<string> => {
  const basis = { userId: participantId, workspaceId, sessionVersion: 0, login: null, keyId: users?.keyId ?? null }
  const isStored = users !== undefined && storedIds(users.ids).has(participantId)
  const { token } = await Effect.runPromise(
    tokens.issue("gateway", {
      eventId,
      workspaceId,
      ...(isStored ? { basis } : {}),
      participantId,
      kind: "user",
      userId: participantId,
      name: `Guest ${participantId.slice(-5)}`,
      role,
      sessionExpires: Math.floor(Date.now() / 1000) + SESSION_SECONDS,
    }),
  )
  return token
}
