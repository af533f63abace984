/** The order of an agenda that has not begun, and the removal of its phases. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { whileHolding } from "../support/race.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

const PHASES = [{ modality: "broadcast", featureSet: ["qa"] }, { modality: "breakout" }, { modality: "meeting" }]

interface Agenda {
  readonly id: string
  readonly phaseIds: ReadonlyArray<string>
}

const agenda = async (verbs: ReadonlyArray<string> = [], phases: ReadonlyArray<Json> = PHASES): Promise<Agenda> => {
  const { id } = await createEvent(server.url, acme.key, { phases })
  for (const verb of verbs) await api("POST", `/v1/events/${id}/${verb}`)
  const read = await api("GET", `/v1/events/${id}`)
  return { id, phaseIds: read.body.phases.map((phase: Json) => phase.id) }
}
const order = (id: string, phaseIds: unknown, options: CallOptions = {}) =>
  api("PUT", `/v1/events/${id}/phases/order`, { body: { phaseIds }, ...options })
const remove = (phaseId: unknown, options: CallOptions = {}) => api("DELETE", `/v1/phases/${phaseId}`, options)
const append = (id: string) => api("POST", `/v1/events/${id}/phases`, { body: { modality: "rotation" } })
const stored = async (id: string): Promise<ReadonlyArray<Json>> => (await api("GET", `/v1/events/${id}`)).body.phases
const idsOf = (phases: ReadonlyArray<Json>): ReadonlyArray<string> => phases.map(({ id }) => id)

/** The ids, after a look at the positions: they are those of the list. */
const storedIds = async (id: string): Promise<ReadonlyArray<string>> => {
  const phases = await stored(id)
  expect(phases.map(({ position }) => position)).toEqual(phases.map((_, index) => index))
  return idsOf(phases)
}

describe.each([
  ["draft", []],
  ["scheduled", ["publish"]],
])("of a %s event", (_status, verbs) => {
  test("every order is taken, answered and stored", async () => {
    const { id, phaseIds } = await agenda(verbs)
    const [a, b, c] = phaseIds
    for (const wanted of [
      [c, b, a],
      [c, a, b],
      [a, b, c],
      [b, c, a],
      [b, c, a],
    ]) {
      const answer = await order(id, wanted)
      expect([answer.status, idsOf(answer.body.phases), answer.body.activePhaseId]).toEqual([200, wanted, null])
      expect(await storedIds(id)).toEqual(wanted)
    }
  })

  test("a phase is removed, and those after it move up; another is appended behind them", async () => {
    const { id, phaseIds } = await agenda(verbs)
    const [a, b, c] = phaseIds
    const removed = await remove(a)
    expect([removed.status, removed.body]).toEqual([204, ""])
    expect(await storedIds(id)).toEqual([b, c])
    expect([(await remove(a)).status, (await api("PATCH", `/v1/phases/${a}`, { body: {} })).status]).toEqual([404, 404])
    const appended = await append(id)
    expect([appended.body.position, await storedIds(id)]).toEqual([2, [b, c, appended.body.id]])
    for (const phaseId of [b, c, appended.body.id]) expect((await remove(phaseId)).status).toBe(204)
    expect([await storedIds(id), (await order(id, [])).status]).toEqual([[], 200])
  })
})

describe("an order that is not that of the agenda", () => {
  test("is refused with the phases that are missing, unknown or there twice", async () => {
    const { id, phaseIds } = await agenda()
    const stranger = randomUUID()
    const { phaseIds: others } = await agenda()
    const [a, b, c] = phaseIds
    const faults = async (list: ReadonlyArray<unknown>) => {
      const { status, body } = await order(id, list)
      return [status, body.code, body.detail]
    }
    expect(await faults([a, b])).toEqual([400, "bad_request", `phaseIds: ${c} is missing.`])
    expect(await faults([a, b, c, stranger])).toEqual([
      400,
      "bad_request",
      `phaseIds: ${stranger} is no phase of the event.`,
    ])
    expect(await faults([a, b, c, b])).toEqual([400, "bad_request", `phaseIds: ${b} is there twice.`])
    expect(await faults([a, b, others[2], b])).toEqual([
      400,
      "bad_request",
      `phaseIds: ${c} is missing; ${others[2]} is no phase of the event; ${b} is there twice.`,
    ])
    expect(await storedIds(id)).toEqual(phaseIds)
  })
})

test.each([
  ["live", ["publish", "start"]],
  ["ended", ["publish", "start", "end"]],
])("the agenda of a %s event is neither ordered nor shortened", async (status, verbs) => {
  const { id, phaseIds } = await agenda(verbs)
  const answers = [await order(id, phaseIds.toReversed()), await order(id, phaseIds), await remove(phaseIds[2])]
  for (const { status: code, body } of answers) expect([code, body.code]).toEqual([409, "conflict"])
  expect(answers[0]?.body.detail).toContain(status)
  expect(await storedIds(id)).toEqual(phaseIds)
})

describe("a phase that a recording belongs to", () => {
  const record = (id: string, phaseId: unknown) =>
    api("POST", `/v1/events/${id}/recordings`, { body: { phaseId, title: "Rehearsal" } })

  test("stays until the recording is deleted", async () => {
    const { id, phaseIds } = await agenda(["publish"])
    const [a, b, c] = phaseIds
    const recording = await record(id, a)
    const refused = await remove(a)
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"])
    expect(refused.body.detail).toBe("A recording belongs to the phase. Delete the recording first.")
    expect(await storedIds(id)).toEqual([a, b, c])
    expect((await remove(b)).status).toBe(204)
    expect((await order(id, [c, a])).status).toBe(200)
    await api("DELETE", `/v1/recordings/${recording.body.id}`)
    expect([(await remove(a)).status, await storedIds(id)]).toEqual([204, [c]])
  })

  test("stays also when the recording is begun at that moment", async () => {
    const { id, phaseIds } = await agenda(["publish"])
    const [a = ""] = phaseIds
    const begun = randomUUID()
    const insert = `insert into recordings (id, event_id, workspace_id, phase_id, kind, status, storage_key)
                    values ($1::uuid, $2, $3, $4, 'upload', 'processing', 'rehearsals/' || $1::uuid)`
    const refused = await whileHolding(server.databaseUrl, [[insert, [begun, id, acme.id, a]]], () => remove(a))
    expect([refused.status, refused.body.code, await storedIds(id)]).toEqual([409, "conflict", phaseIds])
  })

  test("is not found for a recording that is begun while it is removed", async () => {
    const { id, phaseIds } = await agenda(["publish"])
    const [a = ""] = phaseIds
    const late = await whileHolding(server.databaseUrl, [["delete from phases where id = $1", [a]]], () =>
      record(id, a),
    )
    expect([late.status, late.body.code]).toEqual([404, "not_found"])
  })
})

test("a removal is in the audit log, an order and a refused removal are not", async () => {
  const made = await createWorkspace(server.url)
  const event = await createEvent(server.url, made.key, { phases: PHASES })
  const { phases } = (await api("GET", `/v1/events/${event.id}`, { key: made.key })).body
  const [a, b, c] = idsOf(phases)
  await order(event.id, [c, b, a], { key: made.key })
  await remove(b, { key: made.key })
  for (const verb of ["publish", "start"]) await api("POST", `/v1/events/${event.id}/${verb}`, { key: made.key })
  expect((await remove(a, { key: made.key })).status).toBe(409)
  const { entries } = (await call(server.url, "GET", `/v1/workspaces/${made.id}/audit`, { cookie: made.owner.cookie }))
    .body
  expect(entries.map((entry: Json) => entry.action)).toEqual(["phase.deleted", "workspace.created"])
  expect(entries[0]).toMatchObject({ actor: { kind: "key" }, targetId: b })
})

test("a role stays with its person, its invite and its event when the phases that accept it go", async () => {
  const { id, phaseIds } = await agenda()
  const member = await api("POST", "/v1/users", { body: { externalSub: randomUUID(), name: "Ada" } })
  const given = await api("POST", `/v1/events/${id}/memberships`, { body: { userId: member.body.id, role: "speaker" } })
  expect(given.status).toBe(201)
  expect((await remove(phaseIds[0])).status).toBe(204)
  const { memberships } = (await api("GET", `/v1/events/${id}/memberships`)).body
  expect(memberships.map((one: Json) => one.role)).toEqual(["speaker"])
  const again = await api("POST", `/v1/events/${id}/memberships`, { body: { userId: member.body.id, role: "speaker" } })
  expect(again.body.code).toBe("role_not_on_event")
})
