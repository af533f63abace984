/** Number of anonymous voters and of their addresses, by poll or question, for staff. */
import type { SignedOutVotes } from "../contract/types.ts"
import type { NewsOf } from "./news.ts"
import type { Snapshot } from "./snapshot.ts"

export type SignedOutState = { readonly [pollOrQuestionId: string]: SignedOutVotes }

export const signedOutIn = ({ signedOutVotes = [] }: Snapshot): SignedOutState =>
  Object.fromEntries(signedOutVotes.map((votes) => [votes.of, votes]))

export const signedOutAfter = (state: SignedOutState, { d }: NewsOf<"signedOutVotes">): SignedOutState => ({
  ...state,
  [d.of]: d,
})
