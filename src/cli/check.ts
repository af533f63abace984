/** `gathercue check`: tests whether a server would start with this configuration, and all of it would work. It leaves no changes. */
import { ConfigInvalid, checkConfig } from "../config/config.ts"
import { type CheckedPart, checkParts } from "./check-parts.ts"
import { CommandFailed } from "./command-failed.ts"
import { print } from "./terminal.ts"

const configurationPart = (warnings: ReadonlyArray<string>): ReadonlyArray<CheckedPart> => [
  { part: "configuration", state: "ok", text: "can be used" },
  ...warnings.map((text): CheckedPart => ({ part: "configuration", state: "warning", text })),
]

/** @throws ConfigInvalid */
export const checkAll = async (): Promise<ReadonlyArray<CheckedPart>> => {
  const config = checkConfig()
  return [...configurationPart(config.warnings), ...(await checkParts(config))]
}

const COLUMN = 15

const lineOf = ({ part, state, text, remedy }: CheckedPart): string =>
  `${part.padEnd(COLUMN)}${state === "warning" ? "warning: " : ""}${text}${remedy === undefined ? "" : ` ${remedy}`}`

/** `json` prints one object on standard output, even after a failure. @throws ConfigInvalid, CommandFailed */
export const check = async (json: boolean): Promise<void> => {
  const parts = await checkAll().catch((cause: unknown): ReadonlyArray<CheckedPart> => {
    if (!json || !(cause instanceof ConfigInvalid)) throw cause
    return cause.message.split("\n").map((text): CheckedPart => ({ part: "configuration", state: "failed", text }))
  })
  const failures = parts.filter(({ state }) => state === "failed")
  if (json) {
    print(JSON.stringify({ ok: failures.length === 0, parts }, null, 2))
    if (failures.length > 0) process.exitCode = 1
    return
  }
  for (const part of parts) if (part.state !== "failed") print(lineOf(part))
  if (failures.length === 0) return
  throw new CommandFailed(
    failures.map(({ text, remedy }) => (remedy === undefined ? text : `${text} ${remedy}`)).join("\n"),
  )
}
