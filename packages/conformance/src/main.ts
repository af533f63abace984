#!/usr/bin/env node
/** The command: checks a client by its adapter, or a running server by its address, and prints a line for each promise. */
import { parseArgs } from "node:util"
import { checkClient } from "./check-client.ts"
import { checkServer } from "./check-server.ts"
import { isKept, textOfReport } from "./report.ts"

const USAGE = `gathercue-conformance client [options] -- <adapter> [arguments]
  Starts the adapter of a client and plays the vectors with it.
gathercue-conformance server --url <address> --key <API key> [options]
  Makes events in the workspace of the key and drives sockets and streams.

  --json                  print the report as JSON
  --patience <seconds>    how long to wait for what must come (default 60)
  --only <promises>       check these alone, by their names and separated by commas
  --jobs <number>         adapters or checks that run side by side (default 4)
  --drain <command>       server: a shell command that stops the server in order; without it \`drain\` is skipped
Exit code: 0 when every promise is kept, 1 when one is broken, 2 when nothing could be checked.
`

const OPTIONS = {
  url: { type: "string" },
  key: { type: "string" },
  drain: { type: "string" },
  only: { type: "string" },
  patience: { type: "string", default: "60" },
  jobs: { type: "string", default: "4" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const

const numberOf = (option: string, text: string, most: number): number => {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= most) return Number(text)
  throw new Error(`--${option} takes an integer from 1 to ${most}.`)
}

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [kind, ...command] = positionals
  const patienceMs = numberOf("patience", values.patience, 3600) * 1000
  const only = values.only?.split(",")
  const common = { patienceMs, jobs: numberOf("jobs", values.jobs, 64), ...(only && { only }) }
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const { url, key, drain } = values
  let report: Awaited<ReturnType<typeof checkServer>> | undefined
  if (kind === "client" && command.length > 0) report = await checkClient({ command, ...common })
  else if (kind === "server" && url !== undefined && key !== undefined)
    report = await checkServer({ url, key, ...(drain && { drain }), ...common })
  if (report === undefined) {
    process.stderr.write(USAGE)
    return 2
  }
  process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : textOfReport(report)}\n`)
  return isKept(report) ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : cause}\n`)
  process.exitCode = 2
}
