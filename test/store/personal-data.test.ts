import { readFile } from "node:fs/promises"
import { expect, onTestFinished, test } from "vitest"
import { STORED_KINDS } from "../../src/model/live/live-records.ts"
import { createTestDatabase } from "../support/database.ts"
import { openStore } from "../support/store.ts"

/** Columns that can hold data about people, and hold none: identifiers of things, states, secrets of the server, files. */
const OTHERS: { readonly [table: string]: string } = {
  account_tokens: "purpose",
  api_keys: "secret_hash prefix last4 scopes event_ids",
  attendances: "role kind stage_role",
  audit_entries: "action actor_kind request_id",
  backups: "failure",
  bearer_links: "kind token_hash",
  broadcast_ingests: "token_hash",
  broadcasts: "status playback_url recorder encoder",
  captions: "segment lang room_id",
  chat_messages: "target role",
  connection_domains: "domain token",
  connections: "name issuer client_id client_secret_sealed default_role last_error",
  clips: "status storage_key content_type sha256 failure",
  cluster_secrets: "used other",
  cluster_nodes: "address node runner takes_grounds",
  disk_probes: "filler",
  event_forms: "form questions",
  event_notices: "audience time_zone language",
  event_reminders: "kind",
  event_summaries: "source",
  events:
    "type status visibility join_code host_absence history time_zone language approval waiting_list reminder_minutes branding",
  kept_publications: "t",
  form_answers: "form",
  form_wordings: "form question_id question",
  guest_integrations: "issuer jwks_url public_key_pem public_key_fingerprint last_error",
  guest_refusals: "reason detail",
  idempotency_keys: "method path key body_hash",
  instances: "system_identifier database_oid place public_url quiet_signs link",
  invites: "kind role token_hash status",
  kept_keys: "name sealed",
  letter_refusals: "kind",
  live_commands: "command_id body_hash",
  live_events: "node chart",
  // By kind, in the document.
  live_records: "kind body",
  media_jobs: "kind storage_key last_error",
  media_turns: "lane",
  memberships: "role",
  outbox_messages: "type",
  phases: "modality feature_set status",
  present_participants: "stage_role",
  questions: "status answer_mode",
  recording_derivations: "kind storage_key content_type",
  recording_takes: "identity init storage_key",
  registrations: "state",
  recordings: `kind status source room_id storage_key content_type container codecs sha256 expected_sha256 failure upload_id
    egress_room egress_id request_hash transcription`,
  series: "rrule time_zone",
  schema_functions: "hash",
  schema_migrations: "name",
  sealing_checks: "sealed",
  sign_in_challenges: "purpose",
  table_note_tokens: "token_hash room_id",
  table_summaries: "room_id",
  transcript_segments: "lang",
  transcripts: "status source",
  webhook_deliveries: "status history claimed_by last_error",
  webhook_endpoints:
    "event_types header_names headers_sealed secret_sealed previous_secret_sealed status disabled_reason",
  workspace_members: "role",
  workspaces: "slug sso branding",
}

/** Records that name nobody, not even by an id. */
const OTHER_KINDS = [
  "breakout",
  "capture",
  "closedRooms",
  "hostAway",
  "poll",
  "prepared",
  "room",
  "settings",
  "signedOutVotes",
]

const others = Object.entries(OTHERS).flatMap(([table, columns]) =>
  columns.split(/\s+/u).map((column) => `${table}.${column}`),
)

/** The names in the first column of the table. */
const described = async (): Promise<ReadonlyArray<string>> => {
  const text = await readFile(new URL("../../docs/internals/personal-data.md", import.meta.url), "utf8")
  const rows = text.split("\n").filter((line) => line.startsWith("| `"))
  return rows.flatMap((row) => [...row.matchAll(/`(\w+[./]\w+)`/gu)].map(([, name = ""]) => name))
}

const columnsWhere = async (condition: string): Promise<ReadonlyArray<string>> => {
  const database = await createTestDatabase()
  const sql = openStore(database.url, 1)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  const rows = await sql<{ name: string }[]>`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
     where c.table_schema = 'public' and ${sql.unsafe(condition)}`
  return rows.map(({ name }) => name)
}

test("every column that can hold data about people is in the document, or is known to hold none", async () => {
  const columns = await columnsWhere("c.data_type in ('text', 'jsonb', 'bytea', 'ARRAY')")
  const known = new Set([...(await described()), ...others])
  expect(columns.filter((name) => !known.has(name))).toEqual([])
})

test("every reference to a user or an account is in the document, and what hangs on an account alone", async () => {
  const references = await columnsWhere(`c.column_name ~ '(user|account|actor)_id$'
    and c.table_name not in ('account_emails', 'account_identities', 'account_totp', 'passkeys', 'recovery_codes', 'sign_in_challenges', 'account_sessions', 'account_tokens')`)
  const known = new Set(await described())
  expect(references.filter((name) => !known.has(name))).toEqual([])
})

test("the document names no column that is not there, and none that is said to hold nothing", async () => {
  const columns = new Set(await columnsWhere("true"))
  const named = (await described()).filter((name) => name.includes("."))
  expect(named.filter((name) => !columns.has(name))).toEqual([])
  expect(others.filter((name) => !columns.has(name) || named.includes(name))).toEqual([])
})

test("every kind of record is in the document, or is known to name nobody", async () => {
  const kinds = (await described()).flatMap((name) => (name.startsWith("live_records/") ? name.slice(13) : []))
  expect([...kinds, ...OTHER_KINDS].toSorted()).toEqual(Object.keys(STORED_KINDS).toSorted())
})
