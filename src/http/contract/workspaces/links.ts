/** Bearer links: their holders, and revoking them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { LinkKind } from "../../../model/links.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { Example, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage } from "../examples/example-objects.ts"
import { COMMON, problems } from "../problem.ts"
import { Audited } from "./audit.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

const KINDS = [...LinkKind.literals, "invite", "entry"] as const
const Kind = Schema.Literals(KINDS).annotate(named("LinkKind"))

const Link = Schema.Struct({
  id: Uuid,
  kind: Kind,
  eventId: nullable(Uuid),
  /** Id of the broadcast, recording or other media. */
  objectId: nullable(Uuid),
  /** Person or key that was given the link; the link depends on this holder's rights. */
  holder: Schema.Struct({
    kind: Schema.Literals(["account", "key", "user", "guest", "registrant", "unknown"]),
    /** Holder's id; for a guest, the id at the event. */
    id: Schema.String,
    name: nullable(Schema.String),
  }).annotate(named("LinkHolder")),
  /** Time of creation; for signed addresses, the hour in which the address was given. */
  createdAt: Instant,
  expiresAt: nullable(Instant),
  lastUsedAt: nullable(Instant),
}).annotate(named("Link"))

const HOLDERS = {
  accountId: optional(Id.annotate({ description: "Of a member, or of somebody with a role on an event." })),
  userId: optional(Id.annotate({ description: "Of one of the workspace's users." })),
  keyId: optional(Id.annotate({ description: "Of an API key." })),
}

export const Links = HttpApiGroup.make("links")
  .add(
    HttpApiEndpoint.get("listLinks", "/v1/workspaces/:id/links", {
      params: PathId,
      query: Schema.Struct({
        ...PageQuery,
        ...HOLDERS,
        kind: optional(Schema.Literals(KINDS).annotate({ description: "Only links of this kind." })),
        eventId: optional(Id.annotate({ description: "Entry links are listed of one event alone." })),
      }),
      success: pageOf("links", Link),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(OpenApi.Summary, "Addresses, open invites and entry links with their holders, newest first")
      .annotate(
        OpenApi.Description,
        "Each works for whoever has it, for as long as the rights of its holder last. Those of which nothing is left to hold are not listed, so that a page may be short. Session tokens, which last an hour, and links of emails to an account are not in it.",
      )
      .annotate(Example, {
        response: examplePage("links", {
          id: ids.recording,
          kind: "ingest",
          eventId: ids.event,
          objectId: ids.recording,
          holder: { kind: "account", id: ids.account, name: "Ada Lovelace" },
          createdAt: T0,
          expiresAt: T1,
          lastUsedAt: null,
        }),
      }),
    HttpApiEndpoint.delete("endLinks", "/v1/workspaces/:id/links", {
      params: PathId,
      query: Schema.Struct({ linkId: optional(Id.annotate({ description: "Of one link." })), ...HOLDERS }),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdmin")
      .annotate(Audited, "link.ended")
      .annotate(OpenApi.Summary, "End one link, or all of a person or of a key")
      .annotate(
        OpenApi.Description,
        "The next use is refused, and a stream that goes on by it is cut within ten seconds. Of a person or a key also what has not been used yet, the open invites that they made, and the person's session tokens; the key or the login itself goes on.",
      ),
  )
  .annotate(OpenApi.Description, "What works by being held: who has it, and ending it.")
