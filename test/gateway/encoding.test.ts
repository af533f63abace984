import fc from "fast-check"
import { expect, test } from "vitest"
import { encodeOrdered, withField } from "../../src/protocol/wire/encoding.ts"

/** Data as dispatches have it: with at least one field, and values that hold braces and quotes. */
const data = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constantFrom("}}", '"}', ',"media":{}}')), {
  minKeys: 1,
})

test("a field that is added to the text of a dispatch is a field of its data", () => {
  fc.assert(
    fc.property(data, fc.jsonValue(), (d, media) => {
      const dispatch = { stream: "me:1", s: 2, version: 3, at: 4, t: "rotation.round" }
      const { media: _own, ...others } = d
      fc.pre(Object.keys(others).length > 0)
      const read: unknown = JSON.parse(withField(encodeOrdered({ ...dispatch, d: others }), "media", media))
      expect(read).toEqual(
        JSON.parse(
          JSON.stringify({ op: 0, st: "me", s: 2, v: 3, ts: 4, t: "rotation.round", d: { ...others, media } }),
        ),
      )
    }),
  )
})
