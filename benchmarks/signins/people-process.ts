/** People who sign in with their passwords again and again, each waiting for the answer before the next time. */
import { Line, loginRequest } from "../flood/line.ts"
import { answerParent } from "../support/child.ts"
import { percentile } from "../support/figures.ts"
import type { Person } from "../support/people.ts"

export interface SignIns {
  readonly port: number
  readonly people: ReadonlyArray<Person>
}

export interface SignedIn {
  readonly signedIn: number
  readonly refused: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * Addresses that each person comes from in turn: one may ask for a sign-in 60 times a minute, and so many are remembered as those
 * that an account signed in from, which come before strangers.
 */
const ADDRESSES = 8

let isOver = false
let signingIn: Promise<SignedIn> | undefined

const addressOf = (person: number, turn: number): string => `10.2.${person % 256}.${(turn % ADDRESSES) + 1}`

const signIn = async ({ port, people }: SignIns): Promise<SignedIn> => {
  const took: number[] = []
  let refused = 0
  const startedAt = performance.now()
  const drive = async ({ email, password }: Person, index: number): Promise<void> => {
    const line = await Line.open(port)
    for (let n = 0; !isOver; n++) {
      const { status, ms } = await line.ask(loginRequest(addressOf(index, n), email, password))
      if (status === 200) took.push(ms)
      else refused += 1
    }
    line.close()
  }
  await Promise.all(people.map(drive))
  return {
    signedIn: took.length,
    refused,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  }
}

answerParent({
  /** Returns at once; `end` waits for the last answers. */
  begin: (options: SignIns) => {
    isOver = false
    signingIn = signIn(options)
  },
  end: () => {
    isOver = true
    return signingIn
  },
})
