/**
 * `gathercue live`: shows a live event as its hosts see it, and sends their commands. A terminal is drawn anew each second; a pipe gets a
 * text, or with `--json` a line of JSON, for each new version of the event, until the event has ended.
 */
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { emitKeypressEvents } from "node:readline"
import { createInterface } from "node:readline/promises"
import { setTimeout as pause } from "node:timers/promises"
import { print, shown, shownJson } from "../terminal.ts"
import type { RemoteInvocation } from "./arguments.ts"
import { type TerminalState, terminalLines } from "./live-view.ts"
import type { Profile } from "./profile.ts"
import { callRest, NotAnswered } from "./rest.ts"

const EVERY_MS = 1_000
/** Maximum number of lines of a refusal: its reason, and then one fault of the data on each line. */
const MOST_NOTES = 5
/** Signals that end the view as its user does, so that the terminal is restored. */
const ENDING = ["SIGTERM", "SIGHUP"] as const
const HELP = "t: send a command   q: quit"
const PROMPT = 'Command, with its data as JSON (phase.next, or announce {"text":"Welcome"}): '

/** The alternate screen keeps what the terminal showed before. */
const SCREEN = { open: "\x1b[?1049h", close: "\x1b[?1049l", clear: "\x1b[H\x1b[2J" }

const pathOf = (target: string): string => `/v1/events/${encodeURIComponent(target)}`

const stateOf = async (profile: Profile, target: string): Promise<TerminalState> =>
  (await callRest(profile, "GET", `${pathOf(target)}/state`)) as unknown as TerminalState

/** Sends a command as it was typed. Resolves to a sentence about the outcome, also for a refusal. */
const act = async (profile: Profile, target: string, typed: string): Promise<string> => {
  const [t = "", ...data] = typed.trim().split(" ")
  if (t === "") return "Nothing was sent."
  const text = data.join(" ").trim()
  let d: unknown
  try {
    d = text === "" ? undefined : JSON.parse(text)
  } catch {
    return `Nothing was sent: ${shown(text)} is not JSON.`
  }
  return callRest(profile, "POST", `${pathOf(target)}/commands`, { id: randomUUID(), t, d }).then(
    () => `${shown(t)} was executed.`,
    (cause: Error) => cause.message,
  )
}

const follow = async (profile: Profile, { target, json }: RemoteInvocation): Promise<void> => {
  for (let version: number | undefined; ; await pause(EVERY_MS)) {
    const state = await stateOf(profile, target).catch((cause: Error) => {
      if (version === undefined || !(cause instanceof NotAnswered)) throw cause
      process.stderr.write(`${cause.message}\n`)
      return undefined
    })
    if (state === undefined || state.v === version) continue
    version = state.v
    for (const line of json ? [shownJson(state)] : [...terminalLines(state, state.serverTime), ""]) print(line)
    if (state.event.status === "ended") return
  }
}

/** The screen of a terminal: what it shows, and the keys. */
class LiveScreen {
  readonly #profile: Profile
  readonly #target: string
  #state: TerminalState
  /** `performance.now()` when the state came. */
  #cameAt = performance.now()
  /** Outcome of the last command. */
  #note = ""
  /** Reason why the last read failed. */
  #trouble = ""
  #isAsking = false

  constructor(profile: Profile, target: string, state: TerminalState) {
    this.#profile = profile
    this.#target = target
    this.#state = state
  }

  /** Runs until the person quits. */
  async run(): Promise<void> {
    const { stdin, stdout } = process
    const stopped = new AbortController()
    const stop = (): void => stopped.abort()
    const onKey = (_text: string | undefined, key: { readonly name?: string; readonly ctrl?: boolean }): void => {
      if (this.#isAsking) return
      if (key.name === "q" || (key.ctrl === true && key.name === "c")) stop()
      else if (key.name === "t") void this.#ask()
    }
    const draw = (): void => this.#draw()
    emitKeypressEvents(stdin)
    stdin.setRawMode(true).on("keypress", onKey).resume()
    stdout.write(SCREEN.open)
    stdout.on("resize", draw)
    for (const signal of ENDING) process.once(signal, stop)
    const drawing = setInterval(draw, EVERY_MS)
    draw()
    try {
      // A person who quits does not wait for an answer.
      await Promise.race([this.#follow(), once(stopped.signal, "abort")])
    } finally {
      clearInterval(drawing)
      stdout.off("resize", draw).write(SCREEN.close)
      stdin.setRawMode(false).off("keypress", onKey).pause()
    }
  }

  async #follow(): Promise<never> {
    while (true) {
      await pause(EVERY_MS)
      try {
        this.#state = await stateOf(this.#profile, this.#target)
        this.#cameAt = performance.now()
        this.#trouble = ""
      } catch (cause) {
        this.#trouble = (cause as Error).message
      }
    }
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    try {
      process.stdout.write("\n")
      const stopped = new AbortController()
      // Ctrl-C takes back the question, not the view.
      lines.once("SIGINT", () => stopped.abort())
      const typed = await lines.question(PROMPT, { signal: stopped.signal }).catch(() => "")
      this.#note = await act(this.#profile, this.#target, typed)
    } finally {
      lines.close()
      process.stdin.setRawMode(true).resume()
      this.#isAsking = false
      this.#draw()
    }
  }

  #draw(): void {
    if (this.#isAsking) return
    const now = this.#state.serverTime + performance.now() - this.#cameAt
    // A terminal that does not know its size says 0.
    const [columns, rows] = [process.stdout.columns || 80, process.stdout.rows || 24]
    const below = ["", ...(this.#trouble || this.#note).split("\n").slice(0, MOST_NOTES), HELP]
    const lines = [...terminalLines(this.#state, now).slice(0, Math.max(1, rows - below.length - 1)), ...below]
    process.stdout.write(SCREEN.clear + lines.map((line) => line.slice(0, columns)).join("\n"))
  }
}

/** @throws CommandFailed for a refused key or an event that is not there */
export const showLive = async (profile: Profile, asked: RemoteInvocation): Promise<void> => {
  if (asked.json || !process.stdout.isTTY || !process.stdin.isTTY) return follow(profile, asked)
  const { target } = asked
  await new LiveScreen(profile, target, await stateOf(profile, target)).run()
  // A pending read would keep the process running.
  process.exit(0)
}
