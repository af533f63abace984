/** The laws of the key cache, on a virtual clock; the key set comes over real HTTP where its answers matter. */
import { createHash, type KeyObject } from "node:crypto"
import { Deferred, Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, onTestFinished, test } from "vitest"
import { Egress, type EgressOptions } from "../../src/egress/egress.ts"
import { PartnerKeys, type PartnerProblem } from "../../src/identity/partners/partner-keys.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { type Answer, startReceiver, status } from "../support/http-receiver.ts"
import { newPartnerKey, publishes } from "../support/partner.ts"
import { eventually } from "../support/wait.ts"

const first = newPartnerKey("first")
const second = newPartnerKey("second")

type Verify = (key: KeyObject) => Effect.Effect<string, PartnerProblem>
/** A token whose signature every key verifies. */
const anySigned: Verify = (key) => Effect.succeed(nameOf(key))
/** A token that the key of that name has signed. */
const signedBy =
  (name: string): Verify =>
  (key) =>
    nameOf(key) === name ? Effect.succeed(name) : Effect.fail({ fault: "signature" })

const openKeys = (egress: Layer.Layer<Egress>) => {
  const services = Layer.mergeAll(
    PartnerKeys.layer.pipe(Layer.provide([egress, Telemetry.layer("silent")])),
    TestClock.layer(),
  )
  const runtime = ManagedRuntime.make(services)
  onTestFinished(() => runtime.dispose())
  const finding = (url: string, kid: string | undefined, integrationId: string, verify = anySigned) =>
    Effect.flatMap(PartnerKeys, (keys) => keys.verifyBy({ integrationId, jwksUrl: url }, kid, verify)).pipe(
      Effect.match({ onSuccess: (name) => name, onFailure: ({ fault }): string => fault }),
    )
  return {
    runtime,
    finding,
    /** The name of the key that verified, or the fault. */
    find: (url: string, kid?: string, integrationId = "one", verify?: Verify) =>
      runtime.runPromise(finding(url, kid, integrationId, verify)),
    pass: (ms: number) => runtime.runPromise(TestClock.adjust(ms)),
  }
}

const withoutKid = (jwk: object): object => ({ ...jwk, kid: undefined })

const digest = (pem: string) => createHash("sha256").update(pem).digest("hex")
const NAMES = new Map([
  [digest(first.pem), "first"],
  [digest(second.pem), "second"],
])
const nameOf = (key: KeyObject) =>
  NAMES.get(digest(key.export({ type: "spki", format: "pem" }).toString())) ?? "another"

const onHttp = async (answer: Answer, options: Partial<EgressOptions> = {}) => {
  const receiver = await startReceiver(answer)
  const keys = openKeys(Egress.layer({ allowLoopback: true, ...options }))
  return {
    ...keys,
    receiver,
    asked: () => receiver.received.length,
    find: (kid?: string, id?: string, verify?: Verify) => keys.find(receiver.url, kid, id, verify),
    /** The same for a token that the key of that name has signed. */
    verify: (name: string, kid?: string) => keys.find(receiver.url, kid, "one", signedBy(name)),
  }
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

test("a key set is fetched once and serves for ten minutes, then it is fetched again", async () => {
  const { find, pass, asked } = await onHttp(publishes(first.jwk, second.jwk))
  expect(await find("first")).toBe("first")
  await pass(10 * MINUTE - 1)
  expect([await find("second"), asked()]).toEqual(["second", 1])
  await pass(1)
  expect([await find("first"), asked()]).toEqual(["first", 2])
})

test("a key that the issuer withdrew is no longer taken after ten minutes", async () => {
  const { find, pass, receiver } = await onHttp(publishes(first.jwk, second.jwk))
  expect(await find("first")).toBe("first")
  receiver.answer = publishes(second.jwk)
  await pass(10 * MINUTE)
  expect(await find("first")).toBe("unknown_key")
})

describe("a token whose key is not in the set", () => {
  test("finds the one that the issuer has just added", async () => {
    const { find, pass, receiver, asked } = await onHttp(publishes(first.jwk))
    expect(await find("first")).toBe("first")
    receiver.answer = publishes(first.jwk, second.jwk)
    await pass(10 * SECOND)
    expect([await find("second"), asked()]).toEqual(["second", 2])
  })

  test("makes us ask at most once in ten seconds, however many there are", async () => {
    const { find, pass, asked } = await onHttp(publishes(first.jwk))
    for (let nth = 0; nth < 5; nth++) expect(await find(`unknown ${nth}`)).toBe("unknown_key")
    expect(asked()).toBe(1)
    await pass(10 * SECOND - 1)
    expect([await find("unknown"), asked()]).toEqual(["unknown_key", 1])
    await pass(1)
    await Promise.all(Array.from({ length: 10 }, (_, nth) => find(`unknown ${nth}`)))
    expect([await find("first"), asked()]).toEqual(["first", 2])
  })

  test("counts a fetch that failed, and known keys serve all the while", async () => {
    const { find, pass, receiver, asked } = await onHttp(publishes(first.jwk))
    expect(await find("first")).toBe("first")
    receiver.answer = status(500)
    await pass(10 * SECOND)
    for (let nth = 0; nth < 5; nth++) expect(await find("unknown")).toBe("unknown_key")
    expect([await find("first"), asked()]).toEqual(["first", 2])
  })
})

describe("without a kid", () => {
  test("the only key is meant", async () => {
    expect(await (await onHttp(publishes(first.jwk))).find()).toBe("first")
    expect(await (await onHttp(publishes(withoutKid(first.jwk)))).find()).toBe("first")
  })

  test("the only key that can check such a signature is meant", async () => {
    const others = [newPartnerKey("small", 1024).jwk, { ...second.jwk, use: "enc" }, { kty: "EC" }, "nonsense"]
    expect(await (await onHttp(publishes(...others, first.jwk))).find()).toBe("first")
  })

  test("each of several keys is tried, as each of those with one kid, and those without one", async () => {
    const both = await onHttp(publishes(first.jwk, second.jwk))
    expect([await both.verify("first"), await both.verify("second")]).toEqual(["first", "second"])
    expect(await both.verify("second", "first")).toBe("signature")
    const twins = await onHttp(publishes(first.jwk, { ...second.jwk, kid: "first" }))
    expect(await twins.verify("second", "first")).toBe("second")
    const nameless = await onHttp(publishes(first.jwk, withoutKid(second.jwk)))
    expect(await nameless.verify("second", "first")).toBe("second")
  })

  test("ten keys are tried and no more, and none after one that has signed the token", async () => {
    const keys = Array.from({ length: 12 }, () => withoutKid(first.jwk))
    const { find } = await onHttp(publishes(...keys))
    let tried = 0
    const failing =
      (fault: "signature" | "expired"): Verify =>
      () => {
        tried++
        return Effect.fail({ fault })
      }
    expect([await find(undefined, "one", failing("signature")), tried]).toEqual(["signature", 10])
    tried = 0
    expect([await find(undefined, "one", failing("expired")), tried]).toEqual(["expired", 1])
  })
})

describe("an issuer that changes its key", () => {
  test.each<[string, ReadonlyArray<object>, ReadonlyArray<object>, string | undefined]>([
    ["under the same kid", [first.jwk], [{ ...second.jwk, kid: "first" }], "first"],
    ["without a kid", [withoutKid(first.jwk)], [withoutKid(second.jwk)], undefined],
    ["with both published and no kid", [withoutKid(first.jwk)], [first.jwk, second.jwk].map(withoutKid), undefined],
    ["with a kid in its tokens alone", [withoutKid(first.jwk)], [withoutKid(second.jwk)], "new"],
  ])("%s is fetched anew for the first token of the new key", async (_how, before, after, kid) => {
    const { verify, pass, receiver, asked } = await onHttp(publishes(...before))
    expect(await verify("first", kid)).toBe("first")
    receiver.answer = publishes(...after)
    expect([await verify("second", kid), asked()]).toEqual(["signature", 1])
    await pass(10 * SECOND)
    expect([await verify("second", kid), asked()]).toEqual(["second", 2])
  })

  test("is asked at most once in ten seconds, however many wrong tokens a stranger sends", async () => {
    const { verify, find, pass, asked } = await onHttp(publishes(first.jwk))
    expect(await find("first")).toBe("first")
    for (let turn = 2; turn < 5; turn++) {
      await pass(10 * SECOND)
      await Promise.all(Array.from({ length: 10 }, () => verify("nobody", "first")))
      for (let nth = 0; nth < 5; nth++) expect(await verify("nobody", "first")).toBe("signature")
      expect([await verify("first", "first"), asked()]).toEqual(["first", turn])
    }
  })

  test("is not asked for a token that one of its keys has signed", async () => {
    const { find, pass, asked } = await onHttp(publishes(first.jwk))
    await find("first")
    await pass(10 * SECOND)
    expect(await find("first", "one", () => Effect.fail({ fault: "expired" }))).toBe("expired")
    expect(asked()).toBe(1)
  })

  test("and is out meanwhile leaves the keys that were known", async () => {
    const { verify, pass, receiver } = await onHttp(publishes(first.jwk))
    expect(await verify("first", "first")).toBe("first")
    receiver.answer = status(500)
    await pass(10 * SECOND)
    expect([await verify("second", "first"), await verify("first", "first")]).toEqual(["signature", "first"])
  })
})

describe("while the issuer is out", () => {
  test("known keys serve for an hour beyond their ten minutes, and are then given up", async () => {
    const { find, pass, receiver } = await onHttp(publishes(first.jwk))
    expect(await find("first")).toBe("first")
    receiver.answer = status(503)
    await pass(10 * MINUTE)
    expect([await find("first"), await find("second")]).toEqual(["first", "unknown_key"])
    await pass(HOUR - 1)
    expect(await find("first")).toBe("first")
    await pass(1)
    expect([await find("first"), await find("second")]).toEqual(["jwks_unreachable", "jwks_unreachable"])
    receiver.answer = publishes(second.jwk)
    await pass(10 * SECOND)
    expect([await find("second"), await find("first")]).toEqual(["second", "unknown_key"])
  })

  test("it is asked again at most once in ten seconds, with something kept or nothing", async () => {
    const { find, pass, asked, receiver } = await onHttp(status(500))
    for (let nth = 0; nth < 5; nth++) expect(await find("first")).toBe("jwks_unreachable")
    expect(asked()).toBe(1)
    receiver.answer = publishes(first.jwk)
    await pass(10 * SECOND - 1)
    expect([await find("first"), asked()]).toEqual(["jwks_unreachable", 1])
    await pass(1)
    expect([await find("first"), asked()]).toEqual(["first", 2])
    receiver.answer = status(500)
    await pass(10 * MINUTE)
    for (let nth = 0; nth < 5; nth++) expect(await find("first")).toBe("first")
    expect(asked()).toBe(3)
  })
})

describe("an answer that is no key set", () => {
  const document =
    (text: string): Answer =>
    (response) =>
      void response.writeHead(200).end(text)
  test("gives no key, and says why", async () => {
    const rows: ReadonlyArray<readonly [string, Answer, string]> = [
      ["an absent one", status(404), "jwks_unreachable"],
      ["an empty answer", status(204), "jwks_unreachable"],
      ["a cut connection", (response) => void response.destroy(), "jwks_unreachable"],
      ["nothing", document(""), "jwks_invalid"],
      ["no JSON", document("<html>"), "jwks_invalid"],
      ["another JSON", document('{"key":[]}'), "jwks_invalid"],
      ["null", document("null"), "jwks_invalid"],
      ["keys that are no list", document('{"keys":{"length":1}}'), "jwks_invalid"],
      ["endless nesting", document(`{"keys":${"[".repeat(5000)}${"]".repeat(5000)}}`), "jwks_invalid"],
      [
        "bytes that are no text",
        (response) => void response.writeHead(200).end(Buffer.from([0x22, 0xff, 0x22])),
        "jwks_invalid",
      ],
      ["51 keys", publishes(...Array.from({ length: 51 }, () => first.jwk)), "jwks_invalid"],
      ["300 KiB", document(JSON.stringify({ keys: [first.jwk], padding: "x".repeat(300 * 1024) })), "jwks_invalid"],
      ["no usable key", publishes({ kty: "EC" }, newPartnerKey("first", 1024).jwk, 7, null), "unknown_key"],
      ["no key", publishes(), "unknown_key"],
    ]
    for (const [what, answer, fault] of rows) {
      expect(await (await onHttp(answer)).find("first"), what).toBe(fault)
    }
  })

  test("fifty keys are one, and 256 KiB are not too much", async () => {
    const others = Array.from({ length: 49 }, (_, nth) => ({ ...first.jwk, kid: `other ${nth}` }))
    expect(await (await onHttp(publishes(...others, first.jwk))).find("first")).toBe("first")
    const empty = JSON.stringify({ keys: [first.jwk], padding: "" })
    const full = JSON.stringify({ keys: [first.jwk], padding: "x".repeat(256 * 1024 - empty.length) })
    expect(await (await onHttp(document(full))).find("first")).toBe("first")
  })

  test("a redirect is not followed", async () => {
    const elsewhere = await startReceiver(publishes(first.jwk))
    const { find } = await onHttp((response) => void response.writeHead(302, { location: elsewhere.url }).end())
    expect([await find("first"), elsewhere.received.length]).toEqual(["jwks_unreachable", 0])
  })

  test("an issuer that never answers is given up after its time", async () => {
    expect(await (await onHttp(() => {})).find("first")).toBe("jwks_unreachable")
  })
})

describe("an address that may not be called", () => {
  test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"])(
    "is not, when the name leads to %s",
    async (address) => {
      const { find } = openKeys(Egress.layer({ allowLoopback: false, resolve: async () => [address] }))
      expect(await find("https://partner.example/jwks", "first")).toBe("jwks_refused")
    },
  )

  test("and a name that leads nowhere is unreachable", async () => {
    const { find } = openKeys(
      Egress.layer({ allowLoopback: false, resolve: () => Promise.reject(new Error("ENOTFOUND")) }),
    )
    expect(await find("https://partner.example/jwks", "first")).toBe("jwks_unreachable")
  })
})

test("all who need a key set at once wait for one fetch", async () => {
  const held: Array<() => void> = []
  const { find, receiver, asked } = await onHttp((...[response, request, nth]) => {
    held.push(() => publishes(first.jwk)(response, request, nth))
  })
  const found = Array.from({ length: 20 }, (_, nth) => find(nth % 2 === 0 ? "first" : "unknown"))
  await receiver.count(1)
  for (const answer of held) answer()
  expect(new Set(await Promise.all(found))).toEqual(new Set(["first", "unknown_key"]))
  expect(asked()).toBe(1)
})

test("a caller who gives up does not end the fetch for other callers", async () => {
  let answer = () => {}
  const { runtime, finding, find, receiver, asked } = await onHttp((...[response, request, nth]) => {
    answer = () => publishes(first.jwk)(response, request, nth)
  })
  const impatient = runtime.runFork(finding(receiver.url, "first", "one"))
  await receiver.count(1)
  const patient = find("first")
  await runtime.runPromise(Fiber.interrupt(impatient))
  answer()
  expect([await patient, asked()]).toEqual(["first", 1])
})

describe("of many integrations", () => {
  /** An issuer in memory: what matters is how often and how many at once it is asked. */
  const inMemory = () => {
    const gate = Deferred.makeUnsafe<void>()
    const seen = { asked: [] as string[], open: 0, mostOpen: 0 }
    const body = Buffer.from(JSON.stringify({ keys: [first.jwk] }))
    const egress = Layer.succeed(Egress, {
      check: () => Effect.void,
      send: ({ url }) =>
        Effect.gen(function* () {
          seen.asked.push(url)
          seen.mostOpen = Math.max(seen.mostOpen, ++seen.open)
          yield* Deferred.await(gate)
          seen.open--
          return { status: 200, headers: {}, body, truncated: false }
        }),
    })
    return { seen, egress, open: () => Effect.runSync(Deferred.succeed(gate, undefined)) }
  }

  test("the keys of a thousand are remembered, and the one unused for longest is forgotten", async () => {
    const { seen, egress, open } = inMemory()
    const { find } = openKeys(egress)
    open()
    for (let nth = 0; nth < 1000; nth++) await find(`https://${nth}/`, "first", `${nth}`)
    await find("https://0/", "first", "0")
    expect(seen.asked).toHaveLength(1000)
    await find("https://1000/", "first", "1000")
    expect(await find("https://0/", "first", "0")).toBe("first")
    expect(await find("https://1/", "first", "1")).toBe("first")
    expect(seen.asked.slice(1000)).toEqual(["https://1000/", "https://1/"])
  })

  test("no more than thirty-two are asked at once, and all are answered", async () => {
    const { seen, egress, open } = inMemory()
    const { find } = openKeys(egress)
    const found = Array.from({ length: 100 }, (_, nth) => find(`https://${nth}/`, "first", `${nth}`))
    await eventually(() => seen.open === 32, "thirty-two fetches under way")
    open()
    expect(new Set(await Promise.all(found))).toEqual(new Set(["first"]))
    expect([seen.asked.length, seen.mostOpen]).toEqual([100, 32])
  })
})
