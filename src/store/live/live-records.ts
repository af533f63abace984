/**
 * Records of a live event's activities, as written by its commit and read by its recovery. Kinds that other components read have tables of
 * their own; the rest are JSON by kind and id, which only the event's actor reads.
 */
import { Result } from "effect"
import { UNWATCHED_CHAT_SLOW_MS } from "../../model/host-absence.ts"
import {
  type Broadcast,
  CHAT_REMEMBERED,
  type Change,
  type ChatMessage,
  type Kind,
  type LiveQuestion,
  partsOfVote,
  type Records,
} from "../../model/live/live-records.ts"
import { roomStream, streamRoom } from "../../model/live/streams.ts"
import { type Timestamp, toMillis } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { decodeRecord, type RecordUnreadable, versionOf } from "../record-versions.ts"

/** A record as read from the database. */
export type StoredRecord = {
  readonly [K in Kind]: { readonly kind: K; readonly id: string; readonly record: Records[K] }
}[Kind]

const questionRow = (question: LiveQuestion): object => ({
  id: question.id,
  phase_id: question.phaseId,
  text: question.text,
  status: question.status,
  author_user_id: question.authorUserId,
  author_name: question.authorName,
  anonymous: question.anonymous,
  pinned: question.pinned,
  answer: question.answer,
  votes: question.votes,
  created_at: question.createdAt,
  answered_at: question.answeredAt,
  rev: question.rev,
  room_id: question.roomId,
  answer_mode: question.answerMode,
  asker_id: question.askerId,
})

const targetOf = ({ to, roomId }: ChatMessage): string => (roomId === null ? to : roomStream(roomId))

const chatRow = (message: ChatMessage): object => ({
  id: message.id,
  target: targetOf(message),
  participant_id: message.participantId,
  name: message.name,
  role: message.role,
  text: message.text,
  reply_to: message.replyTo,
  at: message.at,
})

const broadcastRow = (broadcast: Broadcast): object => ({
  id: broadcast.broadcastId,
  phase_id: broadcast.phaseId,
  status: broadcast.status,
  playback_url: broadcast.playbackUrl,
  started_at: broadcast.startedAt,
})

const voteRow = ({ id, record }: Change): object => {
  const { of, voter } = partsOfVote(id)
  return { question_id: of, voter, is_on: record !== null }
}

const ofKind = <K extends Kind>(changes: ReadonlyArray<Change>, kind: K): ReadonlyArray<Change<K>> =>
  changes.filter((change): change is Change<K> => change.kind === kind)

const kept = <K extends Kind>(changes: ReadonlyArray<Change<K>>): ReadonlyArray<Records[K]> =>
  changes.flatMap(({ record }) => (record === null ? [] : [record]))

const gone = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.flatMap(({ id, record }) => (record === null ? [id] : []))

const OWN_TABLES: ReadonlySet<Kind> = new Set<Kind>([
  "question",
  "questionVote",
  "chat",
  "broadcast",
  "caption",
  "membership",
])

/** Argument of `write_activities`; an absent part costs nothing. */
export const activityRows = (changes: ReadonlyArray<Change>): object => {
  const questions = ofKind(changes, "question")
  const votes = ofKind(changes, "questionVote")
  const chat = ofKind(changes, "chat")
  const others = changes.filter(({ kind }) => !OWN_TABLES.has(kind))
  const parts = {
    questions: kept(questions).map(questionRow),
    withdrawn: gone(questions),
    votes: votes.map(voteRow),
    chat: kept(chat).map(chatRow),
    unsent: gone(chat),
    broadcasts: kept(ofKind(changes, "broadcast")).map(broadcastRow),
    captions: kept(ofKind(changes, "caption")),
    memberships: ofKind(changes, "membership").flatMap(({ id, record }) =>
      record === null ? [] : [{ user_id: id, role: record.role }],
    ),
    records: others.flatMap(({ kind, id, record }) =>
      record === null ? [] : [{ kind, id, version: versionOf(kind), body: record }],
    ),
    gone: others.flatMap(({ kind, id, record }) => (record === null ? [{ kind, id }] : [])),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, rows]) => rows.length > 0))
}

const readQuestions = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<StoredRecord>> => {
  const rows = await sql<LiveQuestion[]>`
    select id, event_id, phase_id, text, status, author_user_id, author_name, anonymous, pinned, votes, created_at,
           answer, answered_at, rev, room_id, answer_mode, asker_id
      from questions where event_id = ${eventId} order by created_at, id`
  return rows.map((record) => ({ kind: "question", id: record.id, record }))
}

const readVotes = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<StoredRecord>> => {
  const rows = await sql<{ id: string }[]>`
    select v.question_id || ' ' || v.voter as id
      from question_votes v join questions q on q.id = v.question_id where q.event_id = ${eventId}`
  return rows.map(({ id }) => ({ kind: "questionVote", id, record: true }))
}

type StoredMessage = Omit<ChatMessage, "to" | "roomId" | "rev"> & { readonly target: string }

const messageOf = ({ target, ...message }: StoredMessage): ChatMessage => {
  const roomId = streamRoom(target)
  return {
    ...message,
    to: roomId === undefined ? (target as ChatMessage["to"]) : "room",
    roomId: roomId ?? null,
    rev: 1,
  }
}

/** Finds messages of any age. */
export const findChatMessages = async (
  sql: Queryable,
  eventId: string,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<ChatMessage>> => {
  const rows = await sql<StoredMessage[]>`
    select id, target, participant_id, name, role, text, reply_to, at
      from chat_messages where event_id = ${eventId} and id = any (${[...ids]}::uuid[])`
  return rows.map(messageOf)
}

/** Chat targets, without closed rooms. */
const chatPlaces = (sql: Queryable, eventId: string) => sql`
  select 'event' as target
  union select 'staff'
  union select 'room:' || id from live_records where event_id = ${eventId} and kind = 'room'
  union select 'room:' || (body->>'roomId') from live_records where event_id = ${eventId} and kind = 'seat'`

/** Time of the last message of each participant who may have to wait in slow mode. */
const readLastChat = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<StoredRecord>> => {
  const rows = await sql<{ id: string; at: Timestamp }[]>`
    with slow as (
      select make_interval(secs => max(slow_ms) / 1000) as wait from (
        select (body->>'chatSlowMs')::float8 as slow_ms from live_records where event_id = ${eventId} and kind = 'settings'
         union all
        select ${UNWATCHED_CHAT_SLOW_MS}::float8 from live_records
         where event_id = ${eventId} and kind = 'hostAway' and body->>'measure' = 'slowChat') modes
      having max(slow_ms) > 0
    )
    select m.participant_id as id, max(m.at) as at
      from slow cross join (${chatPlaces(sql, eventId)}) p
     cross join lateral (select participant_id, at from chat_messages
                          where event_id = ${eventId} and target = p.target and at > now() - slow.wait) m
     group by m.participant_id`
  return rows.map(({ id, at }) => ({ kind: "lastChat", id, record: toMillis(at) }))
}

/** Newest messages of each present target, found by the index. */
const readChat = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<StoredRecord>> => {
  const rows = await sql<StoredMessage[]>`
    with places as (${chatPlaces(sql, eventId)})
    select m.id, m.target, m.participant_id, m.name, m.role, m.text, m.reply_to, m.at
      from places p
     cross join lateral (select * from chat_messages where event_id = ${eventId} and target = p.target
                          order by at desc, id desc limit ${CHAT_REMEMBERED}) m
     order by m.at, m.id`
  return rows.map((row) => ({ kind: "chat", id: row.id, record: messageOf(row) }))
}

const readBroadcasts = async (sql: Queryable, eventId: string): Promise<ReadonlyArray<StoredRecord>> => {
  const rows = await sql<Broadcast[]>`
    select id as broadcast_id, phase_id, status, playback_url, started_at from broadcasts where event_id = ${eventId}`
  return rows.map((record) => ({ kind: "broadcast", id: record.phaseId, record }))
}

/**
 * A role given to a user at the live event is also in the event's list of memberships. Where the list differs, the workspace has changed it
 * since, perhaps without reaching the event: the list counts, except while the user is on stage.
 */
const readOthers = async (
  sql: Queryable,
  eventId: string,
): Promise<Result.Result<ReadonlyArray<StoredRecord>, RecordUnreadable>> => {
  const rows = await sql<{ kind: string; version: number; id: string; body: unknown }[]>`
    select r.kind, r.version, r.id, r.body from live_records r
      left join users u on r.kind = 'role' and u.id = case when r.id ~ '^[0-9a-f-]{36}$' then r.id::uuid end
      left join memberships m on m.event_id = r.event_id and m.user_id = u.id
     where r.event_id = ${eventId}
       and (u.id is null or m.role is not distinct from r.body->>'role' or exists (
             select from live_records s where s.event_id = r.event_id and s.kind = 'stage' and s.id = r.id
                and s.body->>'state' = 'on'))
     order by r.kind, r.id`
  return Result.all(
    rows.map(({ kind, version, id, body }) =>
      Result.map(decodeRecord(kind, version, body), (decoded) => ({ id, ...decoded }) as StoredRecord),
    ),
  )
}

/** All records of an event's activities, oldest first within a kind where that matters. */
export const readLiveRecords = async (
  sql: Queryable,
  eventId: string,
): Promise<Result.Result<ReadonlyArray<StoredRecord>, RecordUnreadable>> => {
  const ownTables = [readQuestions, readVotes, readChat, readLastChat, readBroadcasts]
  const [records, others] = await Promise.all([
    Promise.all(ownTables.map((read) => read(sql, eventId))),
    readOthers(sql, eventId),
  ])
  return Result.map(others, (decoded) => [...records.flat(), ...decoded])
}
