/** People at an event: a host without a page, and attendees with one. */
import type { Page } from "playwright-core"
import { onTestFinished } from "vitest"
import { GatewayClient } from "../../packages/client/src/entry.ts"
import { createLiveEvent, createPerson, gatewayToken, type Json, type Workspace } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"
import type { OpenOptions, SiteAt } from "./site.ts"

export interface Occasion {
  readonly site: SiteAt
  readonly acme: Workspace
  readonly event: Json
}

export const occasionWith = async (
  site: SiteAt,
  acme: Workspace,
  phases: ReadonlyArray<object>,
  fields: object = {},
): Promise<Occasion> => ({
  site,
  acme,
  event: await createLiveEvent(site.server.url, acme.key, { title: "Launch day", phases, ...fields }),
})

/** A client without a page, connected until the test is over. */
export const connectClient = async (
  { site, acme, event }: Occasion,
  name: string,
  role = "host",
): Promise<GatewayClient> => {
  const { session } = await createPerson(site.server.url, acme.key, event.id, role, name)
  const client = new GatewayClient({ token: () => gatewayToken(site.server.url, event.id, session) })
  onTestFinished(() => client.close())
  await client.connect()
  return client
}

/** The page of a person who has a session and has not pressed "Enter now" yet. */
export const openPage = async (
  { site, acme, event }: Occasion,
  name: string,
  { role = "participant", session, ...options }: OpenOptions & { readonly role?: string } = {},
): Promise<Page> => {
  const token = session?.token ?? (await createPerson(site.server.url, acme.key, event.id, role, name)).session
  // As if the person had entered by their link before.
  return site.open(`/e/${event.id}`, { ...options, session: { of: event.id, token, name } })
}

/** The page of a person who is inside. */
export const enter = async (
  occasion: Occasion,
  name: string,
  options: OpenOptions & { readonly role?: string } = {},
): Promise<Page> => {
  const page = await openPage(occasion, name, options)
  await page.getByRole("button", { name: "Enter now" }).click()
  await page.getByText(/\d+ (?:person|people) here/).waitFor()
  return page
}

/** Shows one of the panels beside the pictures. Its tab may count what is new. */
export const openPanel = (page: Page, name: "Chat" | "Questions" | "Polls"): Promise<void> =>
  page.getByRole("tab", { name: new RegExp(`^${name}`) }).click()

/** The id of a person, once the host's client knows that they are there. */
export const idOf = async (host: GatewayClient, name: string): Promise<string> => {
  let id: string | undefined
  await eventually(() => {
    const { presence } = host.state ?? {}
    const list = presence?.mode === "list" ? presence.list : []
    id = list.find((one) => one.name === name)?.participantId
    return id !== undefined
  }, `${name} at the host`)
  return id ?? ""
}

/** Resolves once the page shows a moving picture of the person. */
export const untilSeen = (page: Page, name: string): Promise<void> =>
  eventually(async () => {
    const video = page.locator(`video[aria-label="${name}"]`)
    if ((await video.count()) === 0) return false
    const frames = (element: Element) => (element as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames
    return (await video.evaluate(frames)) > 3
  }, `the picture of ${name}`)
