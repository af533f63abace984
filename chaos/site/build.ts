/** A compiled server, as a node runs it. */
import { readdirSync } from "node:fs"
import { join } from "node:path"

export interface Build {
  /** In the report. */
  readonly name: string
  /** The program. */
  readonly main: string
  /** The numbers of its migrations, in order. */
  readonly migrations: ReadonlyArray<number>
}

const MIGRATION = /^(\d+)_.*\.sql$/
/** A folder of this name stands for all migrations up to its number (src/store/migrate.ts). */
const BASELINE = /^(\d+)_baseline$/

/** `checkout`: a folder with the source, in which `npm run build` was done. */
export const buildIn = (checkout: string, name: string): Build => {
  const compiled = join(checkout, "dist/src")
  const migrations = readdirSync(join(compiled, "store/sql")).flatMap((file) => {
    const last = Number(BASELINE.exec(file)?.[1] ?? 0)
    const number = MIGRATION.exec(file)?.[1]
    return number === undefined ? Array.from({ length: last }, (_, n) => n + 1) : [Number(number)]
  })
  return { name, main: join(compiled, "main.js"), migrations: migrations.sort((a, b) => a - b) }
}

/** Those that `build` has and `other` lacks. */
export const migrationsBeyond = (build: Build, other: Build): ReadonlyArray<number> =>
  build.migrations.filter((number) => !other.migrations.includes(number))
