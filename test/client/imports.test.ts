import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

test("at run time the client needs nothing but itself and two tables of the protocol", () => {
  const folder = new URL("../../src/client/", import.meta.url)
  const files = readdirSync(folder, { recursive: true }).filter((file): file is string => String(file).endsWith(".ts"))
  expect(files.length).toBeGreaterThan(10)
  const imported = files.flatMap((file) => {
    const url = new URL(file, folder)
    return Array.from(readFileSync(url, "utf8").matchAll(/^import (?!type )[^"]*"([^"]+)"/gm), ([, from = ""]) =>
      from.startsWith(".") ? new URL(from, url).href.replace(new URL("..", folder).href, "") : from,
    )
  })
  const foreign = imported.filter((from) => !from.startsWith("client/"))
  expect([...new Set(foreign)].toSorted()).toEqual(["protocol/wire/close-codes.ts", "protocol/wire/op.ts"])
})
