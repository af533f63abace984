/** The server and the API key of the developer's commands: of the environment, or as `gathercue login` kept them. */
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { CommandFailed } from "../command-failed.ts"

export interface Profile {
  /** Without a slash at the end. */
  readonly url: string
  readonly key: string
}

export const DEFAULT_URL = "http://localhost:8080"

/** The file is the user's alone, because it holds the key. */
const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

// biome-ignore lint/style/noProcessEnv: the user's own login, which is no setting of a server.
const environment = process.env

/** What the environment says instead of a login. */
export const GIVEN = { url: environment["GATHERCUE_URL"], key: environment["GATHERCUE_KEY"] }

const file = (): string => join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "gathercue", "login.json")

const kept = async (): Promise<Partial<Profile>> => {
  const text = await readFile(file(), "utf8").catch(() => "{}")
  try {
    return JSON.parse(text) as Partial<Profile>
  } catch {
    throw new CommandFailed(`${file()} is not JSON: remove it and log in again.`)
  }
}

/** @throws CommandFailed for an address that is none */
export const baseOf = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandFailed(`"${url}" is no http or https address.`)
  }
  return url.replace(/\/+$/, "")
}

/** `url`: of the command's own option. @throws CommandFailed without a key */
export const readProfile = async (url: string | undefined): Promise<Profile> => {
  const saved = await kept()
  const base = baseOf(url ?? GIVEN.url ?? saved.url ?? DEFAULT_URL)
  // A key is sent to the server that it was kept for, and to no other.
  const key = GIVEN.key ?? (base === saved.url ? saved.key : undefined)
  if (key === undefined) throw new CommandFailed(`There is no key for ${base}: gathercue login, or GATHERCUE_KEY.`)
  return { url: base, key }
}

/** @returns the path of the file */
export const keepProfile = async (profile: Profile): Promise<string> => {
  await mkdir(dirname(file()), { recursive: true, mode: PRIVATE_FOLDER })
  await writeFile(file(), `${JSON.stringify(profile)}\n`, { mode: PRIVATE_FILE })
  await chmod(file(), PRIVATE_FILE)
  return file()
}

export const forgetProfile = (): Promise<void> => rm(file(), { force: true })
