/**
 * A body that is the same for everybody and never changes: built, tagged and compressed once, at its first request. Dynamic answers are not
 * compressed: they are small, and a compressing proxy does it once for all that it forwards.
 */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { lowerAscii } from "../../model/text/compared.ts"
import { etagOf, namesTag } from "./etag.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"

/** Measured on the reference page of 3.2 MB: 798 KB in 69 ms; 772 KB in 217 ms with quality 9, 873 KB in 72 ms with gzip at its best. */
const BROTLI_QUALITY = 5
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/** Content codings in order of preference. */
const CODINGS = {
  br: (body: Uint8Array) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body: Uint8Array) => zip(body),
} as const
type Coding = keyof typeof CODINGS

/**
 * Preferred coding among those that the client accepts (RFC 9110 §12.5.3); `undefined` when it accepts none of ours, so the body is sent as
 * it is.
 */
export const codingFor = (accepted: string | undefined): Coding | undefined => {
  if (accepted === undefined) return undefined
  const weights = new Map<string, number>()
  for (const item of lowerAscii(accepted).split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0)
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get("*") ?? 0
  const [best] = (Object.keys(CODINGS) as ReadonlyArray<Coding>)
    .filter((coding) => weightOf(coding) > 0)
    // The sort is stable, so equal weights keep our order.
    .sort((a, b) => weightOf(b) - weightOf(a))
  return best
}

type Headers = HttpResponse["headers"]

/**
 * `headers` belong to the answer, or are computed once from its bytes. Answers GET with the body in the client's preferred coding, with a
 * tag for each coding (§8.8.3.3), or with a 304.
 */
export const sharedBody = (
  make: Effect.Effect<string | Uint8Array>,
  headers: Headers | ((body: Uint8Array) => Headers),
): ((request: HttpRequest) => Effect.Effect<HttpResponse>) => {
  const once = <A>(effect: Effect.Effect<A>): Effect.Effect<A> => Effect.runSync(Effect.cached(effect))
  const plain = once(Effect.map(make, (body) => (typeof body === "string" ? Buffer.from(body) : body)))
  const common = once(Effect.map(plain, (bytes) => (typeof headers === "function" ? headers(bytes) : headers)))
  const variant = (body: Effect.Effect<Uint8Array>, coding: Coding | undefined) =>
    once(
      Effect.zipWith(body, common, (bytes, shared) => {
        const etag = etagOf(bytes)
        const own: Headers = coding === undefined ? [] : [["content-encoding", coding]]
        return { bytes, etag, headers: [...shared, ...own, ["vary", "accept-encoding"], ["etag", etag]] as Headers }
      }),
    )
  const compressed = (coding: Coding) =>
    variant(
      Effect.flatMap(plain, (bytes) => Effect.promise(() => CODINGS[coding](bytes))),
      coding,
    )
  const [asItIs, coded] = [
    variant(plain, undefined),
    { br: compressed("br"), gzip: compressed("gzip") } satisfies { [coding in Coding]: unknown },
  ]
  return (request) => {
    const coding = codingFor(request.headers["accept-encoding"])
    return Effect.map(coding === undefined ? asItIs : coded[coding], ({ bytes, etag, headers: all }) =>
      namesTag(request.headers["if-none-match"], etag)
        ? { status: 304, headers: all, body: "" }
        : { status: 200, headers: all, body: bytes },
    )
  }
}
