/** What the checks of access share: their type, and the object that a path names. */
import { Effect } from "effect"
import type { Principal } from "../../../identity/callers/principal.ts"
import type { Tokens } from "../../../identity/tokens.ts"
import { type Failure, NotFound, type Unavailable } from "../../../model/errors.ts"
import { parseId } from "../../../model/ids.ts"
import type { Database } from "../../../store/database.ts"
import { Agendas } from "../../../store/events/agendas.ts"
import type { EventAgenda } from "../../../store/events/events.ts"
import type { Access } from "../../contract/access.ts"
import type { HttpRequest } from "../../transport/message.ts"
import type { Scopes } from "../call.ts"
import type { HttpSettings } from "../settings.ts"

export type Grant<A extends Access> = Effect.Effect<Scopes[A], Failure, Agendas | Database | HttpSettings | Tokens>

/** A check for each kind of access. */
export type Checks = { readonly [A in Access]: (principal: Principal, request: HttpRequest) => Grant<A> }

/** Access is decided before any transaction. */
export const withAgenda = (id: string): Effect.Effect<EventAgenda | undefined, Unavailable, Agendas> =>
  Effect.flatMap(Agendas, ({ find }) => find(id))

export const pathId = (request: HttpRequest, what: string): Effect.Effect<string, NotFound> => {
  const id = parseId(request.params["id"] ?? "")
  return id === undefined ? Effect.fail(NotFound.ofNoId(what)) : Effect.succeed(id)
}
