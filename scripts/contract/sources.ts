/** What the client's types are printed from: the names of exported schemas, and the contracts of REST and the gateway. */
import { readdirSync } from "node:fs"
import { Schema } from "effect"
import { type Comments, commentsOf } from "./comments.ts"

/** Modules that run, compiled or not. */
const MODULES = new URL("../../src/", import.meta.url)
/** Where two schemas have one name, the one of the earlier folder keeps it. */
const FOLDERS = ["protocol/messages/", "protocol/", "model/", "http/contract/"]

const filesIn = (root: URL): ReadonlyArray<URL> =>
  FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true })
      .map(String)
      .filter((file) => /\.[jt]s$/.test(file) && !file.includes("examples/"))
      .toSorted()
      .map((file) => new URL(folder + file, root)),
  )

interface NamedSchema {
  readonly name: string
  readonly schema: Schema.Top
}

/** Every schema that a module of the contract exports, by its name there. */
export const namedSchemas = async (): Promise<ReadonlyArray<NamedSchema>> => {
  const files = [...new Map(filesIn(MODULES).map((file) => [file.href, file])).values()]
  const modules = await Promise.all(
    files.map((file) => import(file.href) as Promise<{ readonly [name: string]: unknown }>),
  )
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) =>
      Schema.isSchema(value) && /^[A-Z][A-Za-z]+$/.test(name) ? [{ name, schema: value as Schema.Top }] : [],
    ),
  )
}

export const contractComments = (sources: URL): Comments => commentsOf(filesIn(sources))
