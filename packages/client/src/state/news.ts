/**
 * The parts of the state that each dispatch changes. A dispatch of the contract that is missing here does not compile, and neither
 * does a part that has no case for a dispatch listed for it.
 */
import type { Dispatch, DispatchName } from "../wire.ts"

type Part =
  | "agenda"
  | "blocked"
  | "breakout"
  | "broadcast"
  | "capture"
  | "chat"
  | "encoder"
  | "hands"
  | "hostAbsence"
  | "lobby"
  | "me"
  | "media"
  | "muted"
  | "polls"
  | "presence"
  | "questions"
  | "rotation"
  | "signedOutVotes"
  | "stage"
  | "transcript"

/** Dispatches that change no part: the application receives them as they come. They are types alone, so that no page loads their names. */
type OtherNews =
  | "ready"
  | "caughtUp"
  | "tokenExpiring"
  | "timer.warning"
  | "announcement"
  | "lobby.status"
  | "reaction.tally"
  | "room.help"
  | "rtc.peers"
  | "rtc.signal"

const CHANGES = {
  "me.updated": ["me", "media", "stage"],
  subscribed: ["me", "chat"],

  "event.started": ["agenda"],
  "event.updated": ["agenda"],
  "event.ended": ["agenda", "broadcast"],
  "phase.started": ["agenda", "broadcast", "lobby"],
  "phase.ended": ["agenda", "broadcast", "hands", "lobby", "stage"],
  "phase.updated": ["agenda", "broadcast", "lobby"],
  "phase.appended": ["agenda", "broadcast"],
  "agenda.updated": ["agenda"],
  "timer.updated": ["agenda", "broadcast"],
  "timer.elapsed": ["agenda", "broadcast"],

  "me.muted": ["muted"],
  "participant.removed": ["blocked"],
  "participant.unblocked": ["blocked"],
  "lobby.waiting": ["lobby"],
  "lobby.settings": ["lobby"],
  "host.absence": ["hostAbsence", "lobby"],

  "presence.diff": ["presence", "hands"],
  "presence.stage": ["presence"],
  "presence.mode": ["presence"],
  "presence.count": ["presence"],

  "question.created": ["questions"],
  "question.updated": ["questions"],
  "question.removed": ["questions"],
  "question.votes": ["questions"],
  "qa.settings": ["questions"],
  "me.voted": ["questions"],

  "chat.message": ["chat"],
  "chat.deleted": ["chat"],
  "chat.settings": ["chat"],

  "poll.created": ["polls"],
  "poll.opened": ["polls"],
  "poll.updated": ["polls"],
  "poll.closed": ["polls"],
  "poll.published": ["polls", "agenda"],
  "poll.deleted": ["polls"],
  "poll.tally": ["polls"],
  "me.pollVoted": ["polls"],
  "votes.signedOut": ["signedOutVotes"],

  "hand.queue": ["hands"],
  "hand.count": ["hands"],
  "hand.lowered": ["hands"],
  "me.hand": ["hands"],
  "stage.invited": ["stage"],
  "me.stage": ["stage"],

  "breakout.opened": ["breakout"],
  "breakout.updated": ["breakout"],
  "breakout.closing": ["breakout"],
  "breakout.closed": ["breakout", "agenda"],
  "room.updated": ["breakout"],
  "assignment.updated": ["breakout"],
  "assignment.ended": ["breakout"],

  "rotation.round": ["rotation"],
  "rotation.partnerLeft": ["rotation"],
  "rotation.state": ["rotation"],
  "me.opted": ["rotation"],

  "broadcast.live": ["broadcast"],
  "broadcast.paused": ["broadcast"],
  "broadcast.ended": ["broadcast", "encoder"],
  "broadcast.stream": ["encoder"],
  "capture.state": ["capture"],
  "transcript.segment": ["transcript"],
  "transcript.interim": ["transcript"],
} as const satisfies { readonly [T in Exclude<DispatchName, OtherNews>]: ReadonlyArray<Part> }

/** The dispatches that change a part of the state. */
export type NewsOf<P extends Part> = Extract<
  Dispatch,
  {
    readonly t: {
      readonly [T in keyof typeof CHANGES]: P extends (typeof CHANGES)[T][number] ? T : never
    }[keyof typeof CHANGES]
  }
>

// A newer server sends names that this client does not know.
const PARTS: ReadonlyMap<string, ReadonlyArray<Part>> = new Map(Object.entries(CHANGES))

const isNewsOf = <P extends Part>(dispatch: Dispatch, part: P): dispatch is NewsOf<P> =>
  PARTS.get(dispatch.t)?.includes(part) === true

/** The part after the dispatch: the same where the dispatch does not change it. */
export const after = <P extends Part, S>(
  part: P,
  dispatch: Dispatch,
  before: S,
  change: (before: S, news: NewsOf<P>) => S,
): S => (isNewsOf(dispatch, part) ? change(before, dispatch) : before)
