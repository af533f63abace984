/**
 * Signature Version 4 of S3 as its text describes it ("Authenticating Requests: Using the Authorization Header" and "… Query
 * Parameters"), for the side that verifies. It shares no code with the side that signs.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

interface SignedRequest {
  readonly method: string
  /** As sent: the path and the query. */
  readonly target: string
  /** By name in lower case. */
  readonly headers: { readonly [name: string]: string | undefined }
}

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text, "utf8").digest()

const UNRESERVED = /[A-Za-z0-9\-._~]/

/** "UriEncode": each byte that is not unreserved. */
const uriEncode = (text: string): string =>
  [...Buffer.from(text, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

const pairsOf = (query: string): ReadonlyArray<readonly [string, string]> =>
  query === ""
    ? []
    : query.split("&").map((pair) => {
        const at = pair.indexOf("=")
        const [name, value] = at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)]
        return [decodeURIComponent(name), decodeURIComponent(value)]
      })

const canonicalQuery = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .map(([name, value]) => `${name}=${value}`)
    // A name cannot hold "=", which sorts behind all that it may hold but emails; no name of S3 is the beginning of another one's.
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .join("&")

interface Given {
  readonly credential: string
  readonly signedHeaders: string
  readonly signature: string
  readonly date: string
  readonly payload: string
  /** Of an address; a header is good for fifteen minutes. */
  readonly expiresInSeconds: number
}

const HEADER = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

const fromHeader = ({ headers }: SignedRequest): Given | undefined => {
  const [, credential, signedHeaders, signature] = HEADER.exec(headers["authorization"] ?? "") ?? []
  const date = headers["x-amz-date"]
  if (credential === undefined || signedHeaders === undefined || signature === undefined || date === undefined) {
    return undefined
  }
  const payload = headers["x-amz-content-sha256"] ?? ""
  return { credential, signedHeaders, signature, date, payload, expiresInSeconds: 900 }
}

const fromQuery = (pairs: ReadonlyArray<readonly [string, string]>): Given | undefined => {
  const query = new Map(pairs)
  const get = (name: string): string => query.get(`X-Amz-${name}`) ?? ""
  const expiresInSeconds = Number(get("Expires"))
  const isUsable = get("Algorithm") === "AWS4-HMAC-SHA256" && expiresInSeconds >= 1 && expiresInSeconds <= 604_800
  return isUsable
    ? {
        credential: get("Credential"),
        signedHeaders: get("SignedHeaders"),
        signature: get("Signature"),
        date: get("Date"),
        payload: "UNSIGNED-PAYLOAD",
        expiresInSeconds,
      }
    : undefined
}

const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

const millisOf = (date: string): number => {
  const [, year, month, day, hour, minute, second] = TIME.exec(date) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** Why the request is refused; `undefined`: it is signed. `now`: Unix milliseconds. */
export const signatureFault = (request: SignedRequest, credentials: Credentials, now: number): string | undefined => {
  const { method, target, headers } = request
  const at = target.indexOf("?")
  const [path, query] = at === -1 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)]
  const pairs = pairsOf(query)
  const given = headers["authorization"] === undefined ? fromQuery(pairs) : fromHeader(request)
  if (given === undefined) return "AccessDenied"
  const { credential, signedHeaders, signature, date, payload, expiresInSeconds } = given
  const scope = `${date.slice(0, 8)}/${credentials.region}/s3/aws4_request`
  if (credential !== `${credentials.accessKeyId}/${scope}`) return "InvalidAccessKeyId"
  const age = now - millisOf(date)
  if (!(age > -900_000 && age < expiresInSeconds * 1000)) return "AccessDenied: expired"
  const names = signedHeaders.split(";")
  const mustBeSigned = Object.keys(headers).filter((name) => name.startsWith("x-amz-"))
  if (!names.includes("host") || mustBeSigned.some((name) => !names.includes(name))) return "AccessDenied: unsigned"
  if (names.join(";") !== names.toSorted().join(";")) return "AccessDenied: order"
  const canonical = [
    method,
    path
      .split("/")
      .map((segment) => uriEncode(decodeURIComponent(segment)))
      .join("/"),
    canonicalQuery(pairs),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}`),
    "",
    signedHeaders,
    payload,
  ].join("\n")
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
  const key = hmac(
    hmac(hmac(hmac(`AWS4${credentials.secretAccessKey}`, date.slice(0, 8)), credentials.region), "s3"),
    "aws4_request",
  )
  const right = hmac(key, toSign)
  const offered = Buffer.from(signature, "hex")
  const isRight = offered.byteLength === right.byteLength && timingSafeEqual(offered, right)
  return isRight ? undefined : "SignatureDoesNotMatch"
}
