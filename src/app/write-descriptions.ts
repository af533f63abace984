/** A program of the build: writes the descriptions into the folder that its argument names. */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { writeDescriptions } from "./descriptions.ts"

const [folder = ""] = process.argv.slice(2)
await writeDescriptions(pathToFileURL(`${resolve(folder)}/`))
