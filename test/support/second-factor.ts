/** A second factor as a person has it: a program that shows codes, which is not the code under test. */
import { createHmac } from "node:crypto"
import { type Account, call } from "./api.ts"

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

const bytesOf = (secret: string): Buffer => {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("")
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of now, or of so many times thirty seconds later (RFC 4226, section 5.3). */
export const codeOf = (secret: string, later = 0): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later))
  const hash = createHmac("sha1", bytesOf(secret)).update(counter).digest()
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, "0")
}

interface Factor {
  readonly secret: string
  readonly recoveryCodes: ReadonlyArray<string>
}

/** The code of now confirms it; that of thirty seconds later is the next one to be taken. */
export const setUpTotp = async (base: string, { cookie }: Pick<Account, "cookie">): Promise<Factor> => {
  const begun = await call(base, "POST", "/v1/accounts/mfa/totp", { cookie })
  const { secret } = begun.body
  const body = { code: codeOf(secret) }
  const confirmed = await call(base, "POST", "/v1/accounts/mfa/totp/confirm", { cookie, body })
  if (confirmed.status !== 200) throw new Error(`totp: ${confirmed.status} ${JSON.stringify(confirmed.body)}`)
  return { secret, recoveryCodes: confirmed.body.recoveryCodes }
}
