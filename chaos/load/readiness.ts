/** Watches `/readyz`: it must not say that the server is ready while nothing can be committed. */
import { sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"

/** Long enough for any server to notice; a healthy one commits several probes a second. */
const UNSERVED_MS = 8_000
const EVERY_MS = 500
/** A server that is back says so a moment before the next command is committed. */
const GRACE_MS = 2_000

export interface Watched {
  readonly url: string
  /** When a command was last committed that the server at the address must answer for; Unix milliseconds. */
  readonly lastServedAt: () => number
}

export const watchReadiness = ({ url, lastServedAt }: Watched, ledger: Ledger): { readonly stop: () => void } => {
  let isRunning = true
  let toldFor = ""
  let saidReadySince: number | undefined
  const look = async (): Promise<void> => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
    if (answer === undefined) return
    await answer.arrayBuffer().catch(() => undefined)
    ledger.count(`/readyz: ${answer.status}`)
    if (!answer.ok || ledger.waitedSince(lastServedAt()) <= UNSERVED_MS) {
      saidReadySince = undefined
      return
    }
    saidReadySince ??= performance.now()
    const isLie = performance.now() - saidReadySince > GRACE_MS
    const told = `${ledger.during} ${lastServedAt()}`
    if (!isLie || toldFor === told) return
    toldFor = told
    ledger.violate("truth", `/readyz says 200 although nothing was committed for ${UNSERVED_MS / 1000} s`)
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
