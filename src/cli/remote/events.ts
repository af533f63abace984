/** `gathercue events`: lists, creates, copies and drives events. */
import { readFile } from "node:fs/promises"
import { CommandFailed } from "../command-failed.ts"
import { print, shown, shownJson } from "../terminal.ts"
import type { RemoteInvocation } from "./arguments.ts"
import type { Profile } from "./profile.ts"
import { callRest } from "./rest.ts"

interface Shown {
  readonly id: string
  readonly status: string
  readonly title: string
  readonly scheduledAt: string | null
  /** Absent in answers of servers before cancellations. */
  readonly cancelledAt?: string | null
}

const lineOf = ({ id, status, title, scheduledAt, cancelledAt = null }: Shown): string =>
  shown(
    [
      id,
      (cancelledAt === null ? status : "cancelled").padEnd(9),
      (scheduledAt ?? "no time yet").padEnd(24),
      title,
    ].join("  "),
  )

const show = (json: boolean, answer: object, lines: ReadonlyArray<string>): void => {
  if (json) print(shownJson(answer))
  else for (const line of lines) print(line)
}

export const listEvents = async (profile: Profile, { texts, json }: RemoteInvocation): Promise<void> => {
  const { after, ...filters } = texts
  const query = new URLSearchParams({ ...filters, ...(after === undefined ? {} : { cursor: after }) })
  const answer = await callRest(profile, "GET", `/v1/events?${query}`)
  const events = answer["events"] as ReadonlyArray<Shown>
  show(json, answer, events.length === 0 ? ["There are no events."] : events.map(lineOf))
  if (!json && answer["nextCursor"] != null)
    process.stderr.write("There are more: use --after, or a filter such as --status.\n")
}

const phaseOf = (text: string): object => {
  const [modality = "", seconds, ...more] = text.split(":")
  if (seconds === undefined) return { modality }
  if (!/^\d{1,6}$/.test(seconds) || more.length > 0)
    throw new CommandFailed(`"${text}" is no phase: write modality or modality:seconds.`)
  return { modality, config: { durationSeconds: Number(seconds) } }
}

const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const contentOf = async (path: string): Promise<unknown> => {
  const text = await (path === "-" ? readInput() : readFile(path, "utf8")).catch((cause: unknown) => {
    throw new CommandFailed(`The file ${path} cannot be read (${(cause as Error).message}).`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailed(`The file ${path} is not JSON.`)
  }
}

export const createEvent = async (profile: Profile, { texts, lists, json }: RemoteInvocation): Promise<void> => {
  const { title, type = "webinar", at, "time-zone": timeZone, language, file } = texts
  if (file === undefined && title === undefined) throw new CommandFailed("An event needs a --title, or a --file.")
  const content = file === undefined ? {} : await contentOf(file)
  const options = {
    ...(title === undefined ? {} : { title }),
    ...(file === undefined || texts["type"] !== undefined ? { type } : {}),
    ...(at === undefined ? {} : { scheduledAt: at }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(language === undefined ? {} : { language }),
    ...(lists["phase"] === undefined ? {} : { phases: lists["phase"].map(phaseOf) }),
  }
  const created = await callRest(profile, "POST", "/v1/events", { ...(content as object), ...options })
  show(json, created, [lineOf(created as unknown as Shown)])
}

export const cloneEvent = async (profile: Profile, { target, texts, json }: RemoteInvocation): Promise<void> => {
  const { title, "scheduled-at": scheduledAt } = texts
  const body = {
    ...(title === undefined ? {} : { title }),
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
  }
  const copy = await callRest(profile, "POST", `/v1/events/${encodeURIComponent(target)}/clone`, body)
  show(json, copy, [lineOf(copy as unknown as Shown)])
}

const STEPS = {
  publish: "publish",
  start: "start",
  next: "advance",
  end: "end",
  cancel: "cancel",
  reinstate: "reinstate",
} as const

export const driveEvent = async (
  profile: Profile,
  step: keyof typeof STEPS,
  { target, texts: { reason }, json }: RemoteInvocation,
): Promise<void> => {
  const path = `/v1/events/${encodeURIComponent(target)}`
  const answer = await callRest(
    profile,
    "POST",
    `${path}/${STEPS[step]}`,
    reason === undefined ? undefined : { reason },
  )
  const phases = (answer["phases"] ?? []) as ReadonlyArray<{ readonly status: string; readonly modality: string }>
  const active = phases.findIndex(({ status }) => status === "active")
  const phase =
    phases[active] === undefined ? [] : [shown(`Phase ${active + 1} of ${phases.length}: ${phases[active].modality}`)]
  show(json, answer, [lineOf(answer as unknown as Shown), ...phase])
}
