/** Which users a change concerns, by a table and by comparison of the index with the plain question. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { ChangeIndex, RecentChanges } from "../../src/gateway/grants/recent-changes.ts"
import type { GrantChange } from "../../src/identity/grant-changes.ts"

const login = { accountId: "account", sessionId: "session", credentialsVersion: 1 }
const member = {
  basis: { userId: "user", workspaceId: "workspace", sessionVersion: 0, login, keyId: null },
  eventId: "event",
}
const keyed = { ...member, basis: { ...member.basis, login: null, keyId: "key" } }

test.each([
  ["the user", { userId: "user" }, true, true],
  ["another user", { userId: "another" }, false, false],
  ["the user at this event", { userId: "user", eventId: "event" }, true, true],
  ["the user at another event", { userId: "user", eventId: "another" }, false, false],
  ["the account", { accountId: "account" }, true, false],
  ["the account in another workspace", { accountId: "account", workspaceId: "another" }, false, false],
  ["the login", { sessionId: "session" }, true, false],
  ["the key", { keyId: "key" }, false, true],
  ["another key", { keyId: "another" }, false, false],
  ["the workspace", { workspaceId: "workspace" }, true, true],
  ["the event", { eventId: "event" }, true, true],
  // The link to other nodes was lost: anything may have changed.
  ["everything", {}, true, true],
] satisfies ReadonlyArray<readonly [string, GrantChange, boolean, boolean]>)(
  "a change of %s concerns those it names",
  (_name, change, ofMember, ofKeyed) => {
    const index = new ChangeIndex([{ userId: "somebody" }, change, { keyId: "some" }])
    const recent = new RecentChanges()
    recent.add(change)
    expect([index.concerns(member), index.concerns(keyed)]).toEqual([ofMember, ofKeyed])
    expect([recent.concernedSince(0, member), recent.concernedSince(0, keyed)]).toEqual([ofMember, ofKeyed])
    expect(recent.concernedSince(recent.count, member)).toBe(false)
  },
)

test("many changes concern whomever one of them concerns", () => {
  const id = fc.constantFrom("user", "account", "session", "key", "event", "workspace", "other")
  const fields = { userId: id, accountId: id, sessionId: id, keyId: id, eventId: id, workspaceId: id }
  const change = fc.record(fields, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      const index = new ChangeIndex(changes)
      for (const ground of [member, keyed]) {
        const byEach = changes.some((one) => {
          const recent = new RecentChanges()
          recent.add(one)
          return recent.concernedSince(0, ground)
        })
        expect(index.concerns(ground)).toBe(byEach)
      }
    }),
  )
})

test("only changes of after count, and one that may be forgotten counts as if it did", () => {
  const recent = new RecentChanges()
  recent.add({ userId: "user" })
  const since = recent.count
  for (let n = 0; n < 1_000; n++) recent.add({ userId: "another" })
  expect([recent.concernedSince(0, member), recent.concernedSince(since, member)]).toEqual([true, false])
  recent.add({ userId: "another" })
  expect(recent.concernedSince(since, member)).toBe(true)
})
