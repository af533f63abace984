/** `gathercue completion`: words of the command line for bash. */
import { CLI_COMMANDS } from "../arguments.ts"
import { REMOTE_COMMANDS, type RemoteCommand } from "./arguments.ts"

const NAMES = [
  ...Object.keys(CLI_COMMANDS).map((usage) => usage.replace(/ [<[].*$/, "")),
  ...Object.keys(REMOTE_COMMANDS),
]

const firstWords = [...new Set(NAMES.map((name) => name.split(" ")[0]))]
const secondWords = (first: string): ReadonlyArray<string> =>
  NAMES.flatMap((name) => (name.startsWith(`${first} `) ? (name.split(" ")[1] ?? []) : []))
const optionsOf = (command: RemoteCommand): ReadonlyArray<string> =>
  ["url", "json", ...Object.keys(REMOTE_COMMANDS[command].options)].map((name) => `--${name}`)

export const bashCompletion = (): string => {
  const families = firstWords.flatMap((first = "") => {
    const words = secondWords(first)
    return words.length === 0 ? [] : `    ${first}) words="${words.join(" ")}" ;;`
  })
  const options = (Object.keys(REMOTE_COMMANDS) as ReadonlyArray<RemoteCommand>).map(
    (command) => `    "${command}"*) words="${optionsOf(command).join(" ")}" ;;`,
  )
  return `_gathercue() {
  local words="" line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  if [ "$COMP_CWORD" -eq 1 ]; then words="${firstWords.join(" ")} --help --version"
  elif [[ "\${COMP_WORDS[COMP_CWORD]}" == -* ]]; then case "$line" in
${options.join("\n")}
  esac
  elif [ "$COMP_CWORD" -eq 2 ]; then case "$line" in
${families.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _gathercue gathercue`
}
