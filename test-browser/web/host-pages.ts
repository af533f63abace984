/** The console of a host: an account with an event, and its pages. */
import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import type { GatewayClient } from "../../packages/client/src/entry.ts"
import { call, createEvent, createWorkspace, PASSWORD } from "../../test/support/api.ts"
import { PATIENCE_MS } from "../../test/support/patience.ts"
import { connectClient, type Occasion } from "./people.ts"
import type { OpenOptions, SiteAt } from "./site.ts"

/** The longest that a step of a page takes on a busy machine. */
export const STEP_MS = PATIENCE_MS

export const newAddress = (): string => `hedy-${randomUUID()}@example.com`

export type Stage = Occasion

/** An event of a workspace that somebody owns, after these verbs. */
export const stageWith = async (
  site: SiteAt,
  phases: ReadonlyArray<object>,
  ...verbs: ReadonlyArray<"publish" | "start" | "end">
): Promise<Stage> => {
  const { url } = site.server
  const acme = await createWorkspace(url)
  const event = await createEvent(url, acme.key, { title: "Launch day", phases })
  for (const verb of verbs) await call(url, "POST", `/v1/events/${event.id}/${verb}`, { key: acme.key })
  return { site, acme, event: (await call(url, "GET", `/v1/events/${event.id}`, { key: acme.key })).body }
}

/** A page of the console for an owner of the workspace, who signs in on it. */
export const openConsole = async (
  { site, acme }: Pick<Stage, "site" | "acme">,
  path: string,
  options: OpenOptions = {},
): Promise<Page> => {
  const page = await site.open(path, options)
  // A step that fails is named, instead of the test that takes too long.
  page.setDefaultTimeout(STEP_MS)
  await page.getByLabel("E-mail address").fill(acme.owner.email)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.getByLabel("Password").press("Enter")
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor()
  return page
}

/** A participant at the event without a page, connected until the test is over. */
export const joinAs = (stage: Stage, name: string, role = "participant"): Promise<GatewayClient> =>
  connectClient(stage, name, role)

/** Resolves when the state of the client is as it should be. */
export const until = (
  client: GatewayClient,
  holds: (state: NonNullable<GatewayClient["state"]>) => boolean,
): Promise<void> => {
  const late = new Error(`the state did not become: ${holds}`)
  return new Promise((resolve, reject) => {
    // timed: the deadline of a wait that would last for ever.
    const deadline = setTimeout(() => {
      stop()
      reject(late)
    }, STEP_MS)
    const look = (): void => {
      if (client.state === undefined || !holds(client.state)) return
      clearTimeout(deadline)
      stop()
      resolve()
    }
    const stop = client.on("state", look)
    look()
  })
}
