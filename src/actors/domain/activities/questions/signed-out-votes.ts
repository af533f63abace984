/**
 * Number of anonymous voters per address, shown to staff. An anonymous vote is one per browser, and many votes from one address may come
 * from a lecture hall or from one person. The live event receives pseudonyms of addresses, which have no meaning outside it.
 */
import { partsOfVote, voteId } from "../../../../model/live/live-records.ts"
import { ephemeralOf } from "../../../../protocol/contract.ts"
import type { Refused } from "../../../commands.ts"
import type { ReadContext, ThrottledView, Turn } from "../../turn.ts"
import { type Activity, refuse } from "../activity.ts"

/** Most entries in `ready`: the addresses with the most voters. */
const SHOWN = 100

/**
 * Most anonymous voters of one poll or question. Each request may create a new id, which takes about 500 bytes in memory and up to three
 * rows in the store: about 50 MB for a full poll or question.
 */
export const MAX_SIGNED_OUT = 100_000
const FULL = refuse("conflict", `Only ${MAX_SIGNED_OUT} people vote here without a name; sign in to vote.`)

const NOBODY = { voters: 0, addresses: 0 } as const

const COUNTS: ThrottledView = {
  name: "votes.signedOut",
  everyMs: 1000,
  dispatches: ({ records }, of) => {
    const d = { of, ...(records.get("signedOutVotes", of) ?? NOBODY) }
    return [ephemeralOf("votes.signedOut", "staff", d, of)]
  },
}

/** The refusal when the caller would exceed the number of anonymous voters. Earlier voters may change their vote or take it back. */
export const whyFull = (turn: Turn, of: string): Refused | undefined =>
  turn.by?.kind === "anonymous" && (turn.get("signedOutVotes", of)?.voters ?? 0) >= MAX_SIGNED_OUT ? FULL : undefined

/** Counts the caller's vote on a poll or a question (`of`), cast or withdrawn, if the caller is anonymous. */
export const countSignedOut = (turn: Turn, of: string, isOn: boolean): void => {
  if (turn.by?.kind !== "anonymous") return
  const { participantId, address = "" } = turn.by
  const origin = turn.get("origin", participantId)
  // The vote is older than these counts.
  if (!isOn && origin === undefined) return
  // All votes of a participant count for the address of their first vote, while they have any.
  const from = origin?.address ?? address
  setOrigin(turn, participantId, from, (origin?.votes ?? 0) + (isOn ? 1 : -1))
  const key = voteId(of, from)
  const before = turn.get("originVotes", key) ?? 0
  const after = Math.max(0, before + (isOn ? 1 : -1))
  const total = turn.get("signedOutVotes", of) ?? NOBODY
  const voters = total.voters + after - before
  const addresses = total.addresses + Number(after > 0) - Number(before > 0)
  if (after > 0) turn.put("originVotes", key, after)
  else turn.remove("originVotes", key)
  if (voters > 0) turn.put("signedOutVotes", of, { voters, addresses })
  else turn.remove("signedOutVotes", of)
  turn.publishThrottled(COUNTS, of)
}

const setOrigin = (turn: Turn, participantId: string, address: string, votes: number): void => {
  if (votes > 0) turn.put("origin", participantId, { address, votes })
  else turn.remove("origin", participantId)
}

/** Keys of the records of one poll or question. */
export const keysOf = (
  records: Pick<ReadContext["records"], "all">,
  kind: "pollVote" | "questionVote" | "pollAnswer" | "quizPoints",
  of: string,
): ReadonlyArray<string> => [...records.all(kind).keys()].filter((key) => key.startsWith(`${of} `))

/** Removes the votes of a deleted poll or question. */
export const removeVotes = (turn: Turn, kind: "pollVote" | "questionVote", of: string): void => {
  const votes = keysOf(turn, kind, of)
  for (const vote of votes) turn.remove(kind, vote)
  if (turn.get("signedOutVotes", of) === undefined) return
  for (const vote of votes) {
    const { voter } = partsOfVote(vote)
    const origin = turn.get("origin", voter)
    if (origin === undefined) continue
    turn.remove("originVotes", voteId(of, origin.address))
    setOrigin(turn, voter, origin.address, origin.votes - 1)
  }
  turn.remove("signedOutVotes", of)
}

export const signedOutVotes = {
  commands: {},
  staffView: ({ records }) => ({
    signedOutVotes: Array.from(records.all("signedOutVotes"), ([of, counts]) => ({ of, ...counts }))
      .sort((a, b) => b.voters - a.voters)
      .slice(0, SHOWN),
  }),
} satisfies Activity
