/** Runs a command to a server, which may be another machine's. */
import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { CommandFailed } from "../command-failed.ts"
import { print, shownJson } from "../terminal.ts"
import { type RemoteInvocation, readRemoteArguments } from "./arguments.ts"
import { bashCompletion } from "./completion.ts"
import { cloneEvent, createEvent, driveEvent, listEvents } from "./events.ts"
import { checkTypes, listen } from "./listen.ts"
import { showLive } from "./live.ts"
import { serveAgents } from "./mcp.ts"
import { baseOf, checkedKey, DEFAULT_URL, forgetProfile, GIVEN, keepProfile, readProfile } from "./profile.ts"
import { callRest } from "./rest.ts"

/** Reads a line without showing it. */
const readSecret = async (question: string): Promise<string> => {
  if (process.stdin.isTTY) process.stderr.write(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: process.stdin.isTTY })
  try {
    for await (const line of lines) return line.trim()
    return ""
  } finally {
    lines.close()
    if (process.stdin.isTTY) process.stderr.write("\n")
  }
}

const login = async ({ url, json }: RemoteInvocation): Promise<void> => {
  const base = baseOf(url ?? GIVEN.url ?? DEFAULT_URL)
  const key = checkedKey(await readSecret(`API key for ${base}: `))
  const { events } = await callRest({ url: base, key }, "GET", "/v1/events?limit=1")
  if (!Array.isArray(events)) throw new CommandFailed(`${base} is no Gathercue server.`)
  const file = await keepProfile({ url: base, key })
  print(json ? shownJson({ url: base, file }) : `The key works and is kept in ${file}.`)
}

const run = async (asked: RemoteInvocation): Promise<void> => {
  switch (asked.command) {
    case "completion":
      return print(bashCompletion())
    case "login":
      return login(asked)
    case "logout":
      return forgetProfile()
    default:
  }
  const profile = await readProfile(asked.url)
  switch (asked.command) {
    case "events list":
      return listEvents(profile, asked)
    case "events create":
      return createEvent(profile, asked)
    case "events clone":
      return cloneEvent(profile, asked)
    case "events publish":
      return driveEvent(profile, "publish", asked)
    case "events start":
      return driveEvent(profile, "start", asked)
    case "events next":
      return driveEvent(profile, "next", asked)
    case "events end":
      return driveEvent(profile, "end", asked)
    case "events cancel":
      return driveEvent(profile, "cancel", asked)
    case "events reinstate":
      return driveEvent(profile, "reinstate", asked)
    case "live":
      return showLive(profile, asked)
    case "mcp":
      return serveAgents(profile, asked.write)
    case "webhooks listen":
      if (asked.lists["type"] !== undefined) await checkTypes(profile, asked.lists["type"])
      return listen(profile, asked)
  }
}

export const runRemote = (args: ReadonlyArray<string>): Promise<void> => {
  // The reader of a pipe, such as head, may have enough.
  process.stdout.on("error", (cause: NodeJS.ErrnoException) => process.exit(cause.code === "EPIPE" ? 0 : 1))
  return run(readRemoteArguments(args))
}
