/**
 * How many voters without a name stand behind how many addresses, for staff: an anonymous vote is the vote of a browser, and many from
 * one address may be a lecture hall or one person. The live event is given pseudonyms of addresses, which say nothing beyond it.
 */
import { partsOfVote, voteId } from "../../model/live-records.ts"
import type { Ephemeral, Turn } from "../turn.ts"
import type { Activity, Fields, Scene } from "./activity.ts"

const EVERY_MS = 1000
/** In `ready`: those with the most voters. */
const SHOWN = 100

const NOBODY = { voters: 0, addresses: 0 } as const

/** The caller's vote on a poll or a question (`of`) began or ended; counted when they have no name. */
export const countSignedOut = (turn: Turn, of: string, isOn: boolean): void => {
  if (turn.by?.kind !== "anonymous") return
  const { participantId, address = "" } = turn.by
  // Where somebody voted from first is where all their votes come from: one more record a person, and not one a vote.
  const origin = turn.get("origin", participantId) ?? address
  const key = voteId(of, origin)
  const before = turn.get("originVotes", key) ?? 0
  // A vote from before votes were counted like this.
  if (!isOn && before === 0) return
  const after = before + (isOn ? 1 : -1)
  const total = turn.get("signedOutVotes", of) ?? NOBODY
  const voters = total.voters + after - before
  const addresses = total.addresses + Number(after > 0) - Number(before > 0)
  turn.put("origin", participantId, origin)
  if (after > 0) turn.put("originVotes", key, after)
  else turn.remove("originVotes", key)
  if (voters > 0) turn.put("signedOutVotes", of, { voters, addresses })
  else turn.remove("signedOutVotes", of)
  turn.pulse(`votes.signedOut:${of}`)
}

/** The poll or the question is gone, and its votes with it. */
export const forgetSignedOut = (turn: Turn, of: string): void => {
  if (turn.get("signedOutVotes", of) === undefined) return
  const keys = [...turn.all("originVotes").keys()].filter((key) => partsOfVote(key).of === of)
  for (const key of keys) turn.remove("originVotes", key)
  turn.remove("signedOutVotes", of)
}

const say = ({ floor }: Scene, of: string): ReadonlyArray<Ephemeral> => {
  const d: Fields = { of, ...(floor.get("signedOutVotes", of) ?? NOBODY) }
  return [{ stream: "staff", key: `votes.signedOut:${of}`, t: "votes.signedOut", d }]
}

export const signedOutVotes: Activity = {
  commands: {},
  staffView: ({ floor }) => ({
    signedOutVotes: Array.from(floor.all("signedOutVotes"), ([of, counts]) => ({ of, ...counts }))
      .sort((a, b) => b.voters - a.voters)
      .slice(0, SHOWN),
  }),
  pulses: { "votes.signedOut": { everyMs: EVERY_MS, say } },
}
