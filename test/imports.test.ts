/** The check of imports that `npm run check` runs, on trees with and without breaches. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { temporaryFolder } from "./support/temporary-folder.ts"

const SCRIPT = fileURLToPath(new URL("../scripts/check-imports.mjs", import.meta.url))

/** The check's exit code and output for a tree of these files under src/. */
const check = async (files: { readonly [path: string]: string }) => {
  const root = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, "src", path)), { recursive: true })
    writeFileSync(join(root, "src", path), text)
  }
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [SCRIPT, root], (failure, stdout, stderr) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), output: stdout + stderr })
    })
  })
}

const MODEL = { "model/a.ts": "export const a = 1\n", "store/s.ts": 'import { a } from "../model/a.ts"\n' }

test("a tree that keeps the rules passes", async () => {
  const files = { ...MODEL, "actors/machine/m.ts": 'import { setup } from "xstate"\nimport "../../store/s.ts"\n' }
  expect(await check(files)).toMatchObject({ code: 0 })
})

test.each([
  ["a part imports one that it may not", { "model/b.ts": 'import { s } from "../store/s.ts"\n' }, "model may import"],
  [
    "so it does for a type",
    { "store/t.ts": 'import type { G } from "../http/g.ts"\n' },
    "src/store/t.ts imports src/http/g.ts",
  ],
  ["and over several lines", { "store/t.ts": 'import {\n  a,\n  b,\n} from "../gateway/g.ts"\n' }, "src/gateway/g.ts"],
  ["at run time", { "store/t.ts": 'const g = await import("../gateway/g.ts")\n' }, "src/gateway/g.ts"],
  ["by a template", { "store/t.ts": "const g = await import(`../gateway/g.ts`)\n" }, "imports a computed name"],
  ["by a name with another ending", { "store/t.ts": 'import "../gateway/g.js"\n' }, "src/gateway/g.js"],
  [
    "behind a comment with an apostrophe",
    { "store/t.ts": 'import {\n  // it\'s here\n  a,\n} from "../gateway/g.ts"\n' },
    "src/gateway/g.ts",
  ],
  ["within a type", { "store/t.ts": 'export type G = import("../gateway/g.ts").G\n' }, "src/gateway/g.ts"],
  ["by require", { "store/t.ts": 'import { createRequire } from "node:module"\n' }, "createRequire"],
  ["the model imports what has input and output", { "model/b.ts": 'import "../egress/e.ts"\n' }, "src/egress/e.ts"],
  ["an engine is used by a part of it", { "http/h.ts": 'import "xstate/graph"\n' }, "imports xstate/graph"],
  ["a part has no rules", { "attic/a.ts": "export const a = 1\n" }, 'the part "attic"'],
  ["an engine is used elsewhere", { "http/h.ts": 'import { setup } from "xstate"\n' }, "imports xstate"],
  [
    "a file imports too much of its part",
    { "store/t.ts": Array.from({ length: 13 }, (_, n) => `import "./f${n}.ts"\n`).join("") },
    "imports 13 files of its own part",
  ],
  [
    "types go round",
    { "store/t.ts": 'import type { U } from "./u.ts"\n', "store/u.ts": 'import type { T } from "./t.ts"\n' },
    "src/store/t.ts, src/store/u.ts",
  ],
])("%s: the check fails and names it", async (_name, files, named) => {
  const { code, output } = await check({ ...MODEL, ...files })
  expect(code).toBe(1)
  expect(output).toContain(named)
})

test.each([
  ["src/model/text/a.ts", "src/model/live/b.ts"],
  ["src/protocol/wire/a.ts", "src/protocol/messages/b.ts"],
  ["src/store/events/a.ts", "src/store/workspaces/b.ts"],
  ["src/media/live/a.ts", "src/media/jobs/b.ts"],
  ["src/identity/accounts/a.ts", "src/identity/callers/b.ts"],
  ["src/cluster/link/a.ts", "src/cluster/b.ts"],
  ["src/actors/state/a.ts", "src/actors/domain/b.ts"],
  ["src/actors/views/a.ts", "src/actors/runtime/b.ts"],
  ["src/http/requests/a.ts", "src/http/handlers/events/b.ts"],
  ["src/http/pages/a.ts", "src/http/rest.ts"],
  ["src/gateway/connection/a.ts", "src/gateway/event/b.ts"],
  ["src/gateway/transport/a.ts", "src/gateway/gateway.ts"],
  ["src/app/layers/a.ts", "src/app/server.ts"],
  ["packages/client/src/state/a.ts", "packages/client/src/react/b.ts"],
  ["packages/web/src/ui/a.tsx", "packages/web/src/host/b.tsx"],
])("%s imports a type of a higher floor: the check fails and names both", async (lower, upper) => {
  const name = relative(dirname(lower), upper)
  const files = { [lower]: `import type { B } from "${name}"\nexport const a: B = 1\n`, [upper]: "export type B = 1\n" }
  const fromSrc = Object.entries(files).map(([path, text]) => [relative("src", path), text])
  const { code, output } = await check(Object.fromEntries(fromSrc))
  expect(code).toBe(1)
  expect(output).toContain(`${lower} imports ${upper}, which is on a higher floor`)
})

test("a file that is on no floor of its part fails the check", async () => {
  const { code, output } = await check({ "http/attic/a.ts": "export const a = 1\n" })
  expect(code).toBe(1)
  expect(output).toContain("src/http/attic/a.ts is on no floor")
})
