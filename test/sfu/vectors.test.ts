/** Test vectors of the standards. */
import { expect, test } from "vitest"
import { checkAnswer, isAuthentic, isStun, readCheck } from "../../src/sfu/ice/stun.ts"
import { srtpKeysOf } from "../../src/sfu/srtp/keys.ts"
import { protectionOf } from "../../src/sfu/srtp/protection.ts"

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex")
const NONE = Buffer.alloc(0)

test("a check is that of RFC 5769, 2.1", () => {
  const packet = hex(`
    00010058 2112a442 b7e7a701 bc34d686 fa87dfae 80220010 5354554e 20746573 7420636c 69656e74
    00240004 6e0001ff 80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020
    00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2 80280004 e57a3bcf`)
  expect(isStun(packet)).toBe(true)
  const check = readCheck(packet)
  expect(check?.localFragment).toBe("evtj")
  expect(check !== undefined && isAuthentic(packet, check, "VOkJxbRl1RmTxUk/WvJxBt")).toBe(true)
  expect(check !== undefined && isAuthentic(packet, check, "VOkJxbRl1RmTxUk/WvJxBu")).toBe(false)
})

test("an answer has the address as RFC 5769, 2.2 and 2.3 write it", () => {
  const check = {
    transaction: hex("b7e7a701bc34d686fa87dfae"),
    localFragment: "",
    isNominated: false,
    integrityAt: 0,
    integrity: NONE,
  }
  const answer = (address: string) =>
    checkAnswer(check, { address, port: 32_853 }, "VOkJxbRl1RmTxUk/WvJxBt").toString("hex")
  expect(answer("192.0.2.1")).toContain("002000080001a147e112a643")
  expect(answer("2001:db8:1234:5678:11:2233:4455:6677")).toContain("002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9")
})

test("session keys are those of RFC 3711, B.3", () => {
  const [key, salt] = [hex("e1f97a0d3e018be0d64fa32c06de4139"), hex("0ec675ad498afeebb6960b3aabe6")]
  const { received } = srtpKeysOf({
    profile: "AES128_CM_HMAC_SHA1_80",
    material: () => Buffer.concat([key, Buffer.alloc(16), salt, Buffer.alloc(14)]),
  })
  expect(received.rtp.key.toString("hex")).toBe("c61e7a93744f39ee10734afe3ff7a087")
  expect(received.rtp.salt.toString("hex")).toBe("30cbbc08863d8c85d49db34a9ae1")
  expect(received.rtp.auth.toString("hex")).toBe("cebe321f6ff7716b6fd4ab49af256a156d38baa4")
})

test("a packet is sealed as in RFC 7714, 16.1.1", () => {
  const keys = { key: hex("000102030405060708090a0b0c0d0e0f"), salt: hex("517569642070726f2071756f"), auth: NONE }
  const head = hex("8040f17b 8041f8d3 5501a0b2")
  const body = Buffer.from("Gallia est omnis divisa in partes tres", "latin1")
  const number = { ssrc: 0x5501a0b2, high: 0, low: 0xf17b }
  const sealed = protectionOf("AEAD_AES_128_GCM", keys, "rtp").seal(number, head, [body], NONE)
  expect(sealed.toString("hex")).toBe(
    hex(`f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833899d 7f27beb1
      6a9152cf 765ee439 0cce`).toString("hex"),
  )
})
