/** Notes of one table. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EventReference } from "../../../model/event.ts"
import { ids, T1 } from "../../../model/example-ids.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { MembersText } from "../../../model/text/shown-text.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { Email } from "../accounts/accounts.ts"
import { Example } from "../endpoint.ts"
import { notes } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

const Text = (max: number) => MembersText(0, max)
const Short = Text(500)
const Long = Text(20_000)
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const many = <S extends Schema.Top>(schema: S, max: number) => Schema.Array(schema).check(Schema.isMaxLength(max))

const Notes = Schema.Struct({
  tldr: Long,
  themes: many(Schema.Struct({ title: Short, summary: Long }).annotate(named("TableTheme")), 50),
  ideas: many(Long, 100),
  questions: many(Long, 100),
  perQuestion: many(
    Schema.Struct({ ordinal: Schema.Int, question: Long, discussed: Schema.Boolean, summary: Long }).annotate(
      named("TableAnswer"),
    ),
    100,
  ),
}).annotate(named("TableNotes"))

const Stats = Schema.NullOr(
  Schema.Struct({
    totalWords: Count,
    promptsCovered: Count,
    promptsTotal: Count,
    lifetimeSeconds: Count,
    headcount: Count,
  }).annotate(named("TableStats")),
)

const Badge = Schema.Struct({
  id: Short,
  name: Short,
  description: Short,
  tier: Schema.Int,
  icon: Short,
  glyph: Schema.optionalKey(Short),
}).annotate(named("TableBadge"))

const Person = Schema.Struct({
  userId: Short,
  name: Schema.NullOr(Short),
  words: Count,
  turns: Count,
  badges: many(Badge, 50),
}).annotate(named("TablePerson"))

/** Stored notes of a table, without their readers. */
export const TableContent = Schema.Struct({
  table: Schema.Struct({ number: Schema.Int, label: Short }).annotate(named("TableLabel")),
  summary: Notes,
  stats: Stats,
  people: many(Person, 100),
})
export type TableContent = typeof TableContent.Type

/** `userId` is the speaker's name when the captions do not name people by id. */
export const TableDraft = Schema.Struct({ summary: Notes, stats: Stats, people: many(Person, 100) }).annotate(
  named("TableDraft"),
)

export const TableSummary = Schema.Struct({
  event: EventReference,
  table: Schema.Struct({ roomId: Schema.String, number: Schema.Int, label: Schema.String }).annotate(
    named("SummarizedTable"),
  ),
  recipientUserId: Schema.String,
  recipientName: Schema.NullOr(Schema.String),
  summary: Notes,
  stats: Stats,
  people: Schema.Array(Person),
  generatedAt: Instant,
}).annotate(named("TableSummary"))

export const TableSummaries = HttpApiGroup.make("tableSummaries")
  .add(
    HttpApiEndpoint.put("putTableSummary", "/v1/events/:id/tables/:roomId/summary", {
      params: { id: Id, roomId: Schema.String.check(Schema.isBetweenLength(1, 100)) },
      payload: Schema.Struct({
        ...TableContent.fields,
        recipients: many(
          Schema.Struct({
            userId: Schema.String.check(Schema.isBetweenLength(1, 200)),
            name: Schema.optionalKey(Schema.NullOr(Text(200))),
            email: Schema.optionalKey(Schema.NullOr(Email)),
          }).annotate(named("TableRecipient")),
          100,
        ),
      }),
      success: Schema.Struct({
        eventId: Uuid,
        roomId: Schema.String,
        generatedAt: Instant,
        recipients: Schema.Array(
          Schema.Struct({
            userId: Schema.String,
            /** Whether an email with a new link was sent to the reader. */
            mailed: Schema.Boolean,
            /** The new link: shown once for a reader who got no email, and for all readers in e-mail dev mode. */
            url: Schema.optionalKey(Schema.String),
          }).annotate(named("MailedRecipient")),
        ),
      }),
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Store the notes of one table and mail them to those who sat there")
      .annotate(
        OpenApi.Description,
        "The answer says to whom an email went. People who have asked for no emails get none.",
      )
      .annotate(Example, {
        request: {
          table: { number: 3, label: "Table 3" },
          ...notes,
          recipients: [{ userId: ids.user, name: "Grace Hopper", email: "grace@example.com" }],
        },
        response: {
          eventId: ids.event,
          roomId: "table-3",
          generatedAt: T1,
          recipients: [{ userId: ids.user, mailed: true }],
        },
      }),
    HttpApiEndpoint.get("draftTableSummary", "/v1/events/:id/tables/:roomId/summary/draft", {
      params: { id: Id, roomId: Schema.String.check(Schema.isBetweenLength(1, 100)) },
      success: TableDraft,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(
        OpenApi.Summary,
        "Notes of one table as its captions give them, to be looked through and stored; nothing is stored or mailed",
      )
      .annotate(OpenApi.Description, "Made from the captions of the room by the words that were said.")
      .annotate(Example, { response: notes }),
  )
  .annotateEndpoints(WriteScope, "media")
  .annotate(OpenApi.Description, "Notes of tables.")
