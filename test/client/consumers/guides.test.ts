/** The programs of the documents compile against the packed client, as a reader's would. */
import { parseAst } from "rolldown/parseAst"
import { beforeAll, expect, test } from "vitest"
import { blocksOf, DOCUMENTS } from "../../support/code-blocks.ts"
import { compile, pack, projectWith } from "./packed.ts"

let packed: Awaited<ReturnType<typeof pack>>
beforeAll(async () => {
  packed = await pack()
})

/** What the text around a program says is there. */
const GIVEN = `
type Client = import("@gathercue/client").GatewayClient
type Api = ReturnType<typeof import("@gathercue/client").makeRestClient>
declare const client: Client, host: Client, api: Api
declare const baseUrl: string, sessionToken: string, eventId: string
declare const makeRestClient: typeof import("@gathercue/client").makeRestClient
declare const GatewayClient: typeof import("@gathercue/client").GatewayClient
declare const pendingQuestions: typeof import("@gathercue/client").pendingQuestions
declare const shownQuestions: typeof import("@gathercue/client").shownQuestions
// Chromium has it, and the types of the compiler do not yet.
interface MediaRecorderOptions { videoKeyFrameIntervalDuration?: number }
declare const draw: (peers: unknown) => void
declare const tokenFromYourServer: (eventId: string) => Promise<import("@gathercue/client").GatewayToken>
`

/** The blocks of a language as modules of one project. */
const modulesOf = (language: string): { readonly [name: string]: string } => {
  const found = DOCUMENTS.flatMap(blocksOf).filter((block) => block.language === language)
  return Object.fromEntries(
    found.map(({ document, code }, at) => [`${document.replaceAll(/\W/g, "-")}-${at}.ts`, `${code}\nexport {}\n`]),
  )
}

test.each([
  ["ts", 4, { exactOptionalPropertyTypes: false, noPropertyAccessFromIndexSignature: false }],
  // JavaScript has no types of its own: those of the client are checked, and parameters are anything.
  [
    "js",
    8,
    {
      strict: false,
      exactOptionalPropertyTypes: false,
      noUncheckedIndexedAccess: false,
      noPropertyAccessFromIndexSignature: false,
    },
  ],
])("every program in %s compiles", async (language, atLeast, loosened) => {
  const modules = modulesOf(language)
  expect(Object.keys(modules).length).toBeGreaterThanOrEqual(atLeast)
  const folder = await projectWith(packed, { ...modules, "given.d.ts": GIVEN }, ["@types/node", "undici-types"])
  const options = { lib: ["ES2023", "DOM", "DOM.Iterable"], types: ["node"], skipLibCheck: true, ...loosened }
  expect(await compile(folder, options)).toBe("")
})

test("every script of a page parses", () => {
  const pages = DOCUMENTS.flatMap(blocksOf).filter(({ language }) => language === "html")
  const scripts = pages.flatMap(({ code }) =>
    Array.from(code.matchAll(/<script type="module">(.*?)<\/script>/gs), ([, script = ""]) => script),
  )
  expect(scripts.length).toBeGreaterThanOrEqual(2)
  for (const script of scripts) expect(parseAst(script).type).toBe("Program")
})
