/** A delivery as the peers of `webhooks` make it: the same signed POST, by the same HTTP client, as ours. */
import { createHmac } from "node:crypto"
import { Agent, request } from "undici"

export interface Job {
  readonly url: string
  readonly id: string
  readonly body: string
}

export interface PeerOptions {
  readonly databaseUrl: string
  readonly concurrency: number
  readonly pool: number
}

/** Each delivery may be tried ten times, as ours are. */
export const MOST_TRIES = 10
const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"
const TIMEOUT_MS = 10_000

const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })

/** Both signatures that ours carries. */
const headersOf = ({ id, body }: Job): { [name: string]: string } => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const own = createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest("hex")
  const standard = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")
  return {
    "content-type": "application/json",
    "user-agent": "peer",
    "x-gc-event-id": id,
    "x-gc-signature": `t=${timestamp},v1=${own}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standard}`,
  }
}

/** Rejects when the receiver does not take it. */
export const deliver = async (job: Job): Promise<void> => {
  const { statusCode, body } = await request(job.url, {
    method: "POST",
    headers: headersOf(job),
    body: job.body,
    dispatcher: agent,
  })
  await body.dump()
  if (statusCode >= 300) throw new Error(`answered ${statusCode}`)
}
