import fc from "fast-check"
import { expect, test } from "vitest"
import { namedId, newId, parseId } from "../../src/model/ids.ts"

test("an id made of parts is a UUIDv5, the same each time, and another for any other parts or namespace", () => {
  const namespace = newId()
  const id = namedId(namespace, "issuer", "sub")
  expect(id).toBe(namedId(namespace, "issuer", "sub"))
  expect([parseId(id), id.charAt(14)]).toEqual([id, "5"])
  for (const parts of [["issuer", "sub2"], ["issuersub"], ["issuer", "s", "ub"], ['issuer","sub'], ["sub", "issuer"]]) {
    expect(namedId(namespace, ...parts)).not.toBe(id)
  }
  expect(namedId(newId(), "issuer", "sub")).not.toBe(id)
})

test("different parts never make the same id", () => {
  const namespace = newId()
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 3 }), fc.array(fc.string(), { maxLength: 3 }), (left, right) => {
      const same = JSON.stringify(left) === JSON.stringify(right)
      expect(namedId(namespace, ...left) === namedId(namespace, ...right)).toBe(same)
    }),
  )
})
