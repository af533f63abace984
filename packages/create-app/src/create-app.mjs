#!/usr/bin/env node
/** `create-gathercue-app <folder>`: creates a project from the template. */
import { basename, relative } from "node:path"
import { Refused, readArguments, USAGE } from "./arguments.mjs"
import { makeProject, VERSION } from "./project.mjs"

try {
  const asked = readArguments(process.argv.slice(2), process.cwd())
  if (asked.help) console.log(USAGE)
  else if (asked.version) console.log(VERSION)
  else {
    makeProject(asked)
    const folder = relative(process.cwd(), asked.folder)
    console.log(`${basename(asked.folder)} is made. It joins events of ${asked.url} (VITE_GATHERCUE_URL in .env).\n`)
    console.log(`${folder === "" ? "" : `  cd ${JSON.stringify(folder)}\n`}  npm install\n  npm run dev`)
  }
} catch (cause) {
  if (!(cause instanceof Refused)) throw cause
  console.error(cause.message)
  process.exitCode = 1
}
