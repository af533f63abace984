/** Help of the command: its abilities, and every configuration key. */
import { CONFIG_KEYS } from "../config/keys.ts"
import { CLI_COMMANDS } from "./arguments.ts"
import { REMOTE_COMMANDS } from "./remote/arguments.ts"

const columns = (rows: ReadonlyArray<readonly [string, string]>): string =>
  rows.map(([name, doc]) => `  ${name.padEnd(18)} ${doc}`).join("\n")

export const configHelp = (): string =>
  CONFIG_KEYS.map(({ name, fallback, doc }) => `  ${name} (${fallback})\n      ${doc.replaceAll("`", "")}`).join("\n")

export const helpText = (): string => `Gathercue runs live events: a REST API, a WebSocket gateway and signed webhooks.

Usage: gathercue [command] [options]

Commands:
${columns(Object.entries(CLI_COMMANDS))}

Commands to a server by an API key (gathercue login, or GATHERCUE_URL and GATHERCUE_KEY; --url, and --json for the answers):
${columns(Object.entries(REMOTE_COMMANDS).map(([name, { doc, ...usage }]) => ["takes" in usage ? `${name} <event>` : name, doc]))}

Options:
${columns([
  [
    "--env-file <path>",
    "Read keys from a file, for those that the environment does not set. May be given several times.",
  ],
  ["--json", "With check and inspect: the result as JSON."],
  ["--log <path>", "With doctor: a file of the log, whose last lines are put in."],
  ["--to <target>", "With backup: the folder or s3:// place."],
  ["--verify", "With backup: the newest backup of the place is restored to a folder for that alone, and read."],
  ["--discard-waiting", "With promote: what waited in the original already is not sent."],
  ["-h, --help", "Print this."],
  ["-v, --version", "Print the version."],
])}

Exit codes: 0 done or stopped in order, 1 refused or failed.

It is configured by the environment. Each key with its default:

${configHelp()}`
