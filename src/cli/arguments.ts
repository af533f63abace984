/** What the process is asked to do, from its arguments. Unknown arguments are refused, so that a misspelt option is never ignored. */
import { parseArgs } from "node:util"

/** The arguments cannot be used. The message is one sentence. */
export class ArgumentsInvalid extends Error {
  override readonly name = "ArgumentsInvalid"
}

/** Each command with its line in the help. */
export const COMMANDS = {
  serve: "Run the server. This is what happens without a command too.",
  migrate: "Bring the database to the schema of this build, and say the versions before and after.",
  check: "Try the configuration and each part that a server needs, and change nothing.",
  keys: "Say what in the database each of SECRET_KEY and SECRET_KEYS_OLD still opens.",
  "keys new": "Print a new key.",
  "keys reseal": "Seal with SECRET_KEY all that one of SECRET_KEYS_OLD opens; servers may run meanwhile.",
  "backup <folder>": "Copy the embedded database, the key and the media to a new folder; a server may run meanwhile.",
  promote:
    "Say that the database is the real one and no copy: its servers send what waits. A server may run meanwhile.",
  "restore <folder>": "Put a backup into DATA_DIR, which must have no database.",
} as const
type NameIn<Usage> = Usage extends `${infer Name} <folder>` ? Name : Usage
export type CommandName = NameIn<keyof typeof COMMANDS>

export interface Invocation {
  readonly command: CommandName | "help" | "version"
  /** The folder of a backup; empty for other commands. */
  readonly folder: string
  /** Read in this order; a key that is set already keeps its value. */
  readonly envFiles: ReadonlyArray<string>
  /** The result of a check as JSON. */
  readonly json: boolean
  /** What waited in the original already is not sent. */
  readonly discardWaiting: boolean
  /** A supervisor starts each of its workers so (`WORKER_FLAG`). */
  readonly isWorker: boolean
}

const FOLDER = " <folder>"

/** The command that the words name, and its folder. */
const commandOf = (words: ReadonlyArray<string>): Pick<Invocation, "command" | "folder"> | undefined => {
  if (words.length === 0) return { command: "serve", folder: "" }
  const [first = "", folder = ""] = words
  for (const usage of Object.keys(COMMANDS)) {
    if (words.length === 2 && usage === `${first}${FOLDER}`) return { command: first as CommandName, folder }
    if (!usage.endsWith(FOLDER) && usage === words.join(" ")) return { command: usage as CommandName, folder: "" }
  }
  return undefined
}

const HINT = "gathercue --help lists the commands and options"

const parsed = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
        "env-file": { type: "string", multiple: true },
        json: { type: "boolean" },
        "discard-waiting": { type: "boolean" },
        worker: { type: "boolean" },
      },
    })
  } catch (cause) {
    // Node's own sentence may go on with advice on how to pass such an argument.
    const [sentence = ""] = (cause as Error).message.split(/\. |\n/)
    throw new ArgumentsInvalid(`${sentence.replace(/\.$/, "")}; ${HINT}.`)
  }
}

/** `args`: without the programs of node and of this file. @throws ArgumentsInvalid */
export const readArguments = (args: ReadonlyArray<string>): Invocation => {
  const { values, positionals } = parsed(args)
  const json = values.json === true
  const discardWaiting = values["discard-waiting"] === true
  const isWorker = values.worker === true
  const common = { folder: "", envFiles: values["env-file"] ?? [], json, discardWaiting, isWorker }
  if (values.help === true) return { ...common, command: "help" }
  if (values.version === true) return { ...common, command: "version" }
  const named = commandOf(positionals)
  const [first = ""] = positionals
  if (named === undefined && positionals.length === 1 && Object.hasOwn(COMMANDS, `${first}${FOLDER}`)) {
    throw new ArgumentsInvalid(`"${first}" needs a folder: gathercue ${first}${FOLDER}.`)
  }
  if (named === undefined) throw new ArgumentsInvalid(`"${positionals.join(" ")}" is no command; ${HINT}.`)
  if (json && named.command !== "check") throw new ArgumentsInvalid(`--json is an option of check alone; ${HINT}.`)
  if (discardWaiting && named.command !== "promote") {
    throw new ArgumentsInvalid(`--discard-waiting is an option of promote alone; ${HINT}.`)
  }
  return { ...common, ...named }
}
