import { createHmac } from "node:crypto"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { newSigningSecret } from "../../src/store/webhooks/webhook-registration.ts"
import { SIGNATURE_WINDOW_SECONDS, signatureHeaders, verifySignature } from "../../src/webhooks/signature.ts"

const message = { id: "0199d2a0-0000-7000-8000-000000000000", body: '{"type":"event.started","title":"Fête"}' }
const now = () => Math.floor(Date.now() / 1000)

test("the signature is the hex HMAC-SHA256 of time, dot and raw body under the whole secret text", () => {
  const secret = newSigningSecret()
  const expected = createHmac("sha256", Buffer.from(secret, "utf8")).update(`1700000000.${message.body}`).digest("hex")
  expect(signatureHeaders([secret], message, 1_700_000_000)["x-gc-signature"]).toBe(`t=1700000000,v1=${expected}`)
})

test("the Standard Webhooks library accepts our deliveries, and refuses them when anything differs", () => {
  const secret = newSigningSecret()
  const headers = { ...signatureHeaders([secret], message, now()) }
  const receiver = new Webhook(secret)
  expect(receiver.verify(message.body, headers)).toEqual(JSON.parse(message.body))
  expect(() => receiver.verify(`${message.body} `, headers)).toThrow()
  expect(() => receiver.verify(message.body, { ...headers, "webhook-id": "another" })).toThrow()
  expect(() => new Webhook(newSigningSecret()).verify(message.body, headers)).toThrow()
})

test("while a secret is being replaced, receivers with the old one and with the new one both verify", () => {
  const [old, next] = [newSigningSecret(), newSigningSecret()]
  const headers = { ...signatureHeaders([next, old], message, now()) }
  for (const secret of [old, next]) {
    expect(verifySignature(headers["x-gc-signature"], message.body, secret, now())).toBe(true)
    expect(new Webhook(secret).verify(message.body, headers)).toBeDefined()
  }
})

test("any body under any secret verifies within the window, as text and as bytes, and not outside it", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.integer({ min: 1_000_000, max: 4_000_000_000 }),
      fc.integer({ min: -1_000, max: 1_000 }),
      (body, key, time, shift) => {
        const secret = `whsec_${Buffer.from(key).toString("base64")}`
        const header = signatureHeaders([secret], { id: "x", body }, time)["x-gc-signature"]
        const good = Math.abs(shift) <= SIGNATURE_WINDOW_SECONDS
        expect(verifySignature(header, body, secret, time + shift)).toBe(good)
        expect(verifySignature(header, Buffer.from(body), secret, time + shift)).toBe(good)
        expect(verifySignature(header, `${body}!`, secret, time)).toBe(false)
        expect(verifySignature(header, body, `${secret}A`, time)).toBe(false)
      },
    ),
    { numRuns: 200 },
  )
})

test("a header of any other form is refused and never throws", () => {
  const secret = newSigningSecret()
  const right = signatureHeaders([secret], message, 1_700_000_000)["x-gc-signature"]
  for (const header of [
    "",
    "t=",
    "v1=",
    "t=1700000000",
    "t=x,v1=ab",
    right.slice(0, -1),
    right.replace("v1=", "v0="),
  ]) {
    expect(verifySignature(header, message.body, secret, 1_700_000_000)).toBe(false)
  }
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(verifySignature(header, message.body, secret, 1_700_000_000)).toBe(false)
    }),
  )
})
