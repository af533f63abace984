/** Writes the files of a new project. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Refused } from "./arguments.mjs"

/** @import { Asked } from "./arguments.mjs" */

const TEMPLATE = fileURLToPath(new URL("../template", import.meta.url))
/** Files that begin with a dot in a project, under names that npm packs. */
const DOTTED = ["gitignore"]

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))

/** @type {string} */
export const VERSION = readJson(fileURLToPath(new URL("../package.json", import.meta.url))).version

/** @param {string} folder */
const checkFolder = (folder) => {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new Refused(`${folder} is a file. Name a new folder, or an empty one.`)
  // A new repository already has its own folder.
  const there = readdirSync(folder).filter((name) => name !== ".git")
  if (there.length > 0) {
    throw new Refused(
      `${folder} is not empty: it has ${there[0]}. Nothing was written. Name a new folder, or an empty one.`,
    )
  }
}

/** @param {Pick<Asked, "folder" | "url" | "client">} asked */
export const makeProject = ({ folder, url, client }) => {
  checkFolder(folder)
  mkdirSync(folder, { recursive: true })
  cpSync(TEMPLATE, folder, { recursive: true })
  for (const name of DOTTED) renameSync(join(folder, `_${name}`), join(folder, `.${name}`))
  writeFileSync(
    join(folder, ".env"),
    `# Address of the server. It is part of the built page.\nVITE_GATHERCUE_URL=${url}\n`,
  )
  const manifest = readJson(join(folder, "package.json"))
  manifest.name = basename(folder)
  if (client !== undefined) manifest.dependencies["@gathercue/client"] = client
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}
