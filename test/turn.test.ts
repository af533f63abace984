/** coturn with the files of deploy/ gives relays for the credentials that the server makes, and for no others. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { iceServersFor } from "../src/media/ice-servers.ts"
import { startTurnServer, type TurnServer } from "./support/turn-server.ts"

let turn: TurnServer
beforeAll(async () => {
  turn = await startTurnServer()
})
afterAll(() => turn.stop())

const MESSAGES = 5

const credentialsBy = (secret: string, at: number) => {
  const urls = [`turn:127.0.0.1:${turn.port}?transport=udp`]
  const [entry] = iceServersFor({ urls, turnSecret: Redacted.make(secret) }, "participant", at)
  return { username: entry?.username ?? "", credential: entry?.credential ?? "" }
}

/** coturn's own client allocates two relays and sends through both. `over` is empty for UDP. Rejects where it gets no relay. */
const relay = (
  { username, credential }: ReturnType<typeof credentialsBy>,
  over: ReadonlyArray<string> = [],
): Promise<string> =>
  promisify(execFile)(
    "turnutils_uclient",
    [
      ...over,
      "-y",
      "-c",
      "-u",
      username,
      "-w",
      credential,
      "-n",
      String(MESSAGES),
      "-p",
      String(turn.port),
      "127.0.0.1",
    ],
    { timeout: 20_000 },
  ).then(({ stdout }) => stdout)

test.each([["UDP"], ["TCP", "-t"]])(
  "a person's credential gets a relay over %s, through which messages pass",
  async (_, ...over) => {
    const said = await relay(credentialsBy(turn.secret, Date.now()), over)
    const [, sent, received] = Array.from(said.matchAll(/tot_send_msgs=(\d+), tot_recv_msgs=(\d+)/g)).at(-1) ?? []
    expect(Number(sent)).toBeGreaterThanOrEqual(MESSAGES)
    expect(received).toBe(sent)
  },
)

test.each([
  ["another secret", () => credentialsBy("another-secret-0123456789-0123456789", Date.now())],
  ["a time that is over", () => credentialsBy(turn.secret, Date.now() - 2 * 3_600_000)],
])("a credential of %s gets no relay", async (_, made) => {
  await expect(relay(made())).rejects.toMatchObject({
    stdout: expect.stringMatching(/Cannot complete Allocation|error 401/i),
  })
})
