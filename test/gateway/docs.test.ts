import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { OP } from "../../src/protocol/wire/op.ts"
import { withTables } from "./guide-tables.ts"

const guide = readFileSync(new URL("../../docs/gateway.md", import.meta.url), "utf8")

test("the tables of the guide are the protocol's; `npx vitest run test/gateway/docs -u` writes them anew", async () => {
  await expect(withTables(guide)).toMatchFileSnapshot("../../docs/gateway.md")
})

test("the guide names every op", () => {
  for (const op of Object.values(OP)) expect(guide).toMatch(new RegExp(`^\\| ${op} \\| (?:client|server) \\|`, "m"))
})
