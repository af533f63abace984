/** Reports of an event: its people, messages, polls and rounds, as JSON pages or as one CSV file (shapes by decision). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Id, Uuid } from "../../../model/ids.ts"
import { PollOption } from "../../../model/integrations/webhook-types.ts"
import { Poll } from "../../../model/live/live-records.ts"
import { named } from "../../../model/named.ts"
import { ParticipantKind } from "../../../model/participants.ts"
import { RegistrationState } from "../../../model/registration.ts"
import { EventRole } from "../../../model/roles.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { Example, FreshSignIn, PathId, pageOf } from "../endpoint.ts"
import { examplePage } from "../examples/example-objects.ts"
import {
  ATTENDANCE_CSV,
  attendee,
  CHAT_CSV,
  chatMessage,
  heldRound,
  POLLS_CSV,
  pollResult,
  REGISTRATIONS_CSV,
  ROUNDS_CSV,
  registration,
} from "../examples/report-objects.ts"
import { Csv, FileQuery } from "../file.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited, ReadsPeople } from "../workspaces/audit.ts"
import { Registration } from "./registrations.ts"

const Attendee = Schema.Struct({
  participantId: Schema.String,
  /** Id of the workspace's user; null for guests, registered and anonymous people. */
  userId: Schema.NullOr(Uuid),
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  role: EventRole,
  kind: ParticipantKind,
  /** Whether the participant is present now. */
  present: Schema.Boolean,
  firstJoinedAt: Instant,
  /** Null for a participant who has not left. */
  lastLeftAt: Schema.NullOr(Instant),
  /** Total length of all stays. */
  seconds: Schema.Int,
  stays: Schema.Int,
  /** Questions under the participant's name. */
  questions: Schema.Int,
  questionVotes: Schema.Int,
  /** Polls that the participant voted in; anonymous ones are not counted. */
  pollVotes: Schema.Int,
  /** Chat messages that were not deleted. */
  messages: Schema.Int,
  /** Rounds and breakouts that the participant was part of. */
  rounds: Schema.Int,
}).annotate(named("Attendee"))

const Message = Schema.Struct({
  id: Uuid,
  to: Schema.Literals(["event", "room", "staff"]),
  roomId: Schema.NullOr(Uuid),
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  text: Schema.String,
  replyTo: Schema.NullOr(Uuid),
  at: Instant,
}).annotate(named("ChatMessage"))

const PollResult = Schema.Struct({
  id: Uuid,
  question: Schema.String,
  kind: Poll.fields.kind,
  status: Poll.fields.status,
  voters: Schema.Int,
  options: Schema.Array(PollOption),
  createdAt: Instant,
  openedAt: Schema.NullOr(Instant),
  closedAt: Schema.NullOr(Instant),
}).annotate(named("PollResult"))

const HeldRound = Schema.Struct({
  /** Id of the breakout, or of the rotation followed by the round's number. */
  id: Schema.String,
  /** Round number of a rotation, starting at 1; 0 for a breakout. */
  number: Schema.Int,
  at: Instant,
  /** Participant ids by room. */
  groups: Schema.Array(Schema.Array(Schema.String)),
  /** Participants who sat out the round. */
  byes: Schema.Array(Schema.String),
}).annotate(named("Round"))

const report = <const Name extends string, const Path extends string, Item extends Schema.Top, List extends string>(
  name: Name,
  path: Path,
  list: List,
  item: Item,
  summary: string,
) =>
  HttpApiEndpoint.get(name, `/v1/events/:id/${path}`, {
    params: PathId,
    query: FileQuery,
    success: [pageOf(list, item), Csv],
    error: problems("bad_request", ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
  })
    .annotate(EndpointAccess, "event")
    .annotate(FreshSignIn, "file")
    .annotate(ReadsPeople, true)
    .annotate(OpenApi.Summary, summary)

export const Reports = HttpApiGroup.make("reports")
  .add(
    report("listAttendance", "attendance", "attendees", Attendee, "The people who were at the event, and how long")
      .annotate(
        OpenApi.Description,
        "One row for each participant: when they came first, when they left last, and the time of all stays together. People who are there now are in it too. Anonymous viewers count as one person for each visit. The counts of questions, votes, messages and rounds say how each took part.",
      )
      .annotate(Example, { response: examplePage("attendees", attendee), texts: { "text/csv": ATTENDANCE_CSV } }),
    HttpApiEndpoint.get("listRegistrations", "/v1/events/:id/registrations", {
      params: PathId,
      query: {
        ...FileQuery,
        q: Schema.optionalKey(
          Schema.String.check(Schema.isBetweenLength(1, 200)).annotate({
            description: "A part of the name or the address.",
            examples: ["example.com"],
          }),
        ),
        state: Schema.optionalKey(
          Schema.Literals(RegistrationState.literals).annotate({ description: "Only registrations in this state." }),
        ),
      },
      success: [pageOf("registrations", Registration), Csv],
      error: problems("bad_request", ...COMMON, "not_found", "conflict", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(FreshSignIn, "file")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "The people who have registered, the first first")
      .annotate(
        OpenApi.Description,
        "Everybody, or those in a state. With `q` only those whose name or address has these characters. As CSV each question of the registration form has a column.",
      )
      .annotate(Example, {
        response: examplePage("registrations", registration),
        texts: { "text/csv": REGISTRATIONS_CSV },
      }),
    HttpApiEndpoint.delete("cancelRegistration", "/v1/events/:id/registrations/:registrationId", {
      params: { ...PathId, registrationId: Id },
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Audited, "registration.cancelled")
      .annotate(OpenApi.Summary, "Cancel a registration: its place is free, its links and sessions end")
      .annotate(
        OpenApi.Description,
        "The links of its emails and the sessions behind them stop working, and the person is disconnected. The same address may register again.",
      ),
    HttpApiEndpoint.post("resendRegistration", "/v1/events/:id/registrations/:registrationId/resend", {
      params: { ...PathId, registrationId: Id },
      success: Schema.Struct({ sent: Schema.Boolean }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "rate_limited"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Send the email of the registration's state again")
      .annotate(
        OpenApi.Description,
        "With the link to enter for a person who has a place. Earlier links go on working. The person's address gets at most three emails a minute. A server that sends no emails answers `sent: false`.",
      )
      .annotate(Example, { response: { sent: true } }),
    report("listChat", "chat", "messages", Message, "The messages of the event and its rooms, the first first")
      .annotate(
        OpenApi.Description,
        "Of all places: the event, its rooms and the staff. Messages that were deleted are not in it.",
      )
      .annotate(Example, { response: examplePage("messages", chatMessage), texts: { "text/csv": CHAT_CSV } }),
    report("listPolls", "polls", "polls", PollResult, "The polls with their results, the first first")
      .annotate(OpenApi.Description, "Drafts too. The votes of single people are not told.")
      .annotate(Example, { response: examplePage("polls", pollResult), texts: { "text/csv": POLLS_CSV } }),
    report(
      "listRounds",
      "rounds",
      "rounds",
      HeldRound,
      "The rounds and breakouts that were held: the people who have met",
    )
      .annotate(OpenApi.Description, "Of rotations and breakouts, in the order in which they were held.")
      .annotate(Example, { response: examplePage("rounds", heldRound), texts: { "text/csv": ROUNDS_CSV } }),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "The people, messages, polls and rounds of an event, for its hosts.")
