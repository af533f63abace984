import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { CLOSE } from "../../src/gateway/protocol/close-codes.ts"
import { COMMANDS } from "../../src/gateway/protocol/commands.ts"
import { DIRECT_DISPATCHES, ORDERED_DISPATCHES } from "../../src/gateway/protocol/dispatches.ts"
import { OP } from "../../src/gateway/protocol/op.ts"
import { RefusalCode } from "../../src/gateway/protocol/refusals.ts"

test("the guide names every op, command, dispatch, refusal and close code", () => {
  const guide = readFileSync(new URL("../../docs/gateway.md", import.meta.url), "utf8")
  const names = [
    ...Object.keys(COMMANDS),
    ...Object.keys(DIRECT_DISPATCHES),
    ...Object.keys(ORDERED_DISPATCHES),
    ...RefusalCode.literals,
  ]
  for (const name of names) expect(guide, name).toContain(`\`${name}\``)
  for (const { code } of Object.values(CLOSE)) expect(guide).toMatch(new RegExp(`^\\| ${code} \\|`, "m"))
  for (const op of Object.values(OP)) expect(guide).toMatch(new RegExp(`^\\| ${op} \\| (?:client|server) \\|`, "m"))
})
