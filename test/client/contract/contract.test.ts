import { expect, test } from "vitest"
import { pythonContract } from "../../../scripts/contract/python-contract.ts"

test("the Python client's names are the contract's; `npx vitest run test/client -u` writes them anew", async () => {
  await expect(pythonContract()).toMatchFileSnapshot("../../../packages/python/src/gathercue/contract.py")
})
