import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { foldEmail, isEmail } from "../../src/model/text/email.ts"

describe("an address", () => {
  test("is taken in any script, with what a host takes", () => {
    for (const text of [
      "ada@example.com",
      " Ada.Lovelace+events@Mail.Example.co.uk ",
      "o'brien@example.com",
      "a@b",
      "root@localhost",
      "用户@例子.公司",
      "jörg@bücher.example",
      "x_y-z=1@xn--bcher-kva.example",
      `${"x".repeat(308)}@example.com`,
    ]) {
      expect(isEmail(text), text).toBe(true)
    }
  })

  test("is not what a mail server would read otherwise, or the eye", () => {
    for (const text of [
      "",
      "nobody",
      "@example.com",
      "a@",
      "a@b@c",
      "<script>@x.y",
      '"a b"@example.com',
      "a,b@example.com",
      "a;b@example.com",
      "a\\b@example.com",
      "a(b)@example.com",
      "a b@example.com",
      "a\nb@example.com",
      "a\u0000@example.com",
      "admin\u200b@example.com",
      "admin@exam\u00adple.com",
      "a\u202eb@example.com",
      "a@b..c",
      "a..b@example.com",
      ".a@example.com",
      "a.@example.com",
      "a@.example.com",
      "a@example.com.",
      "a@-example.com",
      "a@example-.com",
      "a@exa_mple.com",
      "a@exam<ple.com",
      "a@[127.0.0.1]",
      "a@127.0.0.1",
      "a@12",
      "a@ex\u0430mple.com",
      "a@b.g\u03bfogle",
      `a@${"x".repeat(64)}.com`,
      `a@${"x.".repeat(130)}com`,
      `${"x".repeat(309)}@example.com`,
    ]) {
      expect(isEmail(text), text).toBe(false)
    }
  })

  test("has one form for what looks the same", () => {
    const folded = [foldEmail(" K\u0301im@Example.com"), foldEmail("\u1e31im@example.com")]
    expect(folded).toEqual(["\u1e31im@example.com", "\u1e31im@example.com"])
  })

  test("never holds markup, spaces, or characters that are not seen", () => {
    const odd = fc.constantFrom(
      "<",
      ">",
      '"',
      "@",
      "..",
      " ",
      "\r\n",
      "\u200b",
      "\u202e",
      "\u0000",
      "a",
      "b",
      ".",
      "com",
    )
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        if (isEmail(text)) expect(text.trim()).not.toMatch(/[<>"\s\p{Cf}\p{Cc}]|\.\.|@.*@|^\.|\.@|\.$/u)
      }),
    )
  })
})
