/** For staff: the numbers of voters without a name and of their addresses, by poll or question. */
import type { SignedOutVotes } from "../../protocol/topics/polls.ts"
import type { Dispatch } from "../wire.ts"
import type { Snapshot } from "./snapshot.ts"

export type SignedOutState = { readonly [pollOrQuestionId: string]: SignedOutVotes }

export const signedOutIn = ({ signedOutVotes = [] }: Snapshot): SignedOutState =>
  Object.fromEntries(signedOutVotes.map((votes) => [votes.of, votes]))

export const signedOutAfter = (state: SignedOutState, dispatch: Dispatch): SignedOutState =>
  dispatch.t === "votes.signedOut" ? { ...state, [dispatch.d.of]: dispatch.d } : state
