/** The process of the media server under its host: real processes, and offers as browsers make them. */
import { expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../../src/clock/timers.ts"
import { SfuHost } from "../../../src/media/rooms/sfu-host.ts"
import { compiled } from "../../support/compiled.ts"
import { SfuClient } from "../../support/sfu-client.ts"
import { sfuProcesses } from "../../support/sfu-processes.ts"
import { eventually } from "../../support/wait.ts"

const EVENT = "0199a0f0-0000-7000-8000-000000000001"
const ANN = { room: "0199a0f0-0000-7000-8000-00000000000a", peer: "0199a0f0-0000-7000-8000-00000000000b" }

const openHost = async () => {
  const logged: Array<string> = []
  const log = {
    info: (_: object, text: string) => logged.push(text),
    warn: (_: object, text: string) => logged.push(text),
  }
  const host = new SfuHost({
    entry: { module: await compiled("src/sfu/sfu-process.ts"), args: [] },
    encoderKbps: 8000,
    port: 23_000,
    addresses: ["127.0.0.1"],
    timers: systemTimers,
    log: log as unknown as ConstructorParameters<typeof SfuHost>[0]["log"],
  })
  onTestFinished(() => host.stop())
  const answers: Array<{ readonly gen: number; readonly sdp: string }> = []
  const sessions: Array<string> = []
  const rooms = host.open(EVENT, {
    signal: (peer, signal) => {
      if (signal.kind === "answer" && peer.peer === ANN.peer) answers.push({ gen: signal.gen, sdp: signal.data })
    },
    begunAnew: () => sessions.push(rooms.session()),
  })
  return { host, rooms, answers, sessions, logged }
}

const offer = (gen: number) => {
  const client = new SfuClient({ sent: [{ kind: "audio", ssrc: 1 }] })
  onTestFinished(() => client.close())
  return { client, signal: { kind: "offer", gen, data: client.offer } as const }
}

test("the process starts with the first offer, begins anew when it was killed, and ends with its host", async () => {
  const { host, rooms, answers, sessions } = await openHost()
  expect(sfuProcesses()).toEqual([])
  const first = offer(1)
  rooms.signal(ANN, first.signal, [])
  await eventually(() => answers.length === 1, "an answer")
  const before = rooms.session()
  const [pid = 0] = sfuProcesses()
  process.kill(pid, "SIGKILL")
  // Signals to a process that has just ended are lost, and end nothing.
  for (let times = 0; times < 20; times++) rooms.signal(ANN, first.signal, [])
  await eventually(() => sessions.length > 0, "another session")
  expect(sessions.at(-1)).not.toBe(before)
  const second = offer(2)
  rooms.signal(ANN, second.signal, [])
  await eventually(() => answers.some(({ gen }) => gen === 2), "an answer of the next process")
  const port = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(answers.at(-1)?.sdp ?? "")?.[1])
  await second.client.connect(answers.at(-1)?.sdp ?? "", port)
  expect(second.client.isConnected).toBe(true)
  host.stop()
  await eventually(() => sfuProcesses().length === 0, "no process")
})

test("two servers of one machine with one MEDIA_PORT each take a port of their own", async () => {
  const hosts = [await openHost(), await openHost()]
  for (const { rooms } of hosts) rooms.signal(ANN, offer(1).signal, [])
  await eventually(() => hosts.every(({ answers }) => answers.length === 1), "two answers")
  const ports = hosts.map(({ answers }) => / 127\.0\.0\.1 (\d+) typ host/.exec(answers[0]?.sdp ?? "")?.[1])
  expect(new Set(ports).size).toBe(2)
  for (const port of ports) expect([Number(port) >= 23_000, Number(port) < 23_064]).toEqual([true, true])
})

test("an offer that cannot be read is said once, without it, and another activation is another session", async () => {
  const { host, rooms, answers, logged } = await openHost()
  for (const gen of [1, 2, 3]) rooms.signal(ANN, { kind: "offer", gen, data: "nothing" }, [])
  rooms.signal(ANN, offer(4).signal, [])
  await eventually(() => answers.length === 1, "the answer to the offer that can be read")
  const refusals = () => logged.filter((text) => text.includes("refused"))
  // The process tells of it on another pipe than that of the answers.
  await eventually(() => refusals().length > 0, "word of the refused offer")
  expect(refusals()).toHaveLength(1)
  const next = host.open(EVENT, { signal: () => undefined, begunAnew: () => undefined })
  expect(next.session()).not.toBe(rooms.session())
  rooms.close()
})

test("an encoder is told of the end of the process, whether it waits for an answer or has it", async () => {
  const { host } = await openHost()
  const ended: Array<string> = []
  const open = (name: string) => {
    const client = new SfuClient({ sent: [{ kind: "video", ssrc: 1 }], picture: "H264" })
    onTestFinished(() => client.close())
    return host.openEncoder(client.offer, { onPiece: () => undefined, onEnded: () => ended.push(name) })
  }
  const kill = (): void => {
    const [pid = 0, ...others] = sfuProcesses()
    expect([pid > 0, others]).toEqual([true, []])
    process.kill(pid, "SIGKILL")
  }
  // The process has not begun to run when it is killed.
  const waiting = open("waiting")
  kill()
  await expect(waiting.answer).rejects.toMatchObject({ _tag: "Unavailable" })
  expect(ended).toEqual(["waiting"])
  await eventually(() => sfuProcesses().length === 1, "another process")
  const answered = open("answered")
  expect(await answered.answer).toContain("a=ice-ufrag")
  kill()
  await eventually(() => ended.length === 2, "word of the end")
  await answered.finish()
  expect(ended).toEqual(["waiting", "answered"])
})
