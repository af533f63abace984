/** Limits of API keys: the scope that an endpoint needs, and the rights that a key may give to others. */
import { Effect } from "effect"
import type { Principal } from "../../identity/callers/principal.ts"
import { Forbidden } from "../../model/errors.ts"
import { areWithin, type KeyRights, type KeyScope } from "../../model/key-rights.ts"
import type { Credential } from "../../store/accounts/credentials.ts"

const lacks = (scope: KeyScope): Forbidden => new Forbidden({ detail: `The API key does not have the scope ${scope}.` })

/** Callers without a key are not limited by scopes. */
export const requireScope = (principal: Principal, scope: KeyScope | null): Effect.Effect<void, Forbidden> =>
  principal.kind !== "key" || scope === null || principal.rights.scopes.includes(scope)
    ? Effect.void
    : Effect.fail(lacks(scope))

/** A key gives roles only within its own scopes. */
export const requireGivable = (credential: Credential, scope: KeyScope): Effect.Effect<void, Forbidden> =>
  "keyId" in credential && !credential.rights.scopes.includes(scope) ? Effect.fail(lacks(scope)) : Effect.void

/** A key gives another key no right that it does not have. */
export const requireWithin = (asked: KeyRights, own: KeyRights): Effect.Effect<void, Forbidden> =>
  areWithin(asked, own)
    ? Effect.void
    : Effect.fail(new Forbidden({ detail: "An API key can give only scopes and events that it has itself." }))
