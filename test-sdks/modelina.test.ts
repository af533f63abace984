/** Models of the gateway's messages, as `@asyncapi/modelina` writes them for TypeScript. */
import { mkdir, readdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { compileTypeScript, descriptionIn, place, tools, workFolder } from "./support/generation.ts"
import { programHouse } from "./support/programs.ts"
import { run } from "./support/running.ts"

const house = programHouse()

test("no model is anonymous, each is named once, and all of them compile", async () => {
  const folder = await workFolder()
  const modules = join(tools().npm, "node_modules")
  await symlink(modules, join(folder, "node_modules"))
  const input = await descriptionIn(folder, house.serverUrl, "asyncapi.json")
  const models = join(folder, "models")
  await mkdir(models)
  await place("modelina.mjs", join(folder, "modelina.mjs"))
  const printed = await run(process.execPath, [join(folder, "modelina.mjs"), input, models])
  const names = printed.trim().split("\n")
  expect(names).toEqual(expect.arrayContaining(["ChatSendCommand", "ChatSendReply", "ChatMessageDispatch", "Hello"]))
  expect(names.filter((name) => /anonymous|reserved/i.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  expect(await readdir(models)).toHaveLength(names.length)
  await compileTypeScript(folder, ["models/*.ts"], { moduleResolution: "bundler", module: "esnext" })
})
