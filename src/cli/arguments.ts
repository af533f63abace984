/** Command of the process, from its arguments. Unknown arguments are refused, so that a misspelt option is never ignored. */
import { parseArgs } from "node:util"

/** Thrown for unusable arguments. The message is one sentence. */
export class ArgumentsInvalid extends Error {
  override readonly name = "ArgumentsInvalid"
}

/** Commands with their lines in the help. */
export const CLI_COMMANDS = {
  serve: "Run the server. This is what happens without a command too.",
  migrate: "Bring the database to the schema of this build, and say the versions before and after.",
  check: "Try the configuration and each part that a server needs, and change nothing.",
  "doctor [target]":
    "Write one file with settings (secrets masked), the result of check, and the state of database, disk and server, for somebody who helps.",
  keys: "Say what in the database each of SECRET_KEY and SECRET_KEYS_OLD still opens.",
  "keys new": "Print a new key.",
  "keys reseal": "Seal with SECRET_KEY all that one of SECRET_KEYS_OLD opens; servers may run meanwhile.",
  "backup [target]":
    "Copy the embedded database, the key and the media to a new folder, or to s3://bucket/prefix (by default BACKUP_TO); a server may run meanwhile.",
  "inspect <event>":
    "Print the states of an event's chart, what it waits for and its last transitions, from the server that runs on this machine, with PLATFORM_KEY.",
  promote:
    "Say that the database is the real one and no copy: its servers send what waits. A server may run meanwhile.",
  "restore <target>": "Put a backup from a folder or s3:// into DATA_DIR, which must have no database.",
} as const
type NameIn<Usage> = Usage extends `${infer Name} ${"<target>" | "[target]" | "<event>"}` ? Name : Usage
type CommandName = NameIn<keyof typeof CLI_COMMANDS>

export interface Invocation {
  readonly command: CommandName | "help" | "version"
  /** Location of a backup, or id of an event; empty without one. */
  readonly target: string
  /** Whether a backup is tested instead of made. */
  readonly verify: boolean
  /** Files read in this order; a key that is already set keeps its value. */
  readonly envFiles: ReadonlyArray<string>
  /** Whether the result is JSON. */
  readonly json: boolean
  /** A log file whose end is included in the output of `doctor`; empty without one. */
  readonly log: string
  /** Whether to drop what already waited in the original. */
  readonly discardWaiting: boolean
  /** Whether a supervisor started this process as a worker (`WORKER_FLAG`). */
  readonly isWorker: boolean
}

const TARGET = / (?:<(?:target|event)>|(\[target\]))$/

/** Command named by the words, and its target. */
const commandOf = (words: ReadonlyArray<string>): Pick<Invocation, "command" | "target"> | undefined => {
  if (words.length === 0) return { command: "serve", target: "" }
  const [first = "", target = ""] = words
  for (const usage of Object.keys(CLI_COMMANDS)) {
    const command = usage.replace(TARGET, "") as CommandName
    const [takes, isOptional] = TARGET.exec(usage) ?? []
    if (takes === undefined && command === words.join(" ")) return { command, target: "" }
    const isComplete = words.length === 2 || (words.length === 1 && isOptional !== undefined)
    if (takes !== undefined && command === first && isComplete) return { command, target }
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
        log: { type: "string" },
        "discard-waiting": { type: "boolean" },
        to: { type: "string" },
        verify: { type: "boolean" },
        worker: { type: "boolean" },
      },
    })
  } catch (cause) {
    // Node's own sentence may continue with advice on how to pass such an argument.
    const [sentence = ""] = (cause as Error).message.split(/\. |\n/)
    throw new ArgumentsInvalid(`${sentence.replace(/\.$/, "")}; ${HINT}.`)
  }
}

/** `args` excludes the paths of node and of this file. @throws ArgumentsInvalid */
export const readArguments = (args: ReadonlyArray<string>): Invocation => {
  const { values, positionals } = parsed(args)
  const {
    json = false,
    log = "",
    verify = false,
    to,
    "discard-waiting": discardWaiting = false,
    worker = false,
  } = values
  const envFiles = values["env-file"] ?? []
  const common = { target: "", envFiles, json, log, verify, discardWaiting, isWorker: worker }
  if (values.help === true) return { ...common, command: "help" }
  if (values.version === true) return { ...common, command: "version" }
  const words = to === undefined ? positionals : [...positionals, to]
  const named = commandOf(words)
  const [first = ""] = words
  if (named === undefined && words.length === 1 && Object.hasOwn(CLI_COMMANDS, `${first} <target>`)) {
    throw new ArgumentsInvalid(`"${first}" needs a folder or s3:// place: gathercue ${first} <target>.`)
  }
  if (named === undefined && words.length === 1 && Object.hasOwn(CLI_COMMANDS, `${first} <event>`)) {
    throw new ArgumentsInvalid(`"${first}" needs the id of an event: gathercue ${first} <event>.`)
  }
  if (named === undefined) throw new ArgumentsInvalid(`"${words.join(" ")}" is no command; ${HINT}.`)
  for (const [option, isGiven, ...commands] of [
    ["--json", json, "check", "inspect"],
    ["--log", log !== "", "doctor"],
    ["--discard-waiting", discardWaiting, "promote"],
    ["--to", to !== undefined, "backup"],
    ["--verify", verify, "backup"],
  ] as const) {
    if (isGiven && !commands.some((command) => command === named.command)) {
      throw new ArgumentsInvalid(`${option} is an option of ${commands.join(" and ")} alone; ${HINT}.`)
    }
  }
  return { ...common, ...named }
}
