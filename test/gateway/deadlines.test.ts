import { afterAll, beforeAll, expect, test } from "vitest"
import { type House, openHouse } from "./house.ts"

let house: House

beforeAll(async () => {
  house = await openHouse({ heartbeatMs: 200, identifyTimeoutMs: 150, sweepMs: 20, identifiesPerSecond: 20 })
})
afterAll(() => house.stop())

test("a socket that does not identify in time closes 4202", async () => {
  const client = house.connect()
  const { d } = await client.hello()
  expect(d).toMatchObject({ heartbeatMs: 200, identifyTimeoutMs: 150 })
  expect(await client.closeCode()).toBe(4202)
})

test("a socket that falls silent closes 4001, one that beats stays", async () => {
  const stage = await house.stage()
  const silent = await house.join(stage, "silent")
  const beating = await house.join(stage, "beating")
  const beat = setInterval(() => beating.send({ op: 1, d: { t0: 1 } }), 50)
  expect(await silent.closeCode()).toBe(4001)
  expect(await beating.command("roster.list")).toMatchObject({ ok: true })
  clearInterval(beat)
})

test("more identifies than the node takes in a second close 4100", async () => {
  const stage = await house.stage()
  const token = await house.token(stage, "crowd")
  const clients = Array.from({ length: 60 }, () => house.connect())
  const codes = clients.map(async (client) => {
    await client.hello()
    client.send({ op: 2, d: { token } })
    return client.closeCode()
  })
  expect(
    await Promise.any(codes.map(async (code) => ((await code) === 4100 ? 4100 : Promise.reject(new Error("other"))))),
  ).toBe(4100)
  for (const client of clients) client.socket.terminate()
  await Promise.allSettled(codes)
})
