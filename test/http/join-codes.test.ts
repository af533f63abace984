/** Short codes and QR codes that lead to an event. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { newJoinCode, parseJoinCode } from "../../src/model/join-code.ts"
import { type CallOptions, call, createEvent, createWorkspace } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })
const anyone = (path: string) => call(server.url, "GET", path)

const CODE = /^[2-9A-HJ-NP-Z]{6}$/

test("codes have no character that looks like another one, and are read as people type them", () => {
  const codes = Array.from({ length: 500 }, newJoinCode)
  expect(codes.filter((code) => !CODE.test(code))).toEqual([])
  expect(new Set(codes).size).toBe(500)
  expect(["k7m-px4", " K7M PX4 ", "K7MPX4"].map(parseJoinCode)).toEqual(["K7MPX4", "K7MPX4", "K7MPX4"])
  expect(["K7MPX", "K7MPX45", "K7MPX0", "K7MPXO", "K7MPX1", "", "ÄÖÜäöü"].map(parseJoinCode)).toEqual(
    Array(7).fill(undefined),
  )
})

describe("a join code", () => {
  test("is made once, however many ask at once, and finds its event when that is published", async () => {
    const event = await createEvent(server.url, acme.key, { title: "Coding" })
    const asked = await Promise.all(Array.from({ length: 10 }, () => api("POST", `/v1/events/${event.id}/join-code`)))
    const [{ body, status } = { body: {}, status: 0 }] = asked
    expect(status).toBe(200)
    expect(body.code).toMatch(CODE)
    expect(body.url).toBe(`${server.url}/enter/${event.id}`)
    expect(new Set(asked.map((answer) => answer.body.code))).toEqual(new Set([body.code]))

    const path = `/v1/public/join/${body.code}`
    expect((await anyone(path)).status).toBe(404)
    await api("POST", `/v1/events/${event.id}/publish`)
    const found = await anyone(path)
    expect([found.status, found.body]).toEqual([
      200,
      { eventId: event.id, title: "Coding", status: "scheduled", scheduledAt: null, url: body.url },
    ])
    const typed = `${body.code.slice(0, 3)}-${body.code.slice(3)}`.toLowerCase()
    expect((await anyone(`/v1/public/join/${typed}`)).body.eventId).toBe(event.id)
    await api("POST", `/v1/events/${event.id}/start`)
    expect((await anyone(path)).body.status).toBe("live")
    await api("PATCH", `/v1/events/${event.id}`, { body: { visibility: "private" } })
    expect((await anyone(path)).status).toBe(404)
  })

  test("of nothing and of a deleted event is not found", async () => {
    const event = await createEvent(server.url, acme.key)
    const { code } = (await api("POST", `/v1/events/${event.id}/join-code`)).body
    await api("POST", `/v1/events/${event.id}/publish`)
    await api("DELETE", `/v1/events/${event.id}`)
    for (const one of [code, "ZZZZZZ", "K7MPX0", "%00", "x".repeat(500)]) {
      const answer = await anyone(`/v1/public/join/${one}`)
      expect([one, answer.status, answer.body.code]).toEqual([one, 404, "not_found"])
    }
  })

  test("is given to the workspace of the event alone", async () => {
    const event = await createEvent(server.url, acme.key)
    const other = await createWorkspace(server.url)
    const path = `/v1/events/${event.id}/join-code`
    expect((await api("POST", path, { key: other.key })).status).toBe(404)
    expect((await api("POST", path, { key: undefined })).status).toBe(401)
    expect((await api("POST", `/v1/events/${randomUUID()}/join-code`)).status).toBe(404)
  })
})

test("the QR code is a picture of the page's address, of events that may be seen", async () => {
  const event = await createEvent(server.url, acme.key)
  const path = `/v1/public/events/${event.id}/qr.svg`
  expect((await anyone(path)).status).toBe(404)
  await api("POST", `/v1/events/${event.id}/publish`)
  const answer = await fetch(server.url + path)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
  const picture = await answer.text()
  expect(picture).toMatch(/^<\?xml [^>]*>\s*<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\s*$/s)
  expect(picture).not.toMatch(/<script|href|on\w+=/)
  const other = await createEvent(server.url, acme.key)
  await api("POST", `/v1/events/${other.id}/publish`)
  expect(await (await fetch(`${server.url}/v1/public/events/${other.id}/qr.svg`)).text()).not.toBe(picture)
})
