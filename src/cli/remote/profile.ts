/** The server and the API key of the developer's commands, from the environment or from `gathercue login`. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
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

/** Address and key in the environment, which precede those of the login. */
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

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

const parsedUrl = (url: string): URL => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandFailed("The address must begin with http:// or https://.")
  }
  return parsed
}

/** The address of a program that takes deliveries, as it was given. @throws CommandFailed */
export const targetOf = (url: string): string => {
  parsedUrl(url)
  return url
}

/** The address of a server. It receives a key, so it must be encrypted unless it is on this machine. @throws CommandFailed */
export const baseOf = (url: string): string => {
  const { protocol, hostname, username, password, search, hash, origin, pathname } = parsedUrl(url)
  if ([username, password, search, hash].some((part) => part !== "")) {
    throw new CommandFailed("The address of a server has no user, password, query or fragment.")
  }
  if (protocol === "http:" && !LOOPBACK.test(hostname)) {
    throw new CommandFailed(`A key is not sent to ${hostname} in the clear: use https.`)
  }
  return `${origin}${pathname}`.replace(/\/+$/, "")
}

const KEY = /^[\x21-\x7e]{1,500}$/

/** @throws CommandFailed for a text that cannot be a key, without showing it */
export const checkedKey = (text: string): string => {
  if (!KEY.test(text)) throw new CommandFailed("The key has characters that no key has.")
  return text
}

/** `url` is the command's own option. @throws CommandFailed without a key */
export const readProfile = async (url: string | undefined): Promise<Profile> => {
  const saved = await kept()
  // A key belongs to one server: that of the environment is not sent to the login's server, nor that of the login to another one.
  const base = baseOf(url ?? GIVEN.url ?? (GIVEN.key === undefined ? saved.url : undefined) ?? DEFAULT_URL)
  const key = GIVEN.key ?? (base === saved.url ? saved.key : undefined)
  if (key === undefined) throw new CommandFailed(`There is no key for ${base}: gathercue login, or GATHERCUE_KEY.`)
  return { url: base, key: checkedKey(key) }
}

/** @returns the path of the file */
export const keepProfile = async (profile: Profile): Promise<string> => {
  await mkdir(dirname(file()), { recursive: true, mode: PRIVATE_FOLDER })
  // A new file takes the place of the old one, whose mode may let others read.
  const made = `${file()}.${process.pid}`
  await writeFile(made, `${JSON.stringify(profile)}\n`, { mode: PRIVATE_FILE, flag: "wx" })
  await rename(made, file())
  return file()
}

export const forgetProfile = (): Promise<void> => rm(file(), { force: true })
