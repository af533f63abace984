import { once } from "node:events"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"
import { type CallOptions, call, createEvent, createWorkspace } from "../support/api.ts"
import { ownServer, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

/** Sends bytes as they are; resolves with everything that came back until the server closed. */
const raw = async (text: string): Promise<string> => {
  const { port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on("data", (chunk) => chunks.push(chunk))
  socket.on("error", () => {})
  socket.write(text)
  await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

const problem = (code: string) => ({
  type: `${server.publicUrl}/v1/errors/${code}`,
  code,
  detail: expect.any(String),
})

test("a request whose line and headers exceed four kilobytes is refused by the engine, and the server goes on", async () => {
  const long = await fetch(`${server.url}/v1/events?pad=${"a".repeat(4200)}`)
  expect([long.status, await long.text()]).toEqual([431, expect.stringContaining("Too Large")])
  expect(
    (await fetch(`${server.url}/v1/events?pad=${"a".repeat(3500)}`, { headers: { "x-api-key": acme.key } })).status,
  ).toBe(200)
})

describe("every error is a problem with type, code and detail", () => {
  test("an unknown path", async () => {
    const answer = await api("GET", "/v1/nothing")
    expect([answer.status, answer.body]).toEqual([404, problem("not_found")])
    expect(answer.body.detail).toBe(
      "No such path. Those of the API begin with /v1/ and end without a slash; /v1/docs lists them.",
    )
    expect(answer.headers.get("content-type")).toBe("application/problem+json")
  })

  test("an unknown path, but for a browser outside the API, which gets a page", async () => {
    const ask = (path: string, accept: string) => fetch(`${server.url}${path}`, { headers: { accept } })
    const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
    const page = await ask("/nothing", browser)
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    expect(await page.text()).toContain("<h1>No such page</h1>")
    for (const [path, accept] of [
      ["/v1/nothing", browser],
      ["/nothing", "*/*"],
    ] as const)
      expect(((await (await ask(path, accept)).json()) as { readonly code: string }).code).toBe("not_found")
  })

  test("a method the path does not have", async () => {
    const answer = await api("PUT", "/v1/events")
    expect([answer.status, answer.body]).toEqual([405, problem("method_not_allowed")])
    expect(answer.headers.get("allow")).toBe("POST, GET, HEAD")
  })

  test("a request without an upgrade at the gateway", async () => {
    const answer = await api("GET", "/v1/gateway")
    expect([answer.status, answer.body]).toEqual([426, problem("upgrade_required")])
    expect([answer.headers.get("upgrade"), answer.body.detail]).toEqual([
      "websocket",
      expect.stringContaining("WebSocket"),
    ])
    expect((await api("POST", "/v1/gateway", { body: {} })).status).toBe(405)
  })

  test.each(["{", "[1,", "\u0000", '{"a":1}}'])("a body that is no JSON: %j", async (body) => {
    const answer = await api("POST", "/v1/events", { raw: body })
    const errors = [{ pointer: "#", detail: expect.stringContaining("not valid JSON") }]
    expect([answer.status, answer.body]).toEqual([400, { ...problem("bad_request"), errors }])
  })

  test.each(['"\\u0000"', '"a\\ud800b"', '{"\\u0000":1}'])("text that cannot be stored: %s", async (text) => {
    for (const body of [`{"type":"t","title":${text}}`, `{"type":"t","title":"x","metadata":{"a":[${text}]}}`]) {
      const answer = await api("POST", "/v1/events", { raw: body })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
    const fine = await api("POST", "/v1/events", { raw: '{"type":"t","title":"\\\\u0000 \\ud83d\\ude00"}' })
    expect([fine.status, fine.body.title]).toEqual([201, "\\u0000 😀"])
  })

  test("a body nested deeper than anything may be", async () => {
    for (const depth of [64, 5000, 100_000]) {
      const raw = `{"type":"t","title":"x","metadata":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`
      const answer = await api("POST", "/v1/events", { raw })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
  })

  test("a body that is no UTF-8", async () => {
    const answer = await api("POST", "/v1/events", { raw: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]) })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
  })

  test("no body where one is required, and none where it may be left out", async () => {
    const missing = await api("POST", "/v1/api-keys")
    expect([missing.status, missing.body.detail]).toEqual([400, expect.stringMatching(/^body: missing/)])
    const event = await createEvent(server.url, acme.key)
    expect((await api("PATCH", `/v1/events/${event.id}`)).status).toBe(400)
    expect((await api("POST", `/v1/events/${event.id}/advance`)).body.code).toBe("conflict")
  })

  test("a body of another type", async () => {
    const headers = { "content-type": "text/plain" }
    const answer = await api("POST", "/v1/events", { raw: "{}", headers })
    expect([answer.status, answer.body]).toEqual([415, problem("unsupported_media_type")])
  })

  test.each([
    ["POST", "/v1/events", "gzip"],
    ["POST", "/v1/events", "identity, br"],
    ["DELETE", "/v1/events/x", "gzip"],
    ["POST", "/v1/accounts/login", "x-unknown"],
    ["POST", "/unsubscribe/x", "gzip"],
    ["PUT", "/v1/media/uploads/x", "zstd"],
    ["PUT", "/v1/ingest/x/stream", "gzip"],
  ])("a body with a content coding: %s %s, %s", async (method, path, coding) => {
    const body = gzipSync('{"title":"T"}')
    const headers = { "content-type": "application/json", "content-encoding": coding }
    const answer = await api(method, path, { raw: body, headers })
    expect([answer.status, answer.body]).toEqual([415, problem("unsupported_media_type")])
    expect(answer.headers.get("accept-encoding")).toBe("identity")
  })

  test("a body that says that it has no coding is read", async () => {
    for (const coding of ["identity", "Identity", ""]) {
      const headers = { "content-type": "application/json", "content-encoding": coding }
      expect((await api("POST", "/v1/events", { raw: "{}", headers })).status, coding).toBe(400)
    }
    const read = await api("GET", "/v1/events", { headers: { "content-encoding": "gzip" } })
    expect(read.status).toBe(200)
  })

  test("a body over 256 KiB, announced or not", async () => {
    const most = JSON.stringify({ type: "t", title: "x" }).padEnd(262_144)
    expect((await api("POST", "/v1/events", { raw: most })).status).toBe(201)
    const answer = await api("POST", "/v1/events", { raw: " ".repeat(262_145) })
    expect([answer.status, answer.body]).toEqual([413, problem("payload_too_large")])
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`
    const chunked = await raw(
      `POST /v1/events HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`,
    )
    expect(chunked).toMatch(/^HTTP\/1.1 413 /)
  })

  test("a client that still writes gets the refusal, and its connection goes on behind the body", async () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let answers = ""
    socket.on("data", (chunk) => {
      answers += String(chunk)
    })
    socket.write("POST /v1/events HTTP/1.1\r\nHost: x\r\ncontent-length: 8000000\r\n\r\n")
    await eventually(() => answers.startsWith("HTTP/1.1 413 "), "the refusal")
    socket.write(Buffer.alloc(8_000_000))
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    await eventually(() => answers.includes("HTTP/1.1 200 "), "the answer to the next request")
  })

  test("the code's own address explains it", async () => {
    const { body } = await api("GET", "/v1/nothing")
    const explained = await fetch(body.type)
    expect([explained.status, await explained.json()]).toEqual([
      200,
      {
        code: "not_found",
        status: 404,
        meaning: "No such resource in the caller's workspace.",
        remedy: "Check the id, and that the credential belongs to the workspace of the resource.",
      },
    ])
    expect((await api("GET", "/v1/errors/no_such_code")).status).toBe(404)
  })
})

describe("the checks come in order", () => {
  test("size before credentials, credentials before the object, the object before the body", async () => {
    const event = await createEvent(server.url, acme.key)
    const other = await createWorkspace(server.url)
    const patch = (options: CallOptions) => call(server.url, "PATCH", `/v1/events/${event.id}`, options)
    expect((await patch({ raw: " ".repeat(262_145) })).status).toBe(413)
    expect((await patch({ raw: "{" })).status).toBe(401)
    expect((await patch({ raw: "{", key: other.key })).status).toBe(404)
    expect((await patch({ raw: "{", key: acme.key })).status).toBe(400)
  })

  test.each(["x", "%00", "..%2f", "1".repeat(300), "%E0%A4%A"])("an id that is none (%s) is not found", async (id) => {
    expect((await api("GET", `/v1/events/${id}`)).body.code).toBe("not_found")
    expect((await api("PATCH", `/v1/phases/${id}`, { raw: "{" })).body.code).toBe("not_found")
  })
})

describe("a response", () => {
  test("carries the request's id when it is a good one, else a new one", async () => {
    const good = await api("GET", "/healthz", { headers: { "x-request-id": "trace-1.a_B" } })
    expect(good.headers.get("x-request-id")).toBe("trace-1.a_B")
    const bad = await api("GET", "/healthz", { headers: { "x-request-id": "a b" } })
    expect(bad.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  })

  test("to HEAD is GET's without the body", async () => {
    const event = await createEvent(server.url, acme.key)
    const get = await api("GET", `/v1/events/${event.id}`)
    const head = await api("HEAD", `/v1/events/${event.id}`)
    expect([head.status, head.body]).toEqual([200, ""])
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"))
  })

  test("to an authenticated caller is not stored anywhere", async () => {
    expect((await api("GET", "/v1/events")).headers.get("cache-control")).toBe("no-store")
  })
})

test("browsers on any site may call public routes, and only these", async () => {
  const preflight = await api("OPTIONS", "/v1/auth/gateway-token")
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
  expect(preflight.headers.get("access-control-allow-methods")).toContain("POST")
  for (const path of ["/v1/events", "/v1/accounts/login"]) {
    const answer = await api("OPTIONS", path)
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([405, null])
  }
})

test("a client that goes away in the middle harms nobody", async () => {
  const { port, hostname } = new URL(server.url)
  for (let n = 0; n < 20; n++) {
    const socket = connect(Number(port), hostname)
    socket.on("error", () => {})
    await once(socket, "connect")
    const body = JSON.stringify({ email: `gone-${n}@example.com`, password: "correct horse", name: "Gone" })
    const length = n % 2 === 0 ? body.length : body.length + 10
    socket.write(
      `POST /v1/accounts/signup HTTP/1.1\r\nHost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
    )
    socket.destroy()
  }
  await eventually(async () => (await api("GET", "/readyz")).status === 200, "readiness")
})

describe("beside the contract", () => {
  test("health, readiness, metrics, the description and the reference page are served", async () => {
    expect((await api("GET", "/healthz")).body).toEqual({ status: "ok" })
    await eventually(async () => (await api("GET", "/readyz")).body.storage !== null, "the first look at the storage")
    expect((await api("GET", "/readyz")).body).toEqual({
      status: "ready",
      database: true,
      storage: true,
      quiet: false,
      reason: null,
    })
    expect((await api("GET", "/metrics")).body).toContain('gathercue_http_requests_total{status="200"}')
    const description = (await api("GET", "/v1/openapi.json")).body
    expect([description.openapi, description.info.version]).toEqual(["3.1.0", "1.0.0"])
    const etag = (await api("GET", "/v1/openapi.json")).headers.get("etag") ?? ""
    const again = await api("GET", "/v1/openapi.json", { headers: { "if-none-match": etag } })
    expect([again.status, again.body]).toEqual([304, ""])
    const page = await api("GET", "/v1/docs")
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.body).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="https?:/)
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]{44}' 'sha256-[\w+/=]{44}'; style-src /)
    expect(policy).toContain("frame-ancestors 'none'")
    // The buttons of the page's maker stay away.
    expect(page.body).toContain('"showDeveloperTools":"never"')
    expect(page.body).toContain('"hideClientButton":true')
  })

  test("security.txt names the contact where there is one, and metrics want their token", async () => {
    expect((await api("GET", "/.well-known/security.txt")).status).toBe(404)
    const METRICS_TOKEN = "metrics-token-0123456789-0123456789"
    const server = await ownServer({ SECURITY_CONTACT: "mailto:security@example.com", METRICS_TOKEN })
    expect((await call(server.url, "GET", "/metrics")).status).toBe(401)
    expect((await call(server.url, "GET", "/metrics", { bearer: METRICS_TOKEN })).status).toBe(200)
    const { status, headers, body } = await call(server.url, "GET", "/.well-known/security.txt")
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
    const [contact, expires, canonical, ...rest] = body.split("\n")
    expect([contact, canonical, rest]).toEqual([
      "Contact: mailto:security@example.com",
      `Canonical: ${server.url}/.well-known/security.txt`,
      [""],
    ])
    const ahead = Date.parse(expires.replace("Expires: ", "")) - Date.now()
    expect([ahead > 100 * 86_400_000, ahead < 365 * 86_400_000]).toEqual([true, true])
  })

  test("a server that was not built has no documentation and no client, and a plain first page", async () => {
    for (const path of ["/docs", "/v1/client.js"]) expect((await api("GET", path)).status, path).toBe(404)
    expect(await (await fetch(`${server.url}/`)).text()).toContain("This server runs live events")
  })
})

test("a connection serves on after answers without a body, and those say no length they do not have", async () => {
  const { Agent, request } = await import("node:http")
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(server.url)
  const made = await call(server.url, "POST", "/v1/events", { key: acme.key, body: { type: "x", title: "Gone" } })
  const etag = (await call(server.url, "GET", "/v1/openapi.json")).headers.get("etag") ?? ""
  const go = (method: string, path: string, headers: { readonly [name: string]: string } = {}) =>
    new Promise<{ readonly status: number | undefined; readonly length: string | undefined; readonly reused: boolean }>(
      (resolve, reject) => {
        const sent = request({ hostname, port, method, path, agent, headers }, (response) => {
          response.resume().on("end", () =>
            resolve({
              status: response.statusCode,
              length: response.headers["content-length"],
              reused: sent.reusedSocket,
            }),
          )
        })
        sent.on("error", reject).end()
      },
    )
  await go("GET", "/healthz")
  const key = { "x-api-key": acme.key }
  expect([
    await go("OPTIONS", "/v1/help/chat", { origin: "https://partner.example" }),
    await go("GET", "/v1/openapi.json", { "if-none-match": etag }),
    await go("DELETE", `/v1/events/${made.body.id}`, key),
    await go("HEAD", "/healthz"),
    await go("GET", "/healthz"),
  ]).toEqual([
    { status: 204, length: undefined, reused: true },
    { status: 304, length: undefined, reused: true },
    { status: 204, length: undefined, reused: true },
    { status: 200, length: "15", reused: true },
    { status: 200, length: "15", reused: true },
  ])
  agent.destroy()
})

describe("credentials", () => {
  const none = { key: undefined }
  test.each([
    ["none", () => none, /x-api-key.*authorization/],
    ["a key as a token", () => ({ ...none, bearer: acme.key }), /belongs in the header x-api-key/],
    ["a token as a key", () => ({ key: "eyJh" }), /begins with gck_/],
    ["a key by another scheme", () => ({ ...none, headers: { authorization: acme.key } }), /API key in x-api-key/],
    ["a wrong token beside a good key", () => ({ bearer: "garbage" }), /./],
    ["a wrong cookie beside a good key", () => ({ cookie: "gc_session=garbage" }), /./],
    ["a wrong platform key beside a good key", () => ({ headers: { "x-platform-key": "garbage" } }), /./],
  ])("%s: 401 that says what to send", async (_name, options, detail) => {
    const answer = await api("GET", "/v1/events", options())
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="gathercue"'])
    expect(answer.body.detail).toMatch(detail)
  })

  test("the session of a user manages nothing: 403 that names the sessions that do", async () => {
    const user = (await api("POST", "/v1/users", { body: { externalSub: "42" } })).body
    const { sessionToken } = (await api("POST", `/v1/users/${user.id}/session`)).body
    const answer = await api("GET", "/v1/events", { ...none, bearer: sessionToken })
    expect([answer.status, answer.body.detail]).toEqual([
      403,
      "This takes an API key (x-api-key), or the session of an account (the cookie of a sign-in), or the session token of a member (POST /v1/workspaces/{id}/session, as authorization: Bearer), and no other kind of credential.",
    ])
  })

  test("that have expired say when", async () => {
    const made = (
      await api("POST", "/v1/api-keys", { body: { expiresAt: new Date(Date.now() + 86_400_000).toISOString() } })
    ).body
    await rows.run("update api_keys set expires_at = '2026-01-02T03:04:05Z' where id = $1", [made.id])
    expect((await api("GET", "/v1/events", { key: made.secret })).body.detail).toBe(
      "The API key expired at 2026-01-02T03:04:05.000Z; make another one.",
    )
  })
})

test("a location that is sent can be read", async () => {
  const posts = [
    ["/v1/events", { type: "t", title: "x" }],
    ["/v1/webhooks", { url: "https://example.com/hook" }],
    ["/v1/users", { externalSub: "someone" }],
    ["/v1/api-keys", {}],
  ] as const
  for (const [path, body] of posts) {
    const { status, headers } = await api("POST", path, { body })
    const location = headers.get("location")
    expect(status).toBe(201)
    if (location !== null) expect([path, (await api("GET", location)).status]).toEqual([path, 200])
    else expect(path).not.toBe("/v1/events")
  }
})
