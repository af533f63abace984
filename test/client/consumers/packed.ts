/** Projects of users: folders of their own, with the client installed from the tarball that `npm pack` makes. */
import { execFile } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll } from "vitest"
import { builtClient } from "../../support/compiled.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

interface Packed {
  readonly tarball: string
  /** Paths in the package. */
  readonly files: ReadonlyArray<string>
}

export const pack = async (): Promise<Packed> => {
  const destination = await temporaryFolder(afterAll)
  // The package is built; what it runs before it is packed would build it again, in the checkout.
  const options = ["--json", "--ignore-scripts", "--pack-destination", destination]
  const { stdout } = await run("npm", ["pack", ...options], { cwd: await builtClient() })
  const [{ filename, files }] = JSON.parse(stdout)
  return { tarball: join(destination, filename), files: files.map(({ path }: { readonly path: string }) => path) }
}

/** A project with these files. `linked`: packages of this checkout that it has besides, such as types. */
export const projectWith = async (
  { tarball }: Packed,
  files: { readonly [name: string]: string },
  linked: ReadonlyArray<string> = [],
): Promise<string> => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder })
  for (const name of linked) {
    await mkdir(join(folder, "node_modules", name, ".."), { recursive: true })
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name))
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

const STRICTEST = {
  target: "ES2023",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
}

/** The compiler's messages for a project. Its JavaScript is then in the folder named out. */
export const compile = async (folder: string, options: object): Promise<string> => {
  const compilerOptions = { ...STRICTEST, rootDir: ".", outDir: "out", ...options }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts", "*.tsx"] }))
  return run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
}
