/** The guide cut into passages, each with its audience and stage. Read once at start from the file beside this one. */
import { readFileSync } from "node:fs"

export type Audience = "host" | "viewer"

export interface Passage {
  readonly id: number
  readonly title: string
  readonly text: string
  /** Tags for audiences, stages and surfaces. */
  readonly tags: ReadonlyArray<string>
}

const GUIDE = new URL("./guide.md", import.meta.url)

const parseGuide = (markdown: string): ReadonlyArray<Passage> =>
  markdown
    .split(/^## /m)
    .slice(1)
    .map((section, id) => {
      const [title = "", tags = "", ...text] = section.trim().split("\n")
      return { id, title, tags: tags.split(" "), text: text.join("\n").trim() }
    })

export const readGuide = (): ReadonlyArray<Passage> => parseGuide(readFileSync(GUIDE, "utf8"))
