/** People at an event who have a keyboard and no pointer. */
import type { Page } from "playwright-core"
import { PASSWORD, type Workspace } from "../../test/support/api.ts"
import { STEP_MS } from "./host-pages.ts"
import { type Keys, keysOf } from "./keys.ts"
import { type Occasion, openPage } from "./people.ts"
import type { SiteAt } from "./site.ts"

export const keysOn = async (page: Promise<Page>): Promise<Keys> => {
  const opened = await page
  opened.setDefaultTimeout(STEP_MS)
  return keysOf(opened)
}

/** The console at a path, after signing in there. */
export const signInByKeys = async (site: SiteAt, acme: Workspace, path: string): Promise<Keys> => {
  const keys = await keysOn(site.open(path))
  await keys.type("E-mail address", acme.owner.email)
  await keys.type("Password", PASSWORD)
  await keys.page.keyboard.press("Enter")
  await keys.page.getByRole("button", { name: "Sign out", exact: true }).waitFor()
  // The title of the page that follows.
  await keys.isIn(keys.page.getByRole("heading", { level: 1 }))
  return keys
}

export const enterByKeys = async (occasion: Occasion, name: string): Promise<Keys> => {
  const keys = await keysOn(openPage(occasion, name))
  await keys.press("button", "Enter now")
  await keys.page.getByText(/\d+ (?:person|people) here/).waitFor()
  await keys.isIn(keys.page.getByRole("heading", { level: 1, name: "Launch day" }))
  return keys
}
