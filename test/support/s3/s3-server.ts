/**
 * A bucket in memory that behaves as S3 does: signatures, multipart uploads with the sizes and etags that they need, ranges. It verifies
 * each request, and fails as a test says. `test-media` runs the same tests against a server of others.
 */
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { keepAlive } from "../keep-alive.ts"
import { type Credentials, signatureFault } from "./signature.ts"

/** `hang`: no answer comes; `cut`: the connection closes; a number: that status. */
export type Fault = "hang" | "cut" | number

export interface S3TestServer {
  readonly environment: { readonly [key: string]: string }
  readonly credentials: Credentials
  /** Names of objects, and of parts as `key#number`, whose key contains the text. */
  readonly stored: (text: string) => ReadonlyArray<string>
  /** Called for each request; the operation is as S3 names it. */
  fault: ((operation: string) => Fault | undefined) | undefined
  /** Operations in their order. */
  readonly operations: string[]
  readonly close: () => Promise<void>
}

const MEBIBYTE = 1024 ** 2
const SMALLEST_PART = 5 * MEBIBYTE

interface Part {
  readonly bytes: Buffer
  readonly etag: string
}

interface MultipartUpload {
  readonly key: string
  readonly parts: Map<number, Part>
}

class Refusal extends Error {
  override readonly name = "Refusal"
  readonly status: number

  constructor(status: number, code: string) {
    super(code)
    this.status = status
  }
}

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex")

interface Call {
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Buffer | string
  /** For `HEAD`. */
  readonly length?: number
}

const xml = (body: string): Answer => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
})

const RANGE = /^bytes=(\d+)-(\d*)$/

const operationOf = (method: string, query: URLSearchParams): string => {
  if (query.has("uploads")) return method === "POST" ? "CreateMultipartUpload" : "ListMultipartUploads"
  if (query.has("uploadId")) {
    const names: Readonly<Record<string, string>> = {
      PUT: "UploadPart",
      GET: "ListParts",
      POST: "CompleteMultipartUpload",
      DELETE: "AbortMultipartUpload",
    }
    return names[method] ?? "unknown"
  }
  if (query.get("list-type") === "2") return "ListObjectsV2"
  const names: Readonly<Record<string, string>> = {
    PUT: "PutObject",
    GET: "GetObject",
    HEAD: "HeadObject",
    DELETE: "DeleteObject",
  }
  return names[method] ?? "unknown"
}

class Bucket {
  readonly objects = new Map<string, Buffer>()
  readonly uploads = new Map<string, MultipartUpload>()

  perform(operation: string, call: Call): Answer {
    switch (operation) {
      case "CreateMultipartUpload":
        return this.#create(call)
      case "UploadPart":
        return this.#putPart(call)
      case "ListParts":
        return this.#listParts(call)
      case "CompleteMultipartUpload":
        return this.#complete(call)
      case "AbortMultipartUpload":
        this.#uploadOf(call)
        this.uploads.delete(call.query.get("uploadId") ?? "")
        return { status: 204 }
      case "ListMultipartUploads":
        return this.#listUploads(call)
      case "PutObject":
        this.objects.set(call.key, call.body)
        return { status: 200, headers: { etag: `"${md5(call.body)}"` } }
      case "GetObject":
        return this.#get(call)
      case "HeadObject":
        return { status: 200, length: this.#object(call).byteLength }
      case "DeleteObject":
        this.objects.delete(call.key)
        return { status: 204 }
      case "ListObjectsV2":
        return this.#list(call)
      default:
        throw new Refusal(405, "MethodNotAllowed")
    }
  }

  #uploadOf({ key, query }: Call): MultipartUpload {
    const upload = this.uploads.get(query.get("uploadId") ?? "")
    if (upload?.key !== key) throw new Refusal(404, "NoSuchUpload")
    return upload
  }

  #object({ key }: Call): Buffer {
    const object = this.objects.get(key)
    if (object === undefined) throw new Refusal(404, "NoSuchKey")
    return object
  }

  #create({ key }: Call): Answer {
    // With the characters that those of Amazon have.
    const id = `${randomBytes(24).toString("base64url")}._-`
    this.uploads.set(id, { key, parts: new Map() })
    return xml(
      `<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    )
  }

  #putPart(call: Call): Answer {
    const { parts } = this.#uploadOf(call)
    const number = Number(call.query.get("partNumber"))
    if (!(number >= 1 && number <= 10_000)) throw new Refusal(400, "InvalidArgument")
    const etag = md5(call.body)
    parts.set(number, { bytes: call.body, etag })
    return { status: 200, headers: { etag: `"${etag}"` } }
  }

  #listParts(call: Call): Answer {
    const { query, key } = call
    const after = Number(query.get("part-number-marker") ?? 0)
    const most = Math.min(1000, Number(query.get("max-parts") ?? 1000))
    const all = [...this.#uploadOf(call).parts].filter(([number]) => number > after).toSorted(([a], [b]) => a - b)
    const page = all.slice(0, most)
    const parts = page.map(
      ([number, { bytes, etag }]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.byteLength}</Size></Part>`,
    )
    return xml(
      `<ListPartsResult><Key>${key}</Key><NextPartNumberMarker>${page.at(-1)?.[0] ?? 0}</NextPartNumberMarker>` +
        `<IsTruncated>${all.length > page.length}</IsTruncated>${parts.join("")}</ListPartsResult>`,
    )
  }

  #complete(call: Call): Answer {
    const { key, body, query } = call
    const { parts } = this.#uploadOf(call)
    const wanted = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: (/<ETag>([^<]*)</.exec(part)?.[1] ?? "").replaceAll(/&quot;|"/g, ""),
    }))
    const found = wanted.map(({ number, etag }, index) => {
      const part = parts.get(number)
      if (part?.etag !== etag) throw new Refusal(400, "InvalidPart")
      if (number <= (wanted[index - 1]?.number ?? 0)) throw new Refusal(400, "InvalidPartOrder")
      if (index < wanted.length - 1 && part.bytes.byteLength < SMALLEST_PART) throw new Refusal(400, "EntityTooSmall")
      return part
    })
    if (found.length === 0) throw new Refusal(400, "MalformedXML")
    this.objects.set(key, Buffer.concat(found.map(({ bytes }) => bytes)))
    this.uploads.delete(query.get("uploadId") ?? "")
    const etag = `${md5(Buffer.concat(found.map((part) => Buffer.from(part.etag, "hex"))))}-${found.length}`
    return xml(`<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`)
  }

  #listUploads({ query }: Call): Answer {
    const prefix = query.get("prefix") ?? ""
    const uploads = [...this.uploads]
      .filter(([, { key }]) => key.startsWith(prefix))
      .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
    return xml(
      `<ListMultipartUploadsResult><Bucket>bucket</Bucket><IsTruncated>false</IsTruncated>${uploads.join("")}</ListMultipartUploadsResult>`,
    )
  }

  /** In pages of 1,000. */
  #list({ query }: Call): Answer {
    const [prefix, after] = [
      query.get("prefix") ?? "",
      query.get("continuation-token") ?? query.get("start-after") ?? "",
    ]
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = keys.slice(0, 1000)
    const more = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ""
    const listed = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.byteLength}</Size></Contents>`,
    )
    return xml(
      `<ListBucketResult><Name>bucket</Name><IsTruncated>${more !== ""}</IsTruncated>${more}${listed.join("")}</ListBucketResult>`,
    )
  }

  #get(call: Call): Answer {
    const object = this.#object(call)
    const headers: { [name: string]: string } = { "accept-ranges": "bytes", "access-control-allow-origin": "*" }
    for (const name of ["content-type", "content-disposition"]) {
      const value = call.query.get(`response-${name}`)
      if (value !== null) headers[name] = value
    }
    const [, first, last] = RANGE.exec(call.headers.range ?? "") ?? []
    if (first === undefined) return { status: 200, headers, body: object }
    const start = Number(first)
    if (start >= object.byteLength) throw new Refusal(416, "InvalidRange")
    const end = last === "" ? object.byteLength : Math.min(object.byteLength, Number(last) + 1)
    headers["content-range"] = `bytes ${start}-${end - 1}/${object.byteLength}`
    return { status: 206, headers, body: object.subarray(start, end) }
  }
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const give = (response: ServerResponse, { status, headers = {}, body = "", length }: Answer): void => {
  response.writeHead(status, { ...headers, "content-length": length ?? Buffer.byteLength(body) })
  response.end(body)
}

export const startS3Server = async (): Promise<S3TestServer> => {
  const credentials: Credentials = {
    accessKeyId: "test-key-id",
    secretAccessKey: "test/secret+of the bucket",
    region: "eu-test-1",
  }
  const bucket = new Bucket()
  const server = createServer()
  const answerTo = async (request: IncomingMessage): Promise<Answer | "hang" | "cut"> => {
    const { method = "", url: target = "", headers } = request
    const { pathname, searchParams: query } = new URL(target, "http://bucket")
    const operation = operationOf(method, query)
    s3.operations.push(operation)
    const fault = s3.fault?.(operation)
    if (fault === "hang" || fault === "cut") return fault
    const body = await bodyOf(request)
    if (fault !== undefined) throw new Refusal(fault, "InternalError")
    const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const refused = signatureFault({ method, target, headers: single }, credentials, Date.now())
    if (refused !== undefined) throw new Refusal(403, refused)
    if (!pathname.startsWith("/bucket/")) throw new Refusal(404, "NoSuchBucket")
    return bucket.perform(operation, {
      key: decodeURIComponent(pathname.slice("/bucket/".length)),
      query,
      headers,
      body,
    })
  }
  server.on("request", (request, response) => {
    answerTo(request)
      .catch((cause: unknown): Answer => {
        const [status, code] = cause instanceof Refusal ? [cause.status, cause.message] : [500, String(cause)]
        const error = `<Error><Code>${code}</Code><Message>of the test</Message></Error>`
        return { status, headers: { "content-type": "application/xml" }, body: request.method === "HEAD" ? "" : error }
      })
      .then((answer) => {
        if (answer === "cut") request.socket.destroy()
        else if (answer !== "hang") give(response, answer)
      })
      .catch(() => request.socket.destroy())
  })
  keepAlive(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const s3: S3TestServer = {
    environment: {
      S3_URL: `http://127.0.0.1:${port}/bucket`,
      S3_REGION: credentials.region,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    credentials,
    fault: undefined,
    operations: [],
    stored: (text) =>
      [
        ...bucket.objects.keys(),
        ...[...bucket.uploads.values()].flatMap(({ key, parts }) => [...parts.keys()].map((n) => `${key}#${n}`)),
      ].filter((name) => name.includes(text)),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return s3
}
