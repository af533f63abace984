import type { Page } from "playwright-core"

/** What the page wrote to its console as warnings and errors, and what it threw. */
export const complaintsOf = (page: Page): ReadonlyArray<string> => {
  const complaints: string[] = []
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  return complaints
}
