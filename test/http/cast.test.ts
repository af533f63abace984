/** The cast of the public view: who is on stage, and afterwards who was. The announced are listed beside it. */
import { expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createEvent, createPerson, gatewayToken, type Json } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const drive = (id: string, verb: string) => call(server.url, "POST", `/v1/events/${id}/${verb}`, { key: acme.key })
const view = async (id: string, part = ""): Promise<Json> =>
  (await call(server.url, "GET", `/v1/public/events/${id}${part}`)).body
const castOf = async (id: string): Promise<string> =>
  (await view(id)).cast.map(({ name, role }: Json) => `${name} ${role}`).join(", ")
const join = async (eventId: string, session?: string): Promise<Client> => {
  const { url, token } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}
const untilCast = (id: string, cast: string) =>
  eventually(async () => (await castOf(id)) === cast, `the cast "${cast}"`)

test("is who is on stage: an owner who hosts, a viewer who was invited there, and no speaker who never came", async () => {
  const event = await createEvent(server.url, acme.key, {
    phases: [{ modality: "broadcast" }, { modality: "meeting" }],
  })
  const { id } = event
  await drive(id, "publish")
  const person = (role: string, name: string) => createPerson(server.url, acme.key, id, role, name)
  const [guest, absent, speaker] = [
    await person("viewer", "Vera"),
    await person("speaker", "Abel"),
    await person("speaker", "Sonja"),
  ]
  expect(absent.userId).not.toBe(speaker.userId)
  const owner = await call(server.url, "POST", `/v1/workspaces/${acme.id}/session`, { cookie: acme.owner.cookie })
  const announced = [
    { name: "Abel", role: "speaker" },
    { name: "Sonja", role: "speaker" },
  ]
  const hosting = await join(id, owner.body.sessionToken)
  const watching = await join(id, guest.session)
  await join(id)
  // Connected people are on no stage before the start.
  expect(await view(id)).toMatchObject({ status: "scheduled", cast: [], speakers: announced })

  await drive(id, "start")
  await untilCast(id, "Ada host")
  const speaking = await join(id, speaker.session)
  await untilCast(id, "Ada host, Sonja speaker")
  await eventually(
    async () => (await hosting.command("stage.invite", { id: guest.userId })).ok === true,
    "the invitation of somebody who is there",
  )
  expect(await castOf(id)).toBe("Ada host, Sonja speaker")
  await watching.command("stage.accept")
  // In the order of their arrival.
  await untilCast(id, "Ada host, Vera speaker, Sonja speaker")
  const cast = [
    { name: "Ada", role: "host" },
    { name: "Sonja", role: "speaker" },
    { name: "Vera", role: "speaker" },
  ]
  const byName = (people: ReadonlyArray<Json>) => people.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const part of ["", "/content", "/recap"]) expect(byName((await view(id, part)).cast), part).toEqual(cast)
  expect((await view(id)).speakers).toEqual(announced)

  await watching.command("stage.leave")
  await untilCast(id, "Ada host, Sonja speaker")
  await speaking.command("leave")
  await untilCast(id, "Ada host")
  // A call has no stage but for those who host it.
  const again = await join(id, speaker.session)
  await untilCast(id, "Ada host, Sonja speaker")
  await drive(id, "advance")
  await untilCast(id, "Ada host")

  await drive(id, "end")
  await again.closeCode()
  for (const part of ["", "/content", "/recap"]) expect(byName((await view(id, part)).cast), part).toEqual(cast)
  expect((await view(id)).speakers).toEqual(announced)
})

test("of an event that was a call alone, and of one that ended before it began", async () => {
  const meeting = await createEvent(server.url, acme.key, { phases: [{ modality: "meeting" }] })
  await drive(meeting.id, "publish")
  await drive(meeting.id, "start")
  const host = await createPerson(server.url, acme.key, meeting.id, "host", "Hedy")
  const person = await createPerson(server.url, acme.key, meeting.id, "participant", "Paul")
  await join(meeting.id, host.session)
  const last = await join(meeting.id, person.session)
  await untilCast(meeting.id, "Hedy host")
  await drive(meeting.id, "end")
  await last.closeCode()
  expect(await castOf(meeting.id)).toBe("Hedy host")

  const speakers = await createEvent(server.url, acme.key, {
    phases: [{ modality: "meeting" }, { modality: "broadcast" }],
  })
  await drive(speakers.id, "publish")
  await drive(speakers.id, "start")
  const speaker = await createPerson(server.url, acme.key, speakers.id, "speaker", "Sonja")
  await join(speakers.id, speaker.session)
  await eventually(async () => {
    const { body } = await call(server.url, "GET", `/v1/events/${speakers.id}/attendance`, { key: acme.key })
    return JSON.stringify(body).includes("Sonja")
  }, "the speaker being present")
  expect(await castOf(speakers.id)).toBe("")
  await drive(speakers.id, "advance")
  // Nothing of theirs changes but the phase.
  await untilCast(speakers.id, "Sonja speaker")
})
