/** The hooks of the packed client in a strict project with React, rendered on a server. In a browser: `test-browser/react/hooks.test.ts`. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { beforeAll, expect, test } from "vitest"
import { compile, pack, projectWith, ROOT } from "./packed.ts"

const PROGRAM = `
import { activePhase, CommandRefused, type EventState, GatewayClient, type PhaseView } from "@gathercue/client"
import { type Connection, useCommand, useConnection, useCountdown, useDispatch, useEvent, useGateway } from "@gathercue/client/react"
import type { ReactElement } from "react"
import { renderToString } from "react-dom/server"

const Page = ({ eventId }: { readonly eventId: string }): ReactElement => {
  const client: GatewayClient = useGateway({ key: eventId, token: () => Promise.reject(new Error("not on a server")) })
  const { status, error }: Connection = useConnection(client)
  const whole: EventState | undefined = useEvent(client)
  const phase: PhaseView | undefined = useEvent(client, activePhase)
  const titles: ReadonlyArray<string> | undefined = useEvent(client, ({ event }) => [event.title], (a, b) => a[0] === b[0])
  const seconds: number | null = useCountdown(client, whole?.timers[0])
  const { send, isPending, error: refusal } = useCommand(client)
  useDispatch(client, "announcement", ({ text }) => text.trim())
  // @ts-expect-error: a title is no number
  const wrong: number | undefined = useEvent(client, ({ event }) => event.title)
  // @ts-expect-error: there is no such dispatch
  const unknown = () => useDispatch(client, "phase.exploded", () => {})
  const ask = async (text: string): Promise<string | undefined> => (await send("question.ask", { text }))?.d.question.text
  // @ts-expect-error: a question has a text
  const untyped = () => send("question.ask", {})
  const code = refusal instanceof CommandRefused ? refusal.code : null
  const shown = { status, error, phase, titles, seconds, isPending, code, unused: [wrong, unknown, ask, untyped].length }
  return <p>{JSON.stringify(shown)}</p>
}

// The types of an application that is a library itself.
export const useTitle = (client: GatewayClient) => useEvent(client, ({ event }) => event.title)
export const useIt = useEvent

console.log(renderToString(<Page eventId="1" />).replaceAll("&quot;", '"'))
`

let packed: Awaited<ReturnType<typeof pack>>
beforeAll(async () => {
  packed = await pack()
})

const REACT = ["react", "react-dom", "@types/react", "@types/react-dom", "@types/node", "csstype", "undici-types"]

/** The example of the documentation. */
const exampleOf = async (document: string): Promise<string> => {
  const text = await readFile(join(ROOT, document), "utf8")
  const [, example] = /```tsx\n(.*?)```/s.exec(text) ?? []
  if (example === undefined) throw new Error(`${document} has no example`)
  return `${example}export { Live }\n`
}

test("the hooks compile strictly, with types for others, and render on a server without a connection", async () => {
  const folder = await projectWith(
    packed,
    { "page.tsx": PROGRAM, "live.tsx": await exampleOf("docs/clients.md") },
    REACT,
  )
  const options = { lib: ["ES2023", "DOM"], types: ["node"], jsx: "react-jsx", declaration: true }
  expect(await compile(folder, options)).toBe("")
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "out/page.js")])
  const shown = { status: "idle", error: null, seconds: null, isPending: false, code: null, unused: 4 }
  expect(stdout.trim()).toBe(`<p>${JSON.stringify(shown)}</p>`)
})
