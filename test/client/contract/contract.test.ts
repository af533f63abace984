import { expect, test } from "vitest"
import { clientContract } from "./client-contract.ts"
import { pythonContract } from "./python-contract.ts"

test.each(["types.ts", "commands.ts", "dispatches.ts", "changes.ts", "rest.ts", "routes.ts", "op.ts"])(
  "the client's %s is the contract's; `npx vitest run test/client -u` writes it anew",
  async (name) => {
    const files = await clientContract()
    await expect(files.get(name)).toMatchFileSnapshot(`../../../packages/client/src/contract/${name}`)
  },
)

test("the Python client's names are the contract's; `npx vitest run test/client -u` writes them anew", async () => {
  await expect(pythonContract()).toMatchFileSnapshot("../../../packages/python/src/gathercue/contract.py")
})
