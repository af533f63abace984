/** The reference is made from the sources; `npm run reference` writes it anew. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { KERNEL, MAY_IMPORT } from "../../scripts/rooms.mjs"
import { CONFIG_KEYS } from "../../src/config/keys.ts"
import { OP } from "../../src/protocol/wire/op.ts"
import { CHAPTERS, CONFIGURATION_PAGES } from "./configuration-pages.ts"
import { commandDrawing, roomsDrawing } from "./drawings.ts"
import { ERROR_PAGES } from "./error-pages.ts"
import { GATEWAY_PAGES } from "./gateway-pages.ts"

const PAGES = { ...GATEWAY_PAGES, ...ERROR_PAGES, ...CONFIGURATION_PAGES }

test.each(Object.entries(PAGES))("the page of %s is what the sources say", async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../../docs/reference/${name}.md`)
})

test("the folder has no other page", () => {
  const files = readdirSync(new URL("../../docs/reference", import.meta.url))
  expect(files.toSorted()).toEqual(
    Object.keys(PAGES)
      .map((name) => `${name}.md`)
      .toSorted(),
  )
})

test("every key of the configuration is in one chapter", () => {
  const listed = Object.values(CHAPTERS).flatMap((chapters) => chapters.flatMap(([, names]) => [...names]))
  expect(listed.toSorted()).toEqual(CONFIG_KEYS.map(({ name }) => name).toSorted())
})

test("the guide of the gateway names every op", () => {
  const guide = readFileSync(new URL("../../docs/gateway.md", import.meta.url), "utf8")
  for (const op of Object.values(OP)) expect(guide).toMatch(new RegExp(`^\\| ${op} \\| (?:client|server) \\|`, "m"))
})

test("the pictures of the architecture are drawn from the rules of imports", async () => {
  await expect(roomsDrawing({ KERNEL, MAY_IMPORT })).toMatchFileSnapshot("../../docs/internals/rooms.svg")
  await expect(commandDrawing()).toMatchFileSnapshot("../../docs/internals/command.svg")
})
