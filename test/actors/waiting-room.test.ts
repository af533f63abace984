/** The reports of a waiting room to staff: every change once, in portions. */
import { expect, test } from "vitest"
import { Lobby } from "../../src/actors/presence/waiting-room.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"

const AT = toTimestamp(0)
const wait = (lobby: Lobby, participantId: string): void =>
  lobby.enter({ node: "node", connections: [1] }, { participantId, name: participantId, kind: "guest" }, AT)

test("of many arrivals at once each is reported once, five hundred at a time", () => {
  const lobby = new Lobby(0)
  const ids = Array.from({ length: 1200 }, (_, n) => `p${n}`)
  for (const id of ids) wait(lobby, id)
  const portions: string[][] = []
  while (lobby.hasChanges) {
    portions.push(lobby.news.add.map(({ participantId }) => participantId))
    lobby.settle()
    lobby.stored(lobby.unstoredPlaces)
  }
  expect(portions).toEqual([ids.slice(0, 500), ids.slice(500, 1000), ids.slice(1000)])
})

test("a departure before the arrival was reported is reported, and a reported arrival is not reported again", () => {
  const lobby = new Lobby(0)
  for (const id of ["stays", "goes"]) wait(lobby, id)
  lobby.leave("node", "goes", 0)
  expect(lobby.news).toMatchObject({ add: [{ participantId: "stays" }], remove: ["goes"] })
  lobby.settle()
  lobby.stored(lobby.unstoredPlaces)
  wait(lobby, "stays")
  expect([lobby.hasChanges, lobby.size]).toEqual([false, 1])
})
