/** Open connections of people who have the address of somebody whom a host decides on, under another id. */
import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { openJumpingClock } from "../support/jumping-clock.ts"
import type { Client } from "./client.ts"
import { untilPresent } from "./crowd.ts"
import { ok, send } from "./held.ts"
import { type Stage, sharedHouse } from "./house.ts"

const { clock, jump } = openJumpingClock()
// No heartbeat is due while the clock is put forward.
const house = sharedHouse({ clock, heartbeatMs: 3_600_000 }, { node: "one" })

/** A gateway token lives 120 s; the second look comes ten seconds later. */
const TOKEN_ENDED_MS = 131_000

const userWith = async ({ workspaceId }: Stage, email: string): Promise<string> => {
  const id = newId()
  await house.actors
    .sql`insert into users (id, workspace_id, external_sub, email) values (${id}, ${workspaceId}, ${id}, ${email})`
  return id
}

const join = (stage: Stage, userId: string, role?: "host"): Promise<Client> =>
  house.join(stage, userId, role, { kind: "user", userId })

const open = async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["chat"] }])
  const [ann, annAgain, ben] = [
    await userWith(stage, "ann@example.com"),
    await userWith(stage, "ann@example.com"),
    await userWith(stage, "ben@example.com"),
  ]
  const host = await join(stage, newId(), "host")
  await join(stage, ann)
  const other = await join(stage, ben)
  await untilPresent(house, stage, [ann, ben])
  return { stage, host, ann, annAgain, other }
}

test("somebody who comes by a token from before the decision is out when such tokens have expired, and others stay", async () => {
  const { stage, host, ann, annAgain, other } = await open()
  const witness = await userWith(stage, "ann@example.com")
  const seen = await join(stage, witness)
  await untilPresent(house, stage, [witness])
  await ok(send(host, "participant.mute", { id: ann }))
  // The first look has been acted on.
  expect((await seen.closed).code).toBe(4304)
  const late = await join(stage, annAgain)
  await ok(send(late, "chat.send", { to: "event", text: "In" }))
  jump(TOKEN_ENDED_MS)
  expect((await late.closed).code).toBe(4304)
  await ok(send(other, "chat.send", { to: "event", text: "Here" }))
})
