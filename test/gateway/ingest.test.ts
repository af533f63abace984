/** The encoder's address, asked for by the people on stage. */
import { expect, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { push } from "../support/encoder.ts"
import { sharedServer } from "../support/shared.ts"
import { Client } from "./client.ts"

const server = sharedServer()

test("a host's address and a speaker's take the stream, each until its holder gets another one", async () => {
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key, { phases: [{ modality: "broadcast" }] })
  const join = async (role: string): Promise<Client> => {
    const { session } = await createPerson(server.url, key, event.id, role)
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const client = new Client(url)
    await client.identify(token)
    return client
  }
  const [host, speaker] = [await join("host"), await join("speaker")]
  const stream = fixture("ffmpeg-stream.mp4")
  expect(await host.command("broadcast.ingest")).toMatchObject({ ok: false, e: { code: "conflict" } })
  await host.command("broadcast.start")
  const first = (await host.command("broadcast.ingest")).d
  expect((await push(first.streamUrl, stream)).status).toBe(204)
  const second = (await speaker.command("broadcast.ingest")).d
  expect(second.token).not.toBe(first.token)
  expect((await push(second.streamUrl, stream)).status).toBe(204)
  expect((await push(first.streamUrl, stream)).status).toBe(204)
  const third = (await host.command("broadcast.ingest")).d
  expect((await push(first.streamUrl, stream)).status).toBe(401)
  expect((await push(second.streamUrl, stream)).status).toBe(204)
  expect((await push(third.streamUrl, stream)).status).toBe(204)
  const piece = async ({ streamUrl }: { streamUrl: string }, number: number): Promise<readonly [number, unknown]> => {
    const answer = await fetch(`${streamUrl}?seq=${number}`, { method: "PUT", body: stream })
    return [answer.status, answer.ok ? null : ((await answer.json()) as { code: string }).code]
  }
  const replaced = [409, "encoder_replaced"]
  expect(await piece(third, 0)).toEqual([204, null])
  const later = (await speaker.command("broadcast.ingest")).d
  expect(await piece(later, 0)).toEqual([204, null])
  // The host's encoder tries to go on, and to begin again: the broadcast stays with the speaker's.
  expect(await piece(third, 1)).toEqual(replaced)
  expect(await piece(third, 0)).toEqual(replaced)
  expect((await push(third.streamUrl, stream)).status).toBe(409)
  expect(await piece(later, 0)).toEqual([204, null])
  const fourth = (await host.command("broadcast.ingest")).d
  expect(await piece(fourth, 0)).toEqual([204, null])
  expect(await piece(later, 1)).toEqual(replaced)
  await host.command("broadcast.stop")
  expect(await host.command("broadcast.ingest")).toMatchObject({ ok: false, e: { code: "conflict" } })
  await Promise.all([host.cut(), speaker.cut()])
})
