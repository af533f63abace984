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
const guest = { guestId: "guest:1", eventId: "event" }
const keyed = { ...member, basis: { ...member.basis, login: null, keyId: "key" } }

test.each([
  ["the user", { userId: "user" }, true, true, false],
  ["another user", { userId: "another" }, false, false, false],
  ["the user at this event", { userId: "user", eventId: "event" }, true, true, false],
  ["the user at another event", { userId: "user", eventId: "another" }, false, false, false],
  ["the guest", { guestId: "guest:1" }, false, false, true],
  ["the guest at this event", { guestId: "guest:1", eventId: "event" }, false, false, true],
  ["the guest at another event", { guestId: "guest:1", eventId: "another" }, false, false, false],
  ["another guest", { guestId: "guest:2", eventId: "event" }, false, false, false],
  ["the account", { accountId: "account" }, true, false, false],
  ["the account in another workspace", { accountId: "account", workspaceId: "another" }, false, false, false],
  ["the login", { sessionId: "session" }, true, false, false],
  ["the key", { keyId: "key" }, false, true, false],
  ["another key", { keyId: "another" }, false, false, false],
  ["the workspace", { workspaceId: "workspace" }, true, true, false],
  ["the event", { eventId: "event" }, true, true, true],
  // The link to other nodes was lost: anything may have changed.
  ["everything", {}, true, true, true],
] satisfies ReadonlyArray<readonly [string, GrantChange, boolean, boolean, boolean]>)(
  "a change of %s concerns those it names",
  (_name, change, ofMember, ofKeyed, ofGuest) => {
    const index = new ChangeIndex([{ userId: "somebody" }, change, { keyId: "some" }])
    const recent = new RecentChanges()
    recent.add(change)
    const grounds = [member, keyed, guest]
    expect(grounds.map((ground) => index.concerns(ground))).toEqual([ofMember, ofKeyed, ofGuest])
    expect(grounds.map((ground) => recent.concernedSince(0, ground))).toEqual([ofMember, ofKeyed, ofGuest])
    expect(recent.concernedSince(recent.count, member)).toBe(false)
  },
)

test("many changes concern whomever one of them concerns", () => {
  const id = fc.constantFrom("user", "account", "session", "key", "event", "workspace", "guest:1", "other")
  const fields = { userId: id, accountId: id, sessionId: id, keyId: id, eventId: id, workspaceId: id, guestId: id }
  const change = fc.record(fields, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      const index = new ChangeIndex(changes)
      for (const ground of [member, keyed, guest]) {
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
