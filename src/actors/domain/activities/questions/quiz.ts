/** Points of quizzes, and the board that a closed quiz shows. */
import { type BoardPlace, type Poll, partsOfVote, voteId } from "../../../../model/live/live-records.ts"
import { toMillis } from "../../../../model/timestamp.ts"
import type { RecordStore } from "../../../state/record-store.ts"
import type { Turn } from "../../turn.ts"

/** Points of a right answer: half of them for being right, the rest for the part of the time that is left. */
const RIGHT = 1000
const ON_BOARD = 10

const isRight = ({ correct = [] }: Poll, optionIds: ReadonlyArray<string>): boolean =>
  correct.length === optionIds.length && correct.every((id) => optionIds.includes(id))

/** `now` is in Unix milliseconds. */
export const pointsOf = (poll: Poll, optionIds: ReadonlyArray<string>, now: number): number => {
  // The right options of a quiz that is opened again are known.
  if (poll.board !== undefined || !isRight(poll, optionIds)) return 0
  if (poll.openedAt === null || poll.endsAt === null) return RIGHT
  const [start, end] = [toMillis(poll.openedAt), toMillis(poll.endsAt)]
  return Math.round(RIGHT / 2 + ((RIGHT / 2) * (end - now)) / (end - start))
}

/** Gives the caller the points of their vote in a quiz. */
export const givePoints = (turn: Turn, poll: Poll, optionIds: ReadonlyArray<string>): void => {
  if (turn.by === null) return
  const points = pointsOf(poll, optionIds, turn.now)
  const { participantId, name } = turn.by
  if (points > 0) turn.put("quizPoints", voteId(poll.id, participantId), { points, name: poll.anonymous ? null : name })
}

/**
 * People with the most points of this quiz and of those that are closed: the points of an open one would tell who is right. Anonymous
 * quizzes have a board of their own, because points that were added to a person's others would tell who they are.
 */
export const boardOf = (turn: Turn, { id, anonymous }: Poll): ReadonlyArray<BoardPlace> => {
  const totals = new Map<string, number>()
  const isCounted = (quiz: Poll | undefined): boolean =>
    quiz !== undefined && quiz.anonymous === anonymous && (quiz.id === id || quiz.status === "closed")
  for (const [key, { points }] of turn.all("quizPoints")) {
    const { of, voter } = partsOfVote(key)
    if (!isCounted(turn.get("poll", of))) continue
    totals.set(voter, (totals.get(voter) ?? 0) + points)
  }
  const first = [...totals]
    .sort(([a, most], [b, other]) => other - most || Number(a > b) - Number(a < b))
    .slice(0, ON_BOARD)
  return first.map(([participantId, points]) => ({
    participantId,
    points,
    rank: 1 + first.findIndex(([, other]) => other === points),
  }))
}

/** The name that the person has in one of the event's quizzes; null when all of theirs hide names. */
export const nameOnBoard = (records: RecordStore, participantId: string): string | null => {
  for (const { id, kind } of records.all("poll").values()) {
    const name = kind === "quiz" ? records.get("quizPoints", voteId(id, participantId))?.name : undefined
    if (typeof name === "string") return name
  }
  return null
}

/** Removes the name of an erased person. Their points stay, by an id that leads to nobody. */
export const unnamePoints = (turn: Turn, people: ReadonlySet<string>): void => {
  for (const [key, own] of turn.all("quizPoints")) {
    if (own.name !== null && people.has(partsOfVote(key).voter)) turn.put("quizPoints", key, { ...own, name: null })
  }
}
