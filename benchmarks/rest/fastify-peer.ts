/**
 * The peer of `rest`: Fastify 5, written as its documentation suggests: JSON schemas for validation and serialisation, a hook for the
 * key, plain handlers, and `@fastify/rate-limit` by key. It has the same database and the same pool of connections as the product, and
 * reads an event with its phases in one statement, as the product does. Each request looks its key up, because this server has nothing that
 * would tell it of a revocation.
 */
import { createHash } from "node:crypto"
import type { AddressInfo } from "node:net"
import rateLimit from "@fastify/rate-limit"
import Fastify, { type FastifyRequest } from "fastify"
import { v7 } from "uuid"
import { Pool } from "../../src/store/pool/pool.ts"
import { answerParent } from "../support/child.ts"

const nullable = (type: string) => ({ type: [type, "null"] })
const modality = { type: "string", enum: ["broadcast", "meeting", "breakout", "rotation"] }
const visibility = { type: "string", enum: ["public", "unlisted", "private"] }
const feature = { type: "string", enum: ["qa", "chat", "polls", "reactions", "transcript", "capture"] }
const featureSet = { type: "array", items: feature, uniqueItems: true }
const instant = { type: ["string", "null"], format: "date-time" }

const phaseInput = {
  type: "object",
  required: ["modality"],
  properties: {
    modality,
    config: {
      type: "object",
      additionalProperties: true,
      properties: {
        durationSeconds: { type: "integer", minimum: 1, maximum: 86_400 },
        extendable: { type: "boolean" },
        onTimerEnd: { type: "string", enum: ["hold", "advance"] },
        roomSize: { type: "integer", minimum: 1, maximum: 1000 },
        rounds: { type: "integer", minimum: 1, maximum: 1000 },
        roundSeconds: { type: "integer", minimum: 1, maximum: 86_400 },
        lobby: { type: "string", enum: ["open", "ask", "closed"] },
      },
    },
    featureSet,
  },
}

const eventInput = {
  type: "object",
  required: ["type", "title"],
  properties: {
    type: { type: "string", minLength: 1, maxLength: 80 },
    title: { type: "string", minLength: 1, maxLength: 300 },
    scheduledAt: instant,
    scheduledEndAt: instant,
    visibility,
    allowAnonymousVoting: { type: "boolean" },
    allowAnonymousQuestions: { type: "boolean" },
    capacity: { type: ["integer", "null"], minimum: 1, maximum: 100_000 },
    metadata: { type: "object", additionalProperties: true },
    phases: { type: "array", maxItems: 50, items: phaseInput },
  },
}

const eventFields = {
  id: { type: "string" },
  workspaceId: { type: "string" },
  type: { type: "string" },
  title: { type: "string" },
  status: { type: "string" },
  visibility: { type: "string" },
  scheduledAt: nullable("string"),
  scheduledEndAt: nullable("string"),
  allowAnonymousVoting: { type: "boolean" },
  allowAnonymousQuestions: { type: "boolean" },
  capacity: nullable("integer"),
  metadata: { type: "object", additionalProperties: true },
  createdAt: { type: "string" },
  updatedAt: { type: "string" },
  publishedAt: nullable("string"),
  startedAt: nullable("string"),
  endedAt: nullable("string"),
}

const phaseOutput = {
  type: "object",
  properties: {
    id: { type: "string" },
    eventId: { type: "string" },
    position: { type: "integer" },
    modality: { type: "string" },
    config: { type: "object", additionalProperties: true },
    featureSet: { type: "array", items: { type: "string" } },
    status: { type: "string" },
    startedAt: nullable("string"),
    endedAt: nullable("string"),
    timerEndsAt: nullable("string"),
    extendedSeconds: { type: "integer" },
  },
}

const eventOutput = { type: "object", properties: eventFields }
const eventWithPhases = {
  type: "object",
  properties: { ...eventFields, phases: { type: "array", items: phaseOutput }, activePhaseId: nullable("string") },
}
const params = { type: "object", required: ["id"], properties: { id: { type: "string", format: "uuid" } } }

const commandInput = {
  type: "object",
  required: ["t", "d"],
  properties: {
    t: { type: "string", enum: ["announce"] },
    d: {
      type: "object",
      required: ["text"],
      properties: { text: { type: "string", minLength: 1, maxLength: 1000 } },
    },
  },
}
const commandOutput = {
  type: "object",
  properties: { id: { type: "string" }, d: { type: "object", additionalProperties: true } },
}

interface Key {
  id: string
  workspaceId: string
  lastUsedAt: string | null
}
interface EventRow {
  id: string
  workspaceId: string
  phases: { id: string; status: string }[]
}
interface PhaseInput {
  modality: string
  config?: object
  featureSet?: string[]
}
interface EventInput {
  type: string
  title: string
  scheduledAt?: string | null
  scheduledEndAt?: string | null
  visibility?: string
  allowAnonymousVoting?: boolean
  allowAnonymousQuestions?: boolean
  capacity?: number | null
  metadata?: object
  phases?: PhaseInput[]
}

const TOUCH_EVERY_MS = 60_000
const EVENT_COLUMNS = `id, workspace_id, type, title, status, visibility, scheduled_at, scheduled_end_at,
  allow_anonymous_voting, allow_anonymous_questions, capacity, metadata,
  created_at, updated_at, published_at, started_at, ended_at`
const PHASE_JSON = `json_build_object('id', p.id, 'eventId', p.event_id, 'position', p.position, 'modality', p.modality,
  'config', p.config, 'featureSet', p.feature_set, 'status', p.status, 'startedAt', p.started_at, 'endedAt', p.ended_at,
  'timerEndsAt', p.timer_ends_at, 'extendedSeconds', p.extended_seconds)`
const DEADLINE_MS = 5000
const WAITING = 1000
/** More than a run sends: the limit is counted and stated, and refuses nothing. */
const QUOTA = 100_000_000

const start = async (options: { readonly databaseUrl: string; readonly pool: number }): Promise<number> => {
  const { sql } = new Pool({
    url: options.databaseUrl,
    connections: options.pool,
    waiting: WAITING,
    deadlineMs: DEADLINE_MS,
  })
  const app = Fastify({ logger: false })
  await app.register(rateLimit, {
    max: QUOTA,
    timeWindow: "1 minute",
    enableDraftSpec: true,
    keyGenerator: ({ headers }) => String(headers["x-api-key"]),
  })

  const workspaceOf = async (request: FastifyRequest): Promise<string | undefined> => {
    const secret = request.headers["x-api-key"]
    if (typeof secret !== "string") return undefined
    const hash = createHash("sha256").update(secret).digest()
    const [key] = await sql<Key[]>`
      select id, workspace_id, last_used_at from api_keys
       where secret_hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())`
    if (key === undefined) return undefined
    if (key.lastUsedAt === null || Date.now() - new Date(key.lastUsedAt).getTime() > TOUCH_EVERY_MS) {
      await sql`update api_keys set last_used_at = now() where id = ${key.id}`
    }
    return key.workspaceId
  }

  app.decorateRequest("workspaceId", "")
  app.addHook("onRequest", async (request, reply) => {
    const workspaceId = await workspaceOf(request)
    if (workspaceId === undefined) return reply.code(401).send({ code: "unauthorized" })
    request.setDecorator("workspaceId", workspaceId)
    reply.header("cache-control", "no-store")
  })

  app.get<{ Params: { id: string } }>(
    "/v1/events/:id",
    { schema: { params, response: { 200: eventWithPhases } } },
    async (request, reply) => {
      const { id } = request.params
      const [event] = await sql<EventRow[]>`
        select ${sql.unsafe(EVENT_COLUMNS)},
               (select coalesce(json_agg(${sql.unsafe(PHASE_JSON)} order by p.position), '[]'::json)
                  from phases p where p.event_id = events.id) as phases
          from events where id = ${id}`
      if (event === undefined || event.workspaceId !== request.getDecorator("workspaceId")) {
        return reply.code(404).send({ code: "not_found" })
      }
      return { ...event, activePhaseId: event.phases.find(({ status }) => status === "active")?.id ?? null }
    },
  )

  app.post<{ Body: EventInput }>(
    "/v1/events",
    { schema: { body: eventInput, response: { 201: eventOutput } } },
    async (request, reply) => {
      const { body } = request
      const phases = (body.phases ?? []).map((phase, position) => ({
        id: v7(),
        position,
        modality: phase.modality,
        config: phase.config ?? {},
        feature_set: phase.featureSet ?? [],
      }))
      const [event] = await sql<EventRow[]>`
        with event as (
          insert into events (id, workspace_id, type, title, status, visibility, scheduled_at, scheduled_end_at,
                              allow_anonymous_voting, allow_anonymous_questions, capacity, metadata)
          values (${v7()}, ${request.getDecorator<string>("workspaceId")}, ${body.type}, ${body.title}, 'draft',
                  ${body.visibility ?? "unlisted"}, ${body.scheduledAt ?? null}, ${body.scheduledEndAt ?? null},
                  ${body.allowAnonymousVoting ?? false}, ${body.allowAnonymousQuestions ?? false},
                  ${body.capacity ?? 1000}, ${sql.json(body.metadata ?? {})})
          returning ${sql.unsafe(EVENT_COLUMNS)}
        ), agenda as (
          insert into phases (id, event_id, position, modality, config, feature_set, status)
          select p.id, event.id, p.position, p.modality, p.config, p.feature_set, 'pending'
            from event, jsonb_to_recordset(${sql.json(phases)})
                 as p(id uuid, position integer, modality text, config jsonb, feature_set text[])
        )
        select * from event`
      return reply.code(201).header("location", `/v1/events/${event?.id}`).send(event)
    },
  )

  // What a command of ours writes: the event's next version, the outcome under the command's id, and the publication.
  await sql`create table peer_live (event_id uuid primary key, version bigint not null)`
  await sql`create table peer_commands (like live_commands including all)`
  await sql`create table peer_publications (like publications including all)`
  app.post<{ Params: { id: string }; Body: { t: string; d: { text: string } } }>(
    "/v1/events/:id/commands",
    { schema: { params, body: commandInput, response: { 200: commandOutput } } },
    async (request, reply) => {
      const { id } = request.params
      const announcement = { id: v7(), text: request.body.d.text, by: null, at: new Date().toISOString() }
      const written = await sql`
        with event as (
          insert into peer_live (event_id, version)
          select id, 1 from events where id = ${id} and workspace_id = ${request.getDecorator<string>("workspaceId")}
              on conflict (event_id) do update set version = peer_live.version + 1
          returning event_id, version
        ), command as (
          insert into peer_commands (event_id, scope, command_id, body_hash, reply, at)
          select event_id, 'peer', ${v7()}, '', ${sql.json({ announcement })}, now() from event
        )
        insert into peer_publications (event_id, stream, s, version, frame, at)
        select event_id, 'event', version, version, ${JSON.stringify({ t: "announcement", d: announcement })}, now() from event
        returning s`
      if (written.length === 0) return reply.code(404).send({ code: "not_found" })
      return { id: announcement.id, d: { announcement } }
    },
  )

  await app.listen({ host: "127.0.0.1", port: 0 })
  return (app.server.address() as AddressInfo).port
}

answerParent({ start })
