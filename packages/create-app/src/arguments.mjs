/** Parser of the command line, with its refusals. */
import { existsSync } from "node:fs"
import { basename, resolve } from "node:path"
import { parseArgs } from "node:util"

/** Shown as it is, without a stack. */
export class Refused extends Error {
  /** @override */
  name = "Refused"
}

/**
 * @typedef {object} Asked
 * @property {boolean} help
 * @property {boolean} version
 * @property {string} folder absolute
 * @property {string} url of the server, without a slash at its end
 * @property {string | undefined} client what npm installs as `@gathercue/client`; the template's version if absent
 */

const DEFAULT_URL = "http://127.0.0.1:8080"

export const USAGE = `Makes a page with Vite, React and TypeScript that joins a live event of Gathercue.

  create-gathercue-app <folder> [--url <address>] [--client <version or tarball>]

  <folder>    new or empty; its last part is the name of the package
  --url       address of the server; default ${DEFAULT_URL}
  --client    what is installed as @gathercue/client: a version, or a tarball (a path, or an address)
  --help      prints this
  --version   prints the version`

/** A name that npm accepts for a new package. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/
const RESERVED = ["node_modules", "favicon.ico"]
const VERSION = /^[\^~]?\d+\.\d+\.\d+(?:-[\w.]+)?$/

/** @param {string} name */
const checkName = (name) => {
  if (NAME.test(name) && !RESERVED.includes(name)) return
  throw new Refused(
    `"${name}" cannot be the name of a package. Name the folder with lower-case letters, digits, "-", "_" and ".", beginning with a letter or a digit.`,
  )
}

/** @param {string} given */
const addressOf = (given) => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Refused(`"${given}" is no address of a server. It looks like https://events.example.com.`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

/** @param {string | undefined} given @param {string} cwd */
const clientOf = (given, cwd) => {
  if (given === undefined || VERSION.test(given) || /^https?:\/\/\S+$/.test(given)) return given
  const file = resolve(cwd, given)
  if (!existsSync(file)) throw new Refused(`--client: "${given}" is no version, and there is no such file.`)
  return `file:${file}`
}

/** @param {string[]} args */
const parse = (args) => {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        url: { type: "string", default: DEFAULT_URL },
        client: { type: "string" },
        help: { type: "boolean", default: false },
        version: { type: "boolean", default: false },
      },
    })
  } catch (cause) {
    throw new Refused(`${cause instanceof Error ? cause.message : cause}\n\n${USAGE}`)
  }
}

/** @param {string[]} args @param {string} cwd @returns {Asked} */
export const readArguments = (args, cwd) => {
  const { values, positionals } = parse(args)
  const { help, version } = values
  const [given = ".", ...more] = positionals
  const folder = resolve(cwd, given)
  if (!(help || version)) {
    if (positionals.length === 0) throw new Refused(`Name the folder of the new project.\n\n${USAGE}`)
    if (more.length > 0) throw new Refused(`One folder is enough: "${more.join(" ")}" is not understood.`)
    checkName(basename(folder))
  }
  return { help, version, folder, url: addressOf(values.url), client: clientOf(values.client, cwd) }
}
