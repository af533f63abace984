/** Broadcasts on a server under test: started, pushed to, watched and recorded. */
import { expect } from "vitest"
import { call, createEvent, type Json } from "./api.ts"
import { eventually } from "./wait.ts"

export const apiOf =
  (base: string, key: string) =>
  (method: string, path: string, body?: object): Promise<Json> =>
    call(base, method, path, { key, ...(body === undefined ? {} : { body }) })

export interface OnAir {
  readonly eventId: string
  readonly phaseId: string
  readonly playbackUrl: string
  readonly streamUrl: string
  readonly url: string
  /** Token of the encoder's address. */
  readonly token: string
  readonly control: (verb: string) => Promise<Json>
  readonly state: () => Promise<Json>
  readonly newIngest: () => Promise<Json>
}

/** A live event with a broadcast that has started, and the address of its encoder. */
export const startBroadcast = async (base: string, key: string, fields: object = {}): Promise<OnAir> => {
  const api = apiOf(base, key)
  const event = await createEvent(base, key, { visibility: "public", phases: [{ modality: "broadcast" }], ...fields })
  await api("POST", `/v1/events/${event.id}/publish`)
  const phaseId = (await api("POST", `/v1/events/${event.id}/start`)).body.phases[0].id
  const control = (verb: string) =>
    api("POST", `/v1/phases/${phaseId}/broadcast/${verb}`, verb === "start" ? {} : undefined)
  const started = await control("start")
  expect(started.status, JSON.stringify(started.body)).toBe(200)
  const newIngest = () => api("POST", `/v1/phases/${phaseId}/broadcast/ingest`)
  const ingest = await newIngest()
  expect(ingest.status, JSON.stringify(ingest.body)).toBe(201)
  return {
    eventId: event.id,
    phaseId,
    playbackUrl: started.body.playbackUrl,
    streamUrl: ingest.body.streamUrl,
    token: ingest.body.token,
    url: ingest.body.url.replace(/[^/]*$/, ""),
    control,
    newIngest,
    state: async () => (await api("GET", `/v1/phases/${phaseId}/broadcast`)).body,
  }
}

export const textAt = async (url: string): Promise<string> => {
  const answer = await fetch(url)
  const body = await answer.text()
  expect(answer.status, body).toBe(200)
  return body
}

export const bytesAt = async (url: string, headers: { readonly [name: string]: string } = {}): Promise<Uint8Array> => {
  const answer = await fetch(url, { headers })
  expect([200, 206]).toContain(answer.status)
  return new Uint8Array(await answer.arrayBuffer())
}

/** Lines of a playlist that name files. */
export const filesIn = (playlist: string): ReadonlyArray<string> =>
  playlist.split("\n").filter((line) => line !== "" && !line.startsWith("#"))

export const mapsIn = (playlist: string): ReadonlyArray<string> =>
  [...playlist.matchAll(/#EXT-X-MAP:URI="([^"]+)"/g)].map(([, uri = ""]) => uri)

/** The event's newest recording, once it is ready. */
export const recordingOf = async (base: string, key: string, eventId: string, deadlineMs?: number): Promise<Json> => {
  let recording: Json
  await eventually(
    async () => {
      recording = (await apiOf(base, key)("GET", `/v1/events/${eventId}/recordings`)).body.recordings[0]
      return recording?.status === "ready"
    },
    "the recording",
    deadlineMs,
  )
  return recording
}
