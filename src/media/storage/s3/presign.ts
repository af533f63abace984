/**
 * Presigned addresses for S3 (Signature Version 4 in the query). The client library signs values such as `attachment; filename*=UTF-8''…`
 * in a spelling that S3 does not accept: it leaves `!'()*` unescaped.
 */
import { createHash, createHmac } from "node:crypto"
import { Redacted } from "effect"
import { percentEncoded } from "../../../model/text/percent-encoded.ts"

export interface S3Settings {
  /** Address of the bucket, without a trailing slash: `https://host/bucket`, or `https://bucket.host`. Clients reach it too. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

export interface Presigned {
  readonly method: "GET" | "HEAD" | "PUT"
  readonly key: string
  readonly query?: { readonly [name: string]: string }
  /** Headers that the client must send with these values. Names are in lower case. */
  readonly headers?: { readonly [name: string]: string }
  readonly expiresInSeconds: number
}

/** Longest lifetime accepted by S3. */
const LONGEST_SECONDS = 7 * 24 * 3600

const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text).digest()

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** `now` is in Unix milliseconds. */
export const presigned = (settings: S3Settings, wanted: Presigned, now: number): string => {
  const { url, region, accessKeyId, secretAccessKey } = settings
  const { method, key, query = {}, headers = {}, expiresInSeconds } = wanted
  const bucket = new URL(url)
  const path = `${bucket.pathname.replace(/\/$/, "")}/${key.split("/").map(percentEncoded).join("/")}`
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const signed = Object.entries({ ...headers, host: bucket.host }).toSorted(byName)
  const names = signed.map(([name]) => name).join(";")
  const parameters = Object.entries({
    ...query,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${accessKeyId}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(Math.min(LONGEST_SECONDS, expiresInSeconds)),
    "X-Amz-SignedHeaders": names,
  })
    .map(([name, value]) => [percentEncoded(name), percentEncoded(value)] as const)
    .toSorted(byName)
    .map((pair) => pair.join("="))
    .join("&")
  const request = [
    method,
    path,
    parameters,
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    "UNSIGNED-PAYLOAD",
  ]
  const digest = createHash("sha256").update(request.join("\n")).digest("hex")
  const keyOfDay = [time.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Uint8Array>(
    hmac,
    `AWS4${Redacted.value(secretAccessKey)}`,
  )
  const signature = hmac(keyOfDay, ["AWS4-HMAC-SHA256", time, scope, digest].join("\n")).toString("hex")
  return `${bucket.origin}${path}?${parameters}&X-Amz-Signature=${signature}`
}
