/** Several people at an event, present as far as its actor knows: what breakouts and rotations are tested with. */
import { Effect } from "effect"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import type { EventRole } from "../../src/model/roles.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import type { House, Stage } from "./house.ts"

/** A reply to a command that is not done. */
export const refused = (code: string) => ({ ok: false, e: { code } })

/** The state that the client was given last. */
export const lastReady = ({ received }: Client): Frame => received.findLast(({ t }) => t === "ready").d

/** A guest who has sent their token, and may have to wait or be sent away. */
export const knock = async (
  house: House,
  stage: Stage,
  who: string,
  how: Parameters<House["connect"]>[0] = {},
): Promise<Client> => {
  const client = house.connect(how)
  await client.hello()
  client.send({ op: 2, d: { token: await house.token(stage, who) } })
  return client
}

export const status = (client: Client, state: string): Promise<Frame> =>
  client.next(({ t, d }) => t === "lobby.status" && d.state === state, `lobby.status ${state}`)

/** Staff see that they wait. */
export const untilInLobby = (host: Client, who: string): Promise<Frame> =>
  host.next(
    ({ t, d }) => t === "lobby.waiting" && d.add.some((one: Frame) => one.participantId === who),
    `${who} in the lobby`,
  )

/** What webhooks are told of comings and goings. */
export const notices = async ({ actors }: House, { eventId }: Stage): Promise<ReadonlyArray<string>> => {
  const rows = await actors.sql`
    select body from outbox_messages
     where event_id = ${eventId} and type like 'participant.%' order by occurred_at, id`
  return rows.map(({ ["body"]: body }) => {
    const { type, participantId } = JSON.parse(String(body))
    return `${participantId} ${type.replace("participant.", "")}`
  })
}

/** The participants that the live event has as present. */
export const presentAt = (house: House, { eventId }: Stage): Promise<ReadonlyArray<string>> =>
  house.actors.run(
    Effect.flatMap(LiveEvents, (live) => live.readRoster(eventId, { limit: 200 })).pipe(
      Effect.map(({ participants }) => participants.map((person) => String((person as Frame).participantId))),
    ),
  )

export const untilPresent = (house: House, stage: Stage, who: ReadonlyArray<string>): Promise<void> =>
  eventually(
    async () => {
      const present = await presentAt(house, stage)
      return who.every((id) => present.includes(id))
    },
    `${who.join(", ")} being present`,
  )

/** The live event has announced them as present, which a newcomer learns by a dispatch or, of itself too, by `ready` already. */
export const untilAnnounced = (house: House, { eventId }: Stage, who: ReadonlyArray<string>): Promise<void> =>
  eventually(
    async () => {
      const rows = await house.actors.sql<{ frame: string }[]>`
        select frame from publications where event_id = ${eventId} and stream = 'people'`
      const ids = rows.flatMap(({ frame }) => (JSON.parse(frame).d.join ?? []).map((one: Frame) => one.participantId))
      return who.every((id) => ids.includes(id))
    },
    `${who.join(", ")} being announced`,
  )

export const untilGone = (house: House, stage: Stage, who: string): Promise<void> =>
  eventually(async () => !(await presentAt(house, stage)).includes(who), `${who} being gone`)

/** Loses the participant's only connection, and puts the live event's clock forward by the time in which they may return. */
export const depart = async (house: House, stage: Stage, who: string, client: Client): Promise<void> => {
  await client.cut()
  await untilGone(house, stage, who)
  house.actors.clock.jump(RETURN_WITHIN_MS)
}

/** Of one or more. */
type Crowd = readonly [Client, ...Client[]]

/** Clients that joined and are present, in the order of their names. */
export const crowd = async (
  house: House,
  stage: Stage,
  who: ReadonlyArray<string>,
  role: EventRole = "participant",
): Promise<Crowd> => {
  const clients = await Promise.all(who.map((name) => house.join(stage, name, role)))
  await untilPresent(house, stage, who)
  return clients as unknown as Crowd
}

/** The ready of a newcomer, or of another tab. */
export const readyOf = async (
  house: House,
  stage: Stage,
  who: string,
  role: EventRole = "participant",
): Promise<Frame> => {
  const tab = house.connect()
  const { d } = await tab.identify(await house.token(stage, who, role))
  await tab.cut()
  return d
}

/** A dispatch wherever it stands among what was received: streams keep their order each by itself. */
export const received = async (
  client: Client,
  t: string,
  fits: (d: Frame, frame: Frame) => boolean = () => true,
): Promise<Frame> => {
  const find = () => client.received.find((frame) => frame.op === 0 && frame.t === t && fits(frame.d, frame))
  await eventually(() => find() !== undefined, `${t} being received`)
  return find()
}

/** The epoch and cursors with which a client would resume. */
export const held = (client: Client) => {
  const ready = client.received.findLast(({ t }) => t === "ready")
  const cursors: { [stream: string]: number } = { ...ready.d.cursors }
  for (const { t, d, st, s } of client.received) {
    if (t === "subscribed") {
      for (const stream of d.dropped) delete cursors[stream]
      Object.assign(cursors, d.cursors)
    }
    if (st !== undefined && cursors[st] !== undefined) cursors[st] = Math.max(cursors[st], s)
  }
  return { epoch: ready.d.epoch as string, cursors }
}
