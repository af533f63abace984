import { expect, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { PasswordCallers } from "../../src/identity/accounts/password-callers.ts"

test("an address is known for the account that signed in there, and not after a wrong password", () => {
  const callers = new PasswordCallers(systemTimers)
  callers.gave("192.0.2.1", "ada", true)
  expect([callers.callerClass("192.0.2.1", "ada"), callers.callerClass("192.0.2.1", "bob")]).toEqual([
    "known",
    "unknown",
  ])
  callers.gave("192.0.2.1", "bob", false)
  expect([callers.callerClass("192.0.2.1", "ada"), callers.callerClass("192.0.2.1", "bob")]).toEqual([
    "unknown",
    "suspect",
  ])
})

test("an account that signs in from any number of addresses makes those of others neither unknown nor forgotten", () => {
  const callers = new PasswordCallers(systemTimers)
  callers.gave("192.0.2.1", "ada", true)
  for (let site = 0; site < 25_000; site++) callers.gave(`2001:470:1:${site.toString(16)}::/64`, "mallory", true)
  expect(callers.callerClass("192.0.2.1", "ada")).toBe("known")
})

test("an account is known at the eight addresses where it signed in last", () => {
  const callers = new PasswordCallers(systemTimers)
  const addresses = Array.from({ length: 9 }, (_, n) => `192.0.2.${n}`)
  for (const address of [...addresses.slice(0, 8), "192.0.2.0", "192.0.2.8"]) callers.gave(address, "ada", true)
  const unknown = addresses.filter((address) => callers.callerClass(address, "ada") === "unknown")
  expect(unknown).toEqual(["192.0.2.1"])
})

test("ten thousand accounts are remembered; the one that signed in longest ago is forgotten first", () => {
  const callers = new PasswordCallers(systemTimers)
  for (let n = 0; n < 10_000; n++) callers.gave("192.0.2.1", `account ${n}`, true)
  callers.gave("192.0.2.1", "account 0", true)
  callers.gave("192.0.2.1", "another", true)
  const known = [0, 1, 2].map((n) => callers.callerClass("192.0.2.1", `account ${n}`))
  expect(known).toEqual(["known", "unknown", "known"])
})
