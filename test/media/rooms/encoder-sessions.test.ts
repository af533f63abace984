/** Sessions of encoders in the server, and what they tell the process of the media server and hear from it. */
import { expect, test } from "vitest"
import { EncoderSessions } from "../../../src/media/rooms/encoder-sessions.ts"
import type { SfuTask } from "../../../src/sfu/process-protocol.ts"
import { openVirtualTime } from "../../support/virtual-time.ts"

const SDP = "v=0"
const unavailable = (detail: string) => ({ _tag: "Unavailable", detail: expect.stringContaining(detail) })

const openSessions = async () => {
  const { timers, pass } = await openVirtualTime()
  const tasks: Array<SfuTask> = []
  const sessions = new EncoderSessions((task) => tasks.push(task), timers)
  const heard: Array<string> = []
  /** A session, its id in the process, and the outcome of its offer. */
  const open = () => {
    const onPiece = (bytes: Uint8Array): void => void heard.push(Buffer.from(bytes).toString())
    const session = sessions.open(SDP, 8000, { onPiece, onEnded: () => heard.push("ended") })
    const task = tasks.at(-1)
    const outcome = session.answer.catch((cause: unknown) => cause)
    return { ...session, outcome, id: task?.type === "openEncoder" ? task.session : "" }
  }
  const piece = (session: string, text: string) =>
    sessions.hear({ type: "encoderPiece", session, isInit: false, bytes: Buffer.from(text) })
  return { sessions, tasks, heard, open, piece, pass }
}

test("an answer is waited for five seconds, and one that comes later is not heard", async () => {
  const { sessions, tasks, heard, open, piece, pass } = await openSessions()
  const [early, late] = [open(), open()]
  expect(tasks[0]).toEqual({ type: "openEncoder", session: early.id, sdp: SDP, maxKbps: 8000 })
  await pass(4999)
  sessions.hear({ type: "encoderAnswer", session: early.id, sdp: "answer" })
  expect(await early.outcome).toBe("answer")
  await pass(1)
  expect(await late.outcome).toMatchObject(unavailable("does not answer"))
  expect(tasks.slice(2)).toEqual([{ type: "closeEncoder", session: late.id }])
  sessions.hear({ type: "encoderAnswer", session: late.id, sdp: "answer" })
  piece(late.id, "late")
  await pass(60_000)
  piece(early.id, "early")
  expect(heard).toEqual(["early"])
})

test("an offer that cannot be taken is refused with the reason of the process", async () => {
  const { sessions, open, heard } = await openSessions()
  const one = open()
  sessions.hear({ type: "encoderRefused", session: one.id, why: "no section" })
  expect(await one.outcome).toMatchObject({ _tag: "BadRequest", detail: "no section" })
  expect(heard).toEqual([])
})

test("256 encoders send at once, and another one when one of them is gone", async () => {
  const { tasks, open } = await openSessions()
  const all = Array.from({ length: 256 }, open)
  expect(await open().outcome).toMatchObject(unavailable("Too many encoders"))
  expect(tasks).toHaveLength(256)
  all[7]?.close()
  expect(await all[7]?.outcome).toMatchObject(unavailable("ended before its answer"))
  open()
  expect(tasks.slice(256).map(({ type }) => type)).toEqual(["closeEncoder", "openEncoder"])
})

test("the end of the process is told to encoders that send and to those that wait for an answer, once", async () => {
  const { sessions, open, heard } = await openSessions()
  const [sending, waiting] = [open(), open()]
  sessions.hear({ type: "encoderAnswer", session: sending.id, sdp: "answer" })
  sessions.endAll()
  expect(await sending.outcome).toBe("answer")
  expect(await waiting.outcome).toMatchObject(unavailable("does not answer"))
  sessions.hear({ type: "encoderEnded", session: sending.id })
  sessions.endAll()
  expect(heard).toEqual(["ended", "ended"])
})

test("a session that is finished gives its last pieces, and is not waited for without end", async () => {
  const { sessions, tasks, open, heard, piece, pass } = await openSessions()
  const [answering, silent, cut] = [open(), open(), open()]
  for (const { id } of [answering, silent, cut]) sessions.hear({ type: "encoderAnswer", session: id, sdp: "answer" })
  const ends: Array<string> = []
  const finish = (name: string, one: typeof answering) => one.finish().then(() => ends.push(name))
  const first = finish("answering", answering)
  expect(tasks.at(-1)).toEqual({ type: "finishEncoder", session: answering.id })
  piece(answering.id, "last")
  await pass(0)
  expect([ends, heard]).toEqual([[], ["last"]])
  sessions.hear({ type: "encoderEnded", session: answering.id })
  await first
  const [second, third] = [finish("silent", silent), finish("cut", cut)]
  cut.close()
  await third
  await pass(4999)
  expect(ends).toEqual(["answering", "cut"])
  await pass(1)
  await second
  await silent.finish()
  expect(heard).toEqual(["last"])
})
