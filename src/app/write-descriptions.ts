/** A build program: writes the descriptions into the folder given as its argument. */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { writeDescriptions } from "./descriptions.ts"

const [folder = ""] = process.argv.slice(2)
await writeDescriptions(pathToFileURL(`${resolve(folder)}/`))
