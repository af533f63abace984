import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { adviceFor } from "../../packages/client/src/connection/close-advice.ts"
import { CLOSE } from "../../src/protocol/wire/close-codes.ts"
import { RELEASE } from "../../src/protocol/wire/release.ts"

describe("the package of the client", () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"))
  const client = read("../../packages/client/package.json")

  test("has no dependencies at run time", () => {
    expect(Object.keys(client)).not.toContain("dependencies")
  })

  test("has the version of the server that it comes with", () => {
    expect([client.version, RELEASE]).toEqual(Array(2).fill(read("../../package.json").version))
  })

  test("has the version of the package for Python", () => {
    const project = readFileSync(new URL("../../packages/python/pyproject.toml", import.meta.url), "utf8")
    expect(/^version = "(.*)"$/m.exec(project)?.[1]).toBe(client.version)
  })
})

test("the client does at a close what its code asks for", () => {
  for (const { code, advice } of Object.values(CLOSE)) expect([code, adviceFor(code)]).toEqual([code, advice])
  // No close frame, and a code that a later server may have.
  expect([1001, 1006, 4050, 4150, 4250, 4399, 4400].map(adviceFor)).toEqual([
    "resume",
    "resume",
    "resume",
    "backOff",
    "newToken",
    "stop",
    "resume",
  ])
})
