/**
 * Raised hands: a queue for staff, and its length for everyone. A participant's hand is lowered when they depart. Staff receive only the
 * changes of the first hands, so that the cost does not grow with the queue.
 */
import { type Hand, ONLY } from "../../../model/live/live-records.ts"
import { ephemeralOf } from "../../../protocol/contract.ts"
import type { ReadContext, ThrottledView, Turn } from "../turn.ts"
import { type Activity, refuse } from "./activity.ts"
import { mutedWith } from "./mutes.ts"

/** Hands of the queue shown to staff; the next one appears when one of them is lowered. */
const SHOWN = 200
const MAX_HANDS = 5000

const COUNT: ThrottledView = {
  name: "hand.count",
  everyMs: 500,
  dispatches: ({ records }) => [ephemeralOf("hand.count", "event", { n: records.all("hand").size })],
}

/** The part of the queue shown to staff. */
const shownOf = ({ records }: Pick<ReadContext, "records">): ReadonlyArray<Hand> => records.firstHands(SHOWN)

/**
 * The queue's revision is the time of its last change, and at least one more than the previous revision: two changes may share a
 * millisecond.
 */
const publish = (turn: Turn, before: ReadonlyArray<Hand>): void => {
  turn.publishThrottled(COUNT)
  const queue = shownOf(turn)
  const [known, shown] = [new Set(before), new Set(queue.map(({ participantId }) => participantId))]
  const add = queue.filter((hand) => !known.has(hand))
  const remove = before.flatMap(({ participantId }) => (shown.has(participantId) ? [] : participantId))
  if (add.length + remove.length === 0) return
  const rev = Math.max(turn.now, (turn.get("handQueue", ONLY) ?? 0) + 1)
  turn.put("handQueue", ONLY, rev)
  turn.publish("hand.queue", "staff", { add, remove, rev })
}

/** Lowers hands. The owner is notified in all tabs, even of their own action. */
const lower = (turn: Turn, ids: ReadonlyArray<string>): void => {
  const raised = ids.filter((id) => turn.get("hand", id) !== undefined)
  if (raised.length === 0) return
  const before = shownOf(turn)
  for (const id of raised) {
    turn.remove("hand", id)
    if (id === turn.by?.participantId) turn.publish("me.hand", `me:${id}`, { hand: null })
    else turn.publish("hand.lowered", `me:${id}`, {})
    turn.changeParticipant({ participantId: id })
  }
  publish(turn, before)
}

/** Lowers the hand of a participant who comes onto the stage or may no longer be there. */
export const lowerHand = (turn: Turn, participantId: string): void => lower(turn, [participantId])

export const hands = {
  commands: {
    "hand.raise": (turn, { note = null }) => {
      const { by } = turn
      if (by === null) return refuse("forbidden", "Only people at the event raise their hands.")
      const refused = mutedWith(turn, note)
      if (refused !== undefined) return refused
      const raised = turn.get("hand", by.participantId)
      if (raised !== undefined && raised.note === note) return { hand: raised }
      if (turn.all("hand").size >= MAX_HANDS) return refuse("conflict", `At most ${MAX_HANDS} hands can be up.`)
      const { participantId } = by
      const hand: Hand = { participantId, name: by.name ?? "", note, at: raised?.at ?? turn.at }
      const before = shownOf(turn)
      turn.put("hand", participantId, hand)
      turn.publish("me.hand", `me:${participantId}`, { hand })
      turn.changeParticipant({ participantId })
      publish(turn, before)
      return { hand }
    },
    "hand.lower": (turn) => {
      lower(turn, [turn.by?.participantId ?? ""])
      return { hand: null }
    },
    "hand.lowerFor": (turn, d) => {
      const ids = "id" in d ? [d.id] : [...turn.all("hand").keys()]
      lower(turn, ids)
      return { lowered: ids }
    },
  },
  on: {
    "phase.over": (turn) => lower(turn, [...turn.all("hand").keys()]),
    "people.departed": (turn, { ids }) => lower(turn, ids),
  },
  holders: (records) => records.all("hand").keys(),
  view: (context) => ({ hands: { count: context.records.all("hand").size } }),
  staffView: (context) => ({
    handQueue: { items: shownOf(context), rev: context.records.get("handQueue", ONLY) ?? 0 },
  }),
  personalView: ({ records }, participantId) => ({ hand: records.get("hand", participantId) ?? null }),
} satisfies Activity
