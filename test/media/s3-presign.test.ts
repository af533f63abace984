/** Signed addresses of S3, against a verifier that was written from the text of the signature. */
import { Redacted } from "effect"
import { describe, expect, test } from "vitest"
import { type Presigned, presigned, type S3Settings } from "../../src/media/storage/s3/presign.ts"
import { type Credentials, signatureFault } from "../support/s3/signature.ts"

/** Of the examples in the text. */
const EXAMPLE: Credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
}
const AT = Date.UTC(2013, 4, 24)

const settingsOf = ({ accessKeyId, secretAccessKey, region }: Credentials, url: string): S3Settings => ({
  url,
  region,
  accessKeyId,
  secretAccessKey: Redacted.make(secretAccessKey),
})

const BUCKETS = ["https://examplebucket.s3.amazonaws.com", "http://127.0.0.1:9000/bucket", "https://s3.example/a/b"]

const faultOf = (url: string, { method, headers = {} }: Presigned, now = AT, credentials = EXAMPLE) => {
  const { host, origin } = new URL(url)
  return signatureFault({ method, target: url.slice(origin.length), headers: { ...headers, host } }, credentials, now)
}

test("the signature of the text's example is the one that it gives", () => {
  const wanted = { method: "GET", key: "test.txt", expiresInSeconds: 86_400 } as const
  const url = presigned(settingsOf(EXAMPLE, "https://examplebucket.s3.amazonaws.com"), wanted, AT)
  expect(new URL(url).searchParams.get("X-Amz-Signature")).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  )
  expect(faultOf(url, wanted)).toBeUndefined()
})

const ADDRESSES: ReadonlyArray<readonly [string, Presigned]> = [
  [
    "a part",
    { method: "PUT", key: "w/0f/id", query: { partNumber: "7", uploadId: "a._-/+=~b" }, expiresInSeconds: 60 },
  ],
  [
    "a part of a given length",
    {
      method: "PUT",
      key: "w/0f/id",
      query: { partNumber: "7", uploadId: "x" },
      headers: { "content-length": "16777216" },
      expiresInSeconds: 86_400,
    },
  ],
  [
    "a download under a name with every mark",
    {
      method: "GET",
      key: "w/0f/id-2",
      query: {
        "response-content-type": 'video/mp4; codecs="avc1"',
        "response-content-disposition": "attachment; filename*=UTF-8''It%27s%20(all)!*%20%E2%80%93 ü+&=?#.mp4",
      },
      expiresInSeconds: 25_200,
    },
  ],
  ["a key with every mark", { method: "HEAD", key: "w/a b/!'()*~+é&=", expiresInSeconds: 1 }],
]

describe.each(BUCKETS)("in %s", (bucket) => {
  test.each(ADDRESSES)("the address of %s is accepted, and no other one", (_, wanted) => {
    const url = presigned(settingsOf(EXAMPLE, bucket), wanted, AT)
    expect(faultOf(url, wanted)).toBeUndefined()
    expect(faultOf(url, wanted, AT + wanted.expiresInSeconds * 1000)).toBe("AccessDenied: expired")
    const other = { ...EXAMPLE, secretAccessKey: "other" }
    expect(faultOf(url, wanted, AT, other)).toBe("SignatureDoesNotMatch")
    expect(faultOf(url, { ...wanted, method: wanted.method === "GET" ? "PUT" : "GET" })).toBe("SignatureDoesNotMatch")
    expect(faultOf(url.replace("w/", "v/"), wanted)).toBe("SignatureDoesNotMatch")
    if (wanted.headers === undefined) return
    expect(faultOf(url, { ...wanted, headers: { "content-length": "16777217" } })).toBe("SignatureDoesNotMatch")
  })
})

test("no address is asked for longer than the storage grants", () => {
  const wanted = { method: "GET", key: "k", expiresInSeconds: 10 ** 9 } as const
  const url = presigned(settingsOf(EXAMPLE, BUCKETS[0] ?? ""), wanted, AT)
  expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("604800")
})
