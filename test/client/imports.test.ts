import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

test("at run time the client needs nothing but itself and two tables of the protocol", () => {
  const folder = new URL("../../src/client/", import.meta.url)
  const imported = readdirSync(folder).flatMap((file) =>
    Array.from(
      readFileSync(new URL(file, folder), "utf8").matchAll(/^import (?!type )[^"]*"([^"]+)"/gm),
      ([, from]) => from,
    ),
  )
  const foreign = imported.filter((from) => !from?.startsWith("./"))
  expect([...new Set(foreign)].toSorted()).toEqual(["../protocol/close-codes.ts", "../protocol/op.ts"])
})
