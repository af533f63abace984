/** Strangers: wrong passwords at an even pace from many addresses, and requests from addresses that are never the same. */
import { answerParent } from "../support/child.ts"
import { sleep } from "../support/figures.ts"
import { addressOf, emptyLoginRequest, Line, loginRequest } from "./line.ts"

export interface Flood {
  readonly port: number
  readonly perSecond: number
  readonly addresses: number
  readonly emails: ReadonlyArray<string>
}

export interface Flooded {
  readonly sent: number
  readonly seconds: number
  /** Answers by status. */
  readonly answers: { readonly [status: string]: number }
}

export interface Sweep {
  readonly port: number
  readonly addresses: number
}

/** More connections than requests can be in flight at once: those that are hashed wait for two seconds at most. */
const MOST_LINES = 3_000
const SWEEP_LINES = 32

class Tally {
  readonly answers: { [status: string]: number } = {}

  count(status: number): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1
  }
}

let isOver = false
let flooding: Promise<Flooded> | undefined

const flood = async ({ port, perSecond, addresses, emails }: Flood): Promise<Flooded> => {
  const tally = new Tally()
  const idle: Line[] = []
  let lines = 0
  let sent = 0
  const send = async (): Promise<void> => {
    const n = sent++
    let free = idle.pop()
    while (free?.isOpen === false) {
      lines--
      free = idle.pop()
    }
    if (free === undefined && lines === MOST_LINES) throw new Error("more requests are in flight than can be")
    if (free === undefined) lines++
    const line = free ?? (await Line.open(port))
    const email = emails[n % emails.length] ?? ""
    const { status } = await line.ask(loginRequest(addressOf(n % addresses), email, "a wrong password"))
    tally.count(status)
    idle.push(line)
  }
  const startedAt = performance.now()
  const pending = new Set<Promise<void>>()
  while (!isOver) {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
    while (sent < due) {
      const one: Promise<void> = send().finally(() => pending.delete(one))
      pending.add(one)
    }
    await sleep(5)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await Promise.all(pending)
  for (const line of idle) line.close()
  return { sent, seconds, answers: tally.answers }
}

/** A request each from so many addresses; what it asks for is refused before any hashing, and counted before that. */
const sweep = async ({ port, addresses }: Sweep): Promise<Flooded> => {
  const tally = new Tally()
  let sent = 0
  const startedAt = performance.now()
  const drive = async (): Promise<void> => {
    const line = await Line.open(port)
    while (sent < addresses) {
      const { status } = await line.ask(emptyLoginRequest(addressOf(sent++)))
      tally.count(status)
    }
    line.close()
  }
  await Promise.all(Array.from({ length: SWEEP_LINES }, drive))
  return { sent, seconds: (performance.now() - startedAt) / 1000, answers: tally.answers }
}

answerParent({
  flood: (options: Flood) => {
    isOver = false
    flooding = flood(options)
  },
  end: () => {
    isOver = true
    return flooding
  },
  sweep,
})
