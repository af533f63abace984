/** Watches `/readyz`: it must not say that the server is ready while nothing can be committed. */
import { sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"

/** Long enough for a server on an idle machine to notice; a healthy one commits several probes a second. */
const UNSERVED_MS = 8_000
/** A machine that others keep busy is slow to recover as it is slow to start: twice the time of a start there. */
const STARTS = 2
const EVERY_MS = 500
/** A server that is back says so a moment before the next command is committed. */
const GRACE_MS = 2_000

interface Watched {
  readonly url: string
  /** When a command was last committed that the server at the address must answer for; Unix milliseconds. */
  readonly lastServedAt: () => number
  /** How long a server took to start on this machine, milliseconds. */
  readonly startedInMs: number
}

export const watchReadiness = (
  { url, lastServedAt, startedInMs }: Watched,
  ledger: Ledger,
): { readonly stop: () => void } => {
  const unservedMs = Math.max(UNSERVED_MS, STARTS * startedInMs)
  let isRunning = true
  let toldFor = ""
  let saidReadySince: number | undefined
  const look = async (): Promise<void> => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
    if (answer === undefined) return
    await answer.arrayBuffer().catch(() => undefined)
    ledger.count(`/readyz: ${answer.status}`)
    if (!answer.ok || ledger.unservedSince(lastServedAt()) <= unservedMs) {
      saidReadySince = undefined
      return
    }
    saidReadySince ??= performance.now()
    const isLie = performance.now() - saidReadySince > GRACE_MS
    const told = `${ledger.during} ${lastServedAt()}`
    if (!isLie || toldFor === told) return
    toldFor = told
    ledger.violate("truth", `/readyz says 200 although nothing was committed for ${Math.round(unservedMs / 1000)} s`)
  }
  void (async () => {
    while (isRunning) {
      await look()
      await sleep(EVERY_MS)
    }
  })()
  return {
    stop: () => {
      isRunning = false
    },
  }
}
