/** Commands to any server by an API key, with their arguments. Unknown arguments are refused. */
import { parseArgs } from "node:util"
import { ArgumentsInvalid } from "../arguments.ts"

const TEXT = { type: "string" } as const
const LIST = { type: "string", multiple: true } as const
const FLAG = { type: "boolean" } as const

interface Usage {
  /** Positional argument of the command: the id of an event, or none. */
  readonly takes?: "event"
  readonly doc: string
  /** Options beside `--url` and `--json`. */
  readonly options: { readonly [name: string]: typeof TEXT | typeof LIST | typeof FLAG }
}

const ONE_EVENT = { takes: "event", options: {} } as const

/** Commands with their lines in the help. */
export const REMOTE_COMMANDS = {
  login: {
    doc: "Keep the address of a server and an API key, read from the input, for the commands below.",
    options: {},
  },
  logout: { doc: "Forget the address and the key.", options: {} },
  "events list": {
    doc: "List events, the newest first (--q, --status, --type, --from, --to, --limit, --after <nextCursor>).",
    options: { q: TEXT, status: TEXT, type: TEXT, from: TEXT, to: TEXT, limit: TEXT, after: TEXT },
  },
  "events create": {
    doc: "Create an event from --title, --type, --at, --time-zone, --language and --phase modality[:seconds], or from a --file of JSON.",
    options: { title: TEXT, type: TEXT, at: TEXT, "time-zone": TEXT, language: TEXT, phase: LIST, file: TEXT },
  },
  "events clone": {
    takes: "event",
    doc: "Copy an event as a new draft, with the --title and the --scheduled-at that are given.",
    options: { title: TEXT, "scheduled-at": TEXT },
  },
  "events publish": { ...ONE_EVENT, doc: "Publish an event." },
  "events start": { ...ONE_EVENT, doc: "Begin an event with its first phase." },
  "events next": { ...ONE_EVENT, doc: "Begin an event's next phase." },
  "events end": { ...ONE_EVENT, doc: "End an event." },
  "events cancel": {
    takes: "event",
    doc: "Cancel an event before its start, and tell its people the --reason.",
    options: { reason: TEXT },
  },
  "events reinstate": { ...ONE_EVENT, doc: "Take a cancellation back." },
  live: {
    ...ONE_EVENT,
    doc: "Watch a live event, and send commands to it (a pipe gets each new version, with --json as JSON).",
  },
  "webhooks listen": {
    doc: "Print what webhooks would report from now on, and with --forward <url> deliver it there, signed (--type for some types only).",
    options: { forward: TEXT, type: LIST },
  },
  mcp: {
    doc: "Serve an agent over the program's input and output, by the Model Context Protocol; with --write it may also change things.",
    options: { write: FLAG },
  },
  completion: { doc: 'Print the completion for bash: eval "$(gathercue completion)".', options: {} },
} as const satisfies { readonly [name: string]: Usage }
export type RemoteCommand = keyof typeof REMOTE_COMMANDS

export interface RemoteInvocation {
  readonly command: RemoteCommand
  /** Id of the event; empty for a command that takes none. */
  readonly target: string
  readonly url: string | undefined
  readonly json: boolean
  readonly write: boolean
  readonly texts: { readonly [option: string]: string | undefined }
  readonly lists: { readonly [option: string]: ReadonlyArray<string> | undefined }
}

const FAMILIES: ReadonlySet<string> = new Set(Object.keys(REMOTE_COMMANDS).map((name) => name.split(" ")[0] ?? ""))

/** Whether the arguments name a command of this table. */
export const isRemote = (args: ReadonlyArray<string>): boolean => FAMILIES.has(args[0] ?? "")

const HINT = "gathercue --help lists the commands and options"

const isCommand = (name: string): name is RemoteCommand => Object.hasOwn(REMOTE_COMMANDS, name)

const commandOf = (args: ReadonlyArray<string>): RemoteCommand => {
  const [first = "", second = ""] = args
  const name = isCommand(first) ? first : `${first} ${second}`
  if (isCommand(name)) return name
  const known = Object.keys(REMOTE_COMMANDS).filter((one) => one.startsWith(`${first} `))
  throw new ArgumentsInvalid(`"${name.trim()}" is no command; there are ${known.join(", ")}.`)
}

/** @throws ArgumentsInvalid */
export const readRemoteArguments = (args: ReadonlyArray<string>): RemoteInvocation => {
  const command = commandOf(args)
  const usage: Usage = REMOTE_COMMANDS[command]
  const rest = args.slice(command.split(" ").length)
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      strict: true,
      allowPositionals: true,
      options: { url: TEXT, json: FLAG, ...usage.options },
    })
    const [target = "", ...more] = positionals
    if (usage.takes === undefined && positionals.length > 0) throw new Error(`"${command}" takes no "${target}"`)
    if (usage.takes === "event" && target === "") throw new Error(`"${command}" needs the id of an event`)
    if (more.length > 0) throw new Error(`"${command}" takes one event`)
    const given = Object.entries(values)
    return {
      command,
      target,
      url: values.url,
      json: values.json === true,
      write: given.some(([name, value]) => name === "write" && value === true),
      texts: Object.fromEntries(given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))),
      lists: Object.fromEntries(
        given.flatMap(([name, value]) => (Array.isArray(value) ? [[name, value.map(String)]] : [])),
      ),
    }
  } catch (cause) {
    const [sentence = ""] = (cause as Error).message.split(/\. |\n/)
    throw new ArgumentsInvalid(`${sentence.replace(/\.$/, "")}; ${HINT}.`)
  }
}
