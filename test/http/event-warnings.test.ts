/** What the answers about an event warn of. */
import { describe, expect, test } from "vitest"
import { type CallOptions, call, createEvent } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

describe("a start in the past", () => {
  const PAST = "2020-01-01T00:00:00.000Z"
  const warning = {
    code: "starts_in_past",
    detail: "The start of the event (2020-01-01T00:00:00.000Z) lies in the past.",
  }

  test("is warned of wherever it is set or looked at, until the event is live", async () => {
    const event = await createEvent(server.url, acme.key, { scheduledAt: PAST })
    const path = `/v1/events/${event.id}`
    const warnings = async (method: string, under = "", body?: object) =>
      (await api(method, path + under, body === undefined ? {} : { body })).body.warnings
    expect(event.warnings).toEqual([warning])
    expect(await warnings("GET")).toEqual([warning])
    expect(await warnings("PATCH", "", { scheduledAt: "2999-01-01T00:00:00Z" })).toEqual([])
    expect(await warnings("PATCH", "", { scheduledAt: PAST })).toEqual([warning])
    expect(await warnings("POST", "/publish")).toEqual([warning])
    expect(await warnings("GET")).toEqual([warning])
    expect((await api("POST", `${path}/start`)).status).toBe(200)
    expect(await warnings("GET")).toEqual([])
  })

  test("is no mistake where it passed after the event was published", async () => {
    const event = await createEvent(server.url, acme.key, { scheduledAt: "2999-01-01T00:00:00Z" })
    expect(event.warnings).toEqual([])
    await api("POST", `/v1/events/${event.id}/publish`)
    const rows = rowsOf(server.databaseUrl)
    await rows.run("update events set published_at = '2019-01-01T00:00:00Z', scheduled_at = $2 where id = $1", [
      event.id,
      PAST,
    ])
    await rows.end()
    expect((await api("GET", `/v1/events/${event.id}`)).body).toMatchObject({ scheduledAt: PAST, warnings: [] })
  })
})

test("an event without phases is warned of once it is published, until it has one", async () => {
  const event = await createEvent(server.url, acme.key, { phases: [] })
  expect(event.warnings).toEqual([])
  const path = `/v1/events/${event.id}`
  const warning = {
    code: "no_phases",
    detail: "The event has no phase: after its start nothing takes place in it.",
  }
  expect((await api("POST", `${path}/publish`)).body.warnings).toEqual([warning])
  expect((await api("GET", path)).body.warnings).toEqual([warning])
  expect((await api("POST", `${path}/phases`, { body: { modality: "meeting" } })).status).toBe(201)
  expect((await api("GET", path)).body.warnings).toEqual([])
})
