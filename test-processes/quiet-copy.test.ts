/** A server on a copy: nobody outside hears of it, it works inside, and what waits is sent when the copy is promoted. */
import { expect, onTestFinished, test } from "vitest"
import { Client } from "../test/gateway/client.ts"
import { call, createEvent, createPerson, gatewayToken, type Json } from "../test/support/api.ts"
import { CaptureHouse } from "../test/support/capture-house.ts"
import { startReceiver, status } from "../test/support/http-receiver.ts"
import { startMailServer } from "../test/support/mail-server.ts"
import { rowsOf } from "../test/support/rows.ts"
import { PLATFORM_KEY } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { wavOf } from "../test/support/wav.ts"

const PLATFORM = { headers: { "x-platform-key": PLATFORM_KEY } }

/** A house with a receiver of webhooks and a mail server, and what the media server was asked for. */
const openHouse = async () => {
  const mail = await startMailServer()
  const receiver = await startReceiver()
  const house = await CaptureHouse.open({ SMTP_URL: mail.url })
  const rows = rowsOf(house.server.databaseUrl)
  onTestFinished(async () => {
    await rows.end()
    await house.close()
    await mail.close()
  })
  const asked: string[] = []
  house.livekit.refuse = (method) => {
    asked.push(method)
    return undefined
  }
  const platform = async (method = "GET", path = "status", body?: object): Promise<Json> => {
    const answer = await call(house.server.url, method, `/v1/platform/${path}`, { ...PLATFORM, ...(body && { body }) })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const resetPassword = () =>
    call(house.server.url, "POST", "/v1/accounts/request-password-reset", {
      body: { email: house.workspace.owner.email },
    })
  const hook = (await house.call("POST", "/v1/webhooks", { url: receiver.url })).body
  const ping = () => house.call("POST", `/v1/webhooks/${hook.id}/ping`)
  await resetPassword()
  await eventually(() => mail.received.length === 2, "the emails of the original")
  return { house, mail, receiver, rows, asked, platform, resetPassword, ping }
}

const upload = async (house: CaptureHouse, event: Json): Promise<Json> => {
  const bytes = wavOf(1)
  const begun = await house.call("POST", `/v1/events/${event.id}/recordings`, { sizeBytes: bytes.byteLength })
  expect((await fetch(begun.body.uploadUrl, { method: "PUT", body: bytes })).status).toBe(200)
  await house.call("POST", `/v1/recordings/${begun.body.id}/complete`, {})
  const read = async () => (await house.call("GET", `/v1/recordings/${begun.body.id}`)).body
  await eventually(async () => (await read()).status === "ready", "the recording")
  return read()
}

test("it calls no webhook, sends no email, touches neither bucket nor media server; promoted, it does all of it", async () => {
  const { house, mail, receiver, rows, asked, platform, resetPassword, ping } = await openHouse()
  const before = await createEvent(house.server.url, house.workspace.key)
  await house.call("POST", `/v1/events/${before.id}/publish`)
  const recorded = await upload(house, before)
  const { room, host } = await house.openRoom("meeting")
  house.livekit.enter(room, "somebody")
  expect((await host.command("capture.start", { kinds: ["recording"] })).ok).toBe(true)
  const running = await house.egressOf(room)
  host.socket.close()
  let [calls, letters] = [0, 0]

  house.server = await house.server.restart({ QUIET: "true" }, async () => {
    // The original has stopped: none of its requests is under way any more.
    ;[calls, letters] = [receiver.received.length, mail.received.length]
    // The backup is from before the recording began, so that the copy knows nothing of it, and has a delivery that was sent since.
    await rows.run("delete from recordings where egress_id = $1", [running.egressId])
    await rows.run("delete from media_jobs")
    await rows.run(`update webhook_deliveries set status = 'skipped', next_attempt_at = null, finished_at = now()
                     where status = 'pending'`)
    asked.length = 0
  })
  const later = await house.openRoom("meeting")
  house.livekit.enter(later.room, "somebody else")
  expect((await later.host.command("capture.start", { kinds: ["recording"] })).ok).toBe(true)
  const { userId, session } = await createPerson(house.server.url, house.workspace.key, later.event.id, "attendee")
  const { token, url } = await gatewayToken(house.server.url, later.event.id, session)
  const guest = new Client(url)
  await guest.identify(token)
  house.livekit.enter(later.room, userId)
  expect(await later.host.command("participant.remove", { id: userId })).toMatchObject({ ok: true })
  expect((await ping()).status).toBe(201)
  await resetPassword()
  const fresh = await upload(house, before)
  expect((await house.call("DELETE", `/v1/recordings/${recorded.id}`)).status).toBe(204)
  // All of it has been due for as long as tries would take ten times.
  await eventually(async () => {
    const { backlog } = await platform()
    return Object.values<Json>(backlog).every(({ count, overdueSeconds }) => count > 0 && overdueSeconds >= 3)
  }, "work of each kind to be overdue")
  expect([receiver.received.length, mail.received.length, asked]).toEqual([calls, letters, []])
  const kept = (recording: Json) => house.s3.stored(recording.id).length
  expect([kept(recorded) > 0, kept(fresh) > 0, running.status]).toEqual([true, true, "EGRESS_ACTIVE"])
  expect((await call(house.server.url, "GET", "/readyz")).body).toMatchObject({ status: "ready", quiet: true })
  expect(await (await fetch(`${house.server.url}/metrics`)).text()).toMatch(/^gathercue_quiet 1$/m)
  expect((await platform()).quiet).toEqual({
    since: expect.any(String),
    signs: ["QUIET is set."],
    copied: { deliveries: 0, letters: 0 },
  })

  expect(await platform("POST", "promote")).toEqual({ wasQuiet: true, copied: { deliveries: 0, letters: 0 } })
  await receiver.count(calls + 1)
  await eventually(() => mail.received.length === letters + 1, "the email")
  await eventually(() => kept(recorded) === 0, "the removal")
  await house.egressOf(later.room)
  expect(await (await fetch(`${house.server.url}/metrics`)).text()).toMatch(/^gathercue_quiet 0$/m)
  expect((await platform()).quiet).toBeNull()
  expect(await platform("POST", "promote")).toEqual({ wasQuiet: false, copied: { deliveries: 0, letters: 0 } })
  later.host.socket.close()
})

test("what waited in the original is counted, and discarded if the operator says so; what came since is sent", async () => {
  const { house, mail, receiver, rows, platform, resetPassword, ping } = await openHouse()
  house.server = await house.server.restart({ QUIET: "true" })
  await ping()
  await resetPassword()
  await rows.run("update outbox_messages set occurred_at = occurred_at - interval '1 hour'")
  await rows.run("update mails set created_at = created_at - interval '1 hour'")
  await ping()
  await resetPassword()
  const counted = { deliveries: 1, letters: 1 }
  expect((await platform()).quiet.copied).toEqual(counted)
  const [calls, letters] = [receiver.received.length, mail.received.length]
  receiver.answer = status(200)
  expect(await platform("POST", "promote", { discardWaiting: true })).toEqual({ wasQuiet: true, copied: counted })
  await receiver.count(calls + 1)
  await eventually(() => mail.received.length === letters + 1, "the later email")
  await eventually(async () => {
    const { backlog } = await platform()
    return backlog.deliveries.count === 0 && backlog.letters.count === 0
  }, "nothing to wait any more")
  expect([receiver.received.length, mail.received.length]).toEqual([calls + 1, letters + 1])
  const [skipped] = await rows.run("select count(*)::int as n from webhook_deliveries where status = 'skipped'")
  expect(skipped?.["n"]).toBe(1)
})

test("no reminder is posted meanwhile, which would be sent late; one that is of use is posted after the promotion", async () => {
  const { house, mail, rows, platform, ping } = await openHouse()
  const scheduledAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const event = await createEvent(house.server.url, house.workspace.key, { scheduledAt })
  await house.call("POST", `/v1/events/${event.id}/publish`)
  const person = { name: "Bo", email: "bo@example.com" }
  const path = `/v1/public/events/${event.id}/register`
  expect((await call(house.server.url, "POST", path, { body: person })).status).toBe(200)
  await mail.next(person.email)
  house.server = await house.server.restart({ QUIET: "true" }, async () => {
    await rows.run("update events set scheduled_at = now() + interval '9 minutes' where id = $1", [event.id])
    await rows.run("update registrations set created_at = now() - interval '1 hour'")
  })
  await ping()
  await eventually(async () => (await platform()).backlog.deliveries.overdueSeconds >= 3, "a delivery to be late")
  expect((await platform()).backlog.letters.count).toBe(0)
  await platform("POST", "promote")
  expect((await mail.next(person.email)).raw).toContain("Subject:")
})
