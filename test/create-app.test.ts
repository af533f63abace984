/** What `create-gathercue-app` writes and refuses. In a browser: `test-browser/create-app.test.ts`. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { type CreateApp, installCreateApp } from "./support/create-app.ts"
import { temporaryFolder } from "./support/temporary-folder.ts"

let createApp: CreateApp
beforeAll(async () => {
  createApp = await installCreateApp()
})

const readJson = async (...path: ReadonlyArray<string>) => JSON.parse(await readFile(join(...path), "utf8"))
const root = new URL("..", import.meta.url).pathname

test("a project has its name, the address of its server, and the client of this version", async () => {
  const parent = await temporaryFolder()
  const { code, stdout } = await createApp(parent, "my-event", "--url", "https://events.example.com/")
  expect([code, stdout]).toEqual([0, expect.stringContaining('cd "my-event"\n  npm install\n  npm run dev')])
  const folder = join(parent, "my-event")
  expect((await readdir(folder)).toSorted()).toEqual([
    ".env",
    ".gitignore",
    "README.md",
    "index.html",
    "package.json",
    "src",
    "tsconfig.json",
    "vite.config.ts",
  ])
  expect(await readFile(join(folder, ".env"), "utf8")).toContain("\nVITE_GATHERCUE_URL=https://events.example.com\n")
  const { name, dependencies } = await readJson(folder, "package.json")
  const { version } = await readJson(root, "packages/client/package.json")
  expect([name, dependencies["@gathercue/client"]]).toEqual(["my-event", version])
})

test("every package of the template has an exact version, and React is the one that the hooks are tested with", async () => {
  const { dependencies, devDependencies } = await readJson(root, "packages/create-app/template/package.json")
  const versions = Object.entries({ ...dependencies, ...devDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([])
  const ours = (await readJson(root, "package.json")).devDependencies
  expect(versions.filter(([name, version]) => name in ours && ours[name] !== version)).toEqual([])
})

test("the program has the client's version, no dependencies, and says its version", async () => {
  const own = await readJson(root, "packages/create-app/package.json")
  expect(own.version).toBe((await readJson(root, "packages/client/package.json")).version)
  expect(Object.keys(own).filter((key) => /dependencies/i.test(key))).toEqual([])
  expect(await createApp(root, "--version")).toMatchObject({ code: 0, stdout: `${own.version}\n` })
})

test("--help tells every argument", async () => {
  const { code, stdout } = await createApp(root, "--help")
  expect(code).toBe(0)
  for (const argument of ["<folder>", "--url", "--client", "--help", "--version"]) expect(stdout).toContain(argument)
})

test("the present folder may be named, if it holds nothing but a repository", async () => {
  const folder = join(await temporaryFolder(), "here")
  await mkdir(join(folder, ".git"), { recursive: true })
  expect(await createApp(folder, ".")).toMatchObject({ code: 0 })
  expect((await readJson(folder, "package.json")).name).toBe("here")
})

test("the client may be a tarball, whose path is made absolute", async () => {
  const parent = await temporaryFolder()
  await writeFile(join(parent, "client.tgz"), "")
  expect(await createApp(parent, "app", "--client", "client.tgz")).toMatchObject({ code: 0 })
  const { dependencies } = await readJson(parent, "app/package.json")
  expect(dependencies["@gathercue/client"]).toBe(`file:${join(parent, "client.tgz")}`)
})

describe("is refused in a sentence, and nothing is written", () => {
  test("a folder that is not empty", async () => {
    const parent = await temporaryFolder()
    await mkdir(join(parent, "app"))
    await writeFile(join(parent, "app/notes.txt"), "mine")
    const { code, stderr } = await createApp(parent, "app")
    expect([code, stderr]).toEqual([
      1,
      `${join(parent, "app")} is not empty: it has notes.txt. Nothing was written. Name a new folder, or an empty one.\n`,
    ])
    expect(await readdir(join(parent, "app"))).toEqual(["notes.txt"])
  })

  test("the name of a file", async () => {
    const parent = await temporaryFolder()
    await writeFile(join(parent, "app"), "mine")
    expect(await createApp(parent, "app")).toMatchObject({ code: 1, stderr: expect.stringContaining("is a file") })
    expect(await readFile(join(parent, "app"), "utf8")).toBe("mine")
  })

  test.each([
    [["My Event"], '"My Event" cannot be the name of a package'],
    [[".hidden"], '".hidden" cannot be the name of a package'],
    [["node_modules"], '"node_modules" cannot be the name of a package'],
    [["a".repeat(215)], "cannot be the name of a package"],
    [[], "Name the folder of the new project."],
    [["one", "two"], '"two" is not understood'],
    [["app", "--url", "events.example.com"], '"events.example.com" is no address of a server'],
    [["app", "--url", "ftp://events.example.com"], "is no address of a server"],
    [["app", "--client", "absent.tgz"], '"absent.tgz" is no version, and there is no such file'],
    [["app", "--uri", "x"], "Unknown option '--uri'"],
    [["app", "--url"], "--url"],
  ])("%j", async (args, sentence) => {
    const parent = await temporaryFolder()
    const { code, stderr, stdout } = await createApp(parent, ...args)
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(sentence)])
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(await readdir(parent)).toEqual([])
  })
})
