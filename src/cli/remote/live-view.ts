/** The terminal view of `gathercue live`: lines of text, computed from the state that hosts see. */
import type { Ready } from "../../protocol/ready.ts"
import { shown } from "../terminal.ts"

/** The members of `GET /v1/events/{id}/state` that are shown. */
export type TerminalState = Pick<
  Extract<Ready, { readonly resumed: false }>,
  | "v"
  | "serverTime"
  | "event"
  | "phase"
  | "phases"
  | "timers"
  | "presence"
  | "questions"
  | "moderation"
  | "polls"
  | "handQueue"
  | "lobby"
>

const MOST_QUESTIONS = 8

/** Minutes and seconds of a duration in milliseconds, as "4:31". */
const clockOf = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

type Timer = TerminalState["timers"][number]

const timeOf = ({ state, endsAt, remainingMs = 0, extendedMs }: Timer, now: number): string => {
  const left = state === "paused" ? remainingMs : Date.parse(endsAt) - now
  const extended = extendedMs > 0 ? `, extended by ${clockOf(extendedMs)}` : ""
  return state === "elapsed"
    ? "time is up"
    : `${clockOf(left)} ${state === "paused" ? "left, paused" : "left"}${extended}`
}

const phaseLine = ({ phase, phases, timers }: TerminalState, now: number): string => {
  if (phase === null) return `No phase of ${phases.length} is active.`
  const at = phases.findIndex(({ id }) => id === phase.id)
  const timer = timers.find(({ scope, state }) => scope === "phase" && state !== "cancelled")
  const time = timer === undefined ? "no time limit" : timeOf(timer, now)
  return `Phase ${at + 1} of ${phases.length}: ${phase.modality}, ${time}`
}

const otherTimers = ({ timers }: TerminalState, now: number): ReadonlyArray<string> =>
  timers
    .filter(({ scope, state }) => scope !== "phase" && (state === "running" || state === "paused"))
    .map((timer) => `  ${timer.scope}: ${timeOf(timer, now)}`)

const rolesOf = ({ presence }: TerminalState): ReadonlyArray<readonly [role: string, count: number]> => {
  if (presence.mode === "summary") return Object.entries(presence.byRole).filter(([, count]) => count > 0)
  const counts = new Map<string, number>()
  for (const { role } of presence.list) counts.set(role, (counts.get(role) ?? 0) + 1)
  return [...counts]
}

const peopleLine = (state: TerminalState): string => {
  const roles = rolesOf(state).map(([role, count]) => `${role} ${count}`)
  const more = [
    [state.lobby?.total ?? 0, "waiting"],
    [state.handQueue?.items.length ?? 0, "with a hand up"],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  return [`People: ${state.presence.total}${roles.length === 0 ? "" : ` (${roles.join(", ")})`}`, ...more].join(", ")
}

const questionLines = ({ questions, moderation }: TerminalState): ReadonlyArray<string> => {
  const pending = moderation?.pendingCount ?? 0
  return [
    `Questions: ${questions.top.length}${pending === 0 ? "" : `, and ${pending} to approve`}`,
    ...questions.top
      .slice(0, MOST_QUESTIONS)
      .map(
        ({ votes, text, authorName, status }) =>
          `  ${String(votes).padStart(4)}  ${text} (${authorName ?? "anonymous"}${status === "answered" ? ", answered" : ""})`,
      ),
  ]
}

const pollLines = ({ polls }: TerminalState): ReadonlyArray<string> =>
  polls.filter(({ status }) => status === "open").map(({ question }) => `Open poll: ${question}`)

/** Lines of the view. `now` is the server's time in Unix milliseconds. */
export const terminalLines = (state: TerminalState, now: number): ReadonlyArray<string> =>
  [
    `${state.event.title}  [${state.event.status}]`,
    phaseLine(state, now),
    ...otherTimers(state, now),
    peopleLine(state),
    ...questionLines(state),
    ...pollLines(state),
  ].map(shown)
