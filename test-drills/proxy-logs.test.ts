/** The logs of the shipped proxies have no credential in them, also where the server behind them is gone. */
import { request } from "undici"
import { expect, onTestFinished, test } from "vitest"
import { createPerson, createWorkspace, gatewayToken, PASSWORD, signup, tokenIn } from "../test/support/api.ts"
import { apiOf, startBroadcast } from "../test/support/broadcasts.ts"
import { startDeployment } from "./support/deployment.ts"

interface Sent {
  readonly kind: string
  readonly method: "GET" | "POST" | "PUT"
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** The part that is the credential. */
  readonly secret: string
}

/** The credential is what follows the path's last name that is no secret. */
const inPath = (kind: string, method: Sent["method"], url: string, folder: RegExp): Sent => {
  const { pathname } = new URL(url)
  const [, secret = ""] = folder.exec(pathname) ?? []
  if (secret === "") throw new Error(`${kind}: ${pathname} has no ${folder}`)
  return { kind, method, url, secret }
}

/** A request with each kind of credential that the product gives out, in the place where its users send it. */
const everyKind = async (url: string): Promise<ReadonlyArray<Sent>> => {
  const { id, key, owner } = await createWorkspace(url)
  const api = apiOf(url, key)
  const onAir = await startBroadcast(url, key, { visibility: "private" })
  const person = await createPerson(url, key, onAir.eventId, "host")
  const gateway = await gatewayToken(url, onAir.eventId, person.session)
  const { uploadUrl } = (await api("POST", `/v1/events/${onAir.eventId}/recordings`, {})).body
  const large = (await api("POST", `/v1/events/${onAir.eventId}/recordings`, { sizeBytes: 100 * 1024 ** 2 })).body
  const { parts } = (await api("POST", `/v1/recordings/${large.id}/parts`, { from: 1, to: 1 })).body
  const { code } = (await api("POST", `/v1/events/${onAir.eventId}/join-code`)).body
  const invited = await api("POST", `/v1/workspaces/${id}/invites`, { email: "grace@example.com", role: "member" })
  const invite = tokenIn(invited.body.inviteUrl)
  const made = "kQ7fX2mB9sLw4TzR8vNcY3hJ6gPd1eUa"
  return [
    { kind: "API key", method: "GET", url: `${url}/v1/events`, headers: { "x-api-key": key }, secret: key },
    {
      kind: "cookie",
      method: "GET",
      url: `${url}/v1/accounts/me`,
      headers: { cookie: owner.cookie },
      secret: owner.cookie.replace(/^[^=]*=/, ""),
    },
    {
      kind: "session of a user",
      method: "GET",
      url: `${url}/v1/events/${onAir.eventId}`,
      headers: { authorization: `Bearer ${person.session}` },
      secret: person.session,
    },
    {
      kind: "password",
      method: "POST",
      url: `${url}/v1/accounts/login`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: (await signup(url)).email, password: PASSWORD }),
      secret: PASSWORD,
    },
    {
      kind: "gateway token",
      method: "GET",
      url: `${gateway.url}?token=${gateway.token}`.replace(/^ws/, "http"),
      secret: gateway.token,
    },
    inPath("stream of an encoder", "PUT", onAir.streamUrl, /^\/v1\/ingest\/([^/]+)/),
    inPath("file of an encoder", "PUT", `${onAir.url}init.mp4`, /^\/v1\/ingest\/([^/]+)/),
    inPath("segment of a private event", "GET", onAir.playbackUrl.replace(/[^/]*$/, "0-0.m4s"), /^\/v1\/live\/([^/]+)/),
    inPath("upload", "PUT", uploadUrl, /^\/v1\/media\/uploads\/([^/]+)/),
    inPath("part of an upload", "PUT", parts[0].url, /^\/v1\/media\/parts\/([^/]+)/),
    inPath("code to join", "GET", `${url}/join/${code}`, /^\/join\/([^/]+)/),
    inPath("code to join, asked for", "GET", `${url}/v1/public/join/${code}`, /^\/v1\/public\/join\/([^/]+)/),
    inPath("page of an invite", "GET", `${url}/invite/${invite}`, /^\/invite\/([^/]+)/),
    inPath("invite", "GET", `${url}/v1/invites/${invite}`, /^\/v1\/invites\/([^/]+)/),
    // No server has given these: what is logged does not depend on it.
    ...["recordings", "clips", "derivations", "captions"].map((kind) =>
      inPath(`address of ${kind}`, "GET", `${url}/v1/media/${kind}/${made}`, /([^/]+)$/),
    ),
    inPath("end of emails", "GET", `${url}/unsubscribe/${made}`, /([^/]+)$/),
    { kind: "link of an email", method: "GET", url: `${url}/reset?token=${made}`, secret: made },
  ]
}

const send = async ({ method, url, headers = {}, body }: Sent): Promise<number> => {
  const { statusCode, body: answer } = await request(url, { method, headers, body: body ?? null })
  await answer.dump()
  return statusCode
}

test.each(["nginx", "haproxy", "caddy"] as const)("%s logs every request and no credential", async (name) => {
  const deployment = await startDeployment(onTestFinished, name, 2, { DRAIN_DELAY_MS: "0" })
  onTestFinished(() => deployment.stop())
  const kinds = await everyKind(deployment.url)
  for (const one of kinds) expect(await send(one), one.kind).toBeLessThan(500)
  await Promise.all(deployment.servers.map(({ end }) => end("SIGKILL")))
  // What cannot be handed on is logged in another way.
  expect((await Promise.all(kinds.map(send))).filter((status) => status < 502)).toEqual([])
  await deployment.proxy.stop()
  const log = deployment.proxy.log()
  expect(kinds.filter(({ secret }) => log.includes(secret)).map(({ kind }) => kind)).toEqual([])
  expect(log).toContain("/v1/media/uploads/...")
  expect(log).toMatch(/\/v1\/accounts\/me/)
})
