/** Users of a workspace and their memberships on events. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { ACCOUNT_SUB_PREFIX } from "../../../model/participants.ts"
import { EventRole } from "../../../model/roles.ts"
import { ShownText } from "../../../model/text/shown-text.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, NeededScope, WriteScope } from "../access.ts"
import { Email } from "../accounts/accounts.ts"
import { created, Example, FreshSignIn, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage, JWT, membership, user } from "../examples/example-objects.ts"
import { MEMBERSHIPS_CSV } from "../examples/report-objects.ts"
import { Csv, FileQuery } from "../file.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited, ReadsPeople } from "./audit.ts"

export const User = Schema.Struct({
  id: Uuid,
  externalSub: Schema.String,
  email: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  picture: Schema.NullOr(Schema.String),
  createdAt: Instant,
  updatedAt: Instant,
}).annotate(named("User"))

/** The integrator's own id, visible to its servers and members only and stored unchanged: lookups compare every character. */
const ExternalSub = Schema.String.check(
  Schema.isBetweenLength(1, 200),
  Schema.makeFilter((sub) => !sub.startsWith(ACCOUNT_SUB_PREFIX) || `must not start with "${ACCOUNT_SUB_PREFIX}"`),
)

const Text = (max: number) => Schema.optionalKey(Schema.NullOr(ShownText(0, max)))

/** Address that a dashboard may put into an image, visible to members only: http or https, never a script. */
const Picture = Schema.optionalKey(
  Schema.NullOr(
    Schema.String.check(
      Schema.isMaxLength(2048),
      Schema.makeFilter((text) => /^https?:\/\//i.test(text) || "must be an http or https URL"),
    ),
  ),
)

const MEMBERSHIP = {
  id: Uuid,
  eventId: Uuid,
  userId: Uuid,
  role: EventRole,
  createdAt: Instant,
}

export const Membership = Schema.Struct(MEMBERSHIP).annotate(named("Membership"))

/** Membership with the user's name and address, for display in lists. */
const ListedMembership = Schema.Struct({
  ...MEMBERSHIP,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
}).annotate(named("ListedMembership"))

export const People = HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("listUsers", "/v1/users", {
      query: PageQuery,
      success: pageOf("users", User),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "Users, newest first")
      .annotate(OpenApi.Description, "The people of the workspace whom your own system names by `externalSub`.")
      .annotate(Example, { response: examplePage("users", user) }),
    HttpApiEndpoint.post("upsertUser", "/v1/users", {
      payload: Schema.Struct({
        externalSub: ExternalSub,
        email: Schema.optionalKey(Schema.NullOr(Email)),
        name: Text(200),
        picture: Picture,
      }),
      success: [created(User), User],
      error: problems(...WITH_BODY, ...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(OpenApi.Summary, "Create or update a user by externalSub")
      .annotate(OpenApi.Description, "201 when the user is new, 200 when there is one with this `externalSub`.")
      .annotate(Example, {
        request: { externalSub: "crm-4711", email: "grace@example.com", name: "Grace Hopper" },
        response: user,
      }),
    HttpApiEndpoint.delete("deleteUser", "/v1/users/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "user")
      .annotate(Audited, "user.deleted")
      .annotate(OpenApi.Summary, "Delete a user and erase the person from the workspace's events")
      .annotate(
        OpenApi.Description,
        "Sessions and sockets of the person end at once (4203). Roles, registrations and invites under the user's address, chat messages and raised hands are deleted; the name is taken off questions, attendance and notes. Questions become anonymous ones, and votes stay counted. Events of a large workspace follow within minutes. Members of the workspace stay members. The same `externalSub` makes a new user.",
      ),
    HttpApiEndpoint.post("createUserSession", "/v1/users/:id/session", {
      params: PathId,
      success: Schema.Struct({ sessionToken: Schema.String, expiresAt: Instant, userId: Uuid }),
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "keyUser")
      .annotate(NeededScope, "live")
      .annotate(OpenApi.Summary, "A session token for one of the integrator's own users")
      .annotate(
        OpenApi.Description,
        "Hand it to that person's browser: with it the person enters events, asks and votes under their own name. It does not manage anything.",
      )
      .annotate(Example, { response: { sessionToken: JWT, expiresAt: T1, userId: ids.user } }),
    HttpApiEndpoint.post("createMembership", "/v1/events/:id/memberships", {
      params: PathId,
      payload: Schema.Struct({ userId: Id, role: EventRole }),
      success: [created(Membership), Membership],
      error: problems(...WITH_BODY, "role_not_on_event", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Audited, "membership.set")
      .annotate(OpenApi.Summary, "Give a user a role on the event")
      .annotate(
        OpenApi.Description,
        "It takes effect at once, also for a person who is connected. 400 `role_not_on_event` names the roles that the event has.",
      )
      .annotate(Example, { request: { userId: ids.user, role: "speaker" }, response: membership }),
  )
  .add(
    HttpApiEndpoint.get("listMemberships", "/v1/events/:id/memberships", {
      params: PathId,
      query: FileQuery,
      success: [pageOf("memberships", ListedMembership), Csv],
      error: problems("bad_request", ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(FreshSignIn, "file")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "Roles on the event, newest first")
      .annotate(
        OpenApi.Description,
        "Of the workspace's users, each with the user's name and address; roles of its members and of guests are not listed.",
      )
      .annotate(Example, {
        response: examplePage("memberships", { ...membership, name: user.name, email: user.email }),
        texts: { "text/csv": MEMBERSHIPS_CSV },
      }),
    HttpApiEndpoint.delete("deleteMembership", "/v1/events/:id/memberships/:membershipId", {
      params: { ...PathId, membershipId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Audited, "membership.deleted")
      .annotate(OpenApi.Summary, "Take a role on the event; what else lets the user in counts from then on")
      .annotate(OpenApi.Description, "A person who has no other right to be at the event is disconnected."),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "Users and the roles they hold on events.")
