/** The look at the rooms of the media server finds whoever has lost their seat, where no message says who comes in. */
import { expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { newId } from "../../src/model/ids.ts"
import { startLiveKit } from "../support/livekit-server.ts"
import { shared } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { type House, openHouse, type Stage } from "./house.ts"

const livekit = shared(startLiveKit, (server) => server.stop())
const house = shared(
  () => openHouse({ media: livekit.server, guardsRooms: true, roomSweepMs: 50, moveMs: 100 }),
  (opened) => opened.stop(),
)

const mainRoom = (stage: Stage): string =>
  mediaRoomOf({ eventId: stage.eventId, phaseId: stage.phaseIds[0] ?? "", roomId: null })

/** In the call and away from the gateway. Returns a token with which they come again. */
const inCall = async (stage: Stage, who: string, more: Parameters<House["token"]>[3] = {}): Promise<string> => {
  const client = house.connect()
  const { media } = (await client.identify(await house.token(stage, who, "participant", more))).d
  await client.cut()
  return livekit.join(media.token)
}

const gone = (room: string, who: string) => eventually(() => !livekit.isIn(room, who), `${who} is out`)

test("a guest who was erased is out, each time that they come, and the others stay", async () => {
  const stage = await house.stage()
  const room = mainRoom(stage)
  const token = await inCall(stage, "ada")
  await inCall(stage, "ben")
  await house.actors
    .sql`insert into erased_guests (event_id, participant_id, erased_at) values (${stage.eventId}, 'ada', now())`
  await gone(room, "ada")
  await livekit.join(token)
  await gone(room, "ada")
  // A look that began before may have been judged without them.
  for (let n = 0; n < 2; n++) await livekit.judged(room)
  expect(livekit.isIn(room, "ben")).toBe(true)
})

test("a user whose membership of a private event has ended is out, and a member stays", async () => {
  const stage = await house.stage()
  const { sql } = house.actors
  await sql`update events set visibility = 'private' where id = ${stage.eventId}`
  const join = async () => {
    const [userId, membershipId] = [newId(), newId()]
    await sql`insert into users (id, workspace_id, external_sub) values (${userId}, ${stage.workspaceId}, ${userId})`
    await sql`
      insert into memberships (id, event_id, user_id, role)
      values (${membershipId}, ${stage.eventId}, ${userId}, 'participant')`
    return {
      userId,
      membershipId,
      token: await inCall(stage, userId, {
        kind: "user",
        userId,
        basis: { workspaceId: stage.workspaceId, userId, sessionVersion: 0, login: null, keyId: null },
      }),
    }
  }
  const [ada, ben] = [await join(), await join()]
  const room = mainRoom(stage)
  await sql`delete from memberships where id = ${ada.membershipId}`
  await gone(room, ada.userId)
  await livekit.join(ada.token)
  await gone(room, ada.userId)
  // A look that began before may have been judged without them.
  for (let n = 0; n < 2; n++) await livekit.judged(room)
  expect(livekit.isIn(room, ben.userId)).toBe(true)
})

test("a sweep finds what was missed, and leaves recorders and rooms of others alone", async () => {
  const stage = await house.stage()
  const [room, empty] = [mainRoom(stage), mediaRoomOf({ eventId: stage.eventId, phaseId: "", roomId: newId() })]
  const others = [`${newId()}:${newId()}`, "lounge"]
  const host = await house.join(stage, "host", "host")
  await house.join(stage, "p0")
  await host.command("participant.remove", { id: "p0" })
  for (const name of others) livekit.enter(name, "stranger")
  livekit.enter(empty, "p1")
  livekit.enter(room, "EG_1", "EGRESS")
  livekit.enter(room, "host")
  // With the token from before, while the message about it is lost.
  livekit.enter(room, "p0")
  await gone(room, "p0")
  await eventually(() => !livekit.rooms.has(empty), "the room without seats is closed")
  expect(livekit.isIn(room, "host")).toBe(true)
  expect(livekit.isIn(room, "EG_1")).toBe(true)
  for (const name of others) expect(livekit.isIn(name, "stranger")).toBe(true)
})

test("a sweep finds people whose stored role was lowered while no server saw it", async () => {
  const stage = await house.stage([{ modality: "broadcast" }])
  const room = mainRoom(stage)
  const roles = { [newId()]: "speaker", [newId()]: "viewer", [newId()]: null }
  const [speaker = "", viewer = "", nobody = ""] = Object.keys(roles)
  const { sql } = house.actors
  for (const [id, role] of Object.entries(roles)) {
    await sql`insert into users (id, workspace_id, external_sub) values (${id}, ${stage.workspaceId}, ${id})`
    if (role === null) continue
    await sql`insert into memberships (id, event_id, user_id, role) values (${newId()}, ${stage.eventId}, ${id}, ${role})`
  }
  for (const id of [speaker, viewer, nobody]) livekit.enter(room, id)
  await eventually(() => !livekit.isIn(room, viewer) && !livekit.isIn(room, nobody), "the stage is the speakers'")
  expect(livekit.isIn(room, speaker)).toBe(true)
})
