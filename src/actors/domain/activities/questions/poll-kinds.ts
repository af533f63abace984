/** Rules of the kinds of polls: what a new poll needs, which votes it takes, and what a vote counts. */
import { answerId, containsOneOf } from "../../../../model/live/answers.ts"
import { type Poll, voteId } from "../../../../model/live/live-records.ts"
import type { PollKind } from "../../../../model/live/live-values.ts"
import { type Refused, refusedField } from "../../../commands.ts"
import type { Of } from "../../../state/chart-events.ts"
import type { Turn } from "../../turn.ts"
import { noSuch, refuse } from "../activity.ts"

type NewPoll = Of<"poll.create">["d"]
type Ballot = Of<"poll.vote">["d"]

/** A vote as it is stored: ids of options or of written answers, and the texts of the latter. */
export interface Vote {
  readonly optionIds: ReadonlyArray<string>
  readonly texts?: ReadonlyMap<string, string>
}

interface KindRules {
  readonly fault?: (d: NewPoll) => Refused | undefined
  readonly take: (turn: Turn, poll: Poll, ballot: Ballot) => Vote | Refused
  /** Counts that a vote gives to an option; 1 for each chosen one by default. */
  readonly weigh?: (poll: Poll, optionIds: ReadonlyArray<string>, id: string) => number
}

const NONE: Vote = { optionIds: [] }

const needsOptions = ({ options }: NewPoll): Refused | undefined =>
  options.length < 2 ? refusedField("options", "must have at least two options") : undefined

const unknownIn = (poll: Poll, optionIds: ReadonlyArray<string>): boolean =>
  optionIds.some((one) => !poll.options.some(({ id }) => id === one))

/** The chosen options, without repeats and in the poll's order. */
const choice = (most: (poll: Poll) => number, fault = needsOptions): KindRules => ({
  fault,
  take: (_turn, poll, { optionIds }) => {
    if (unknownIn(poll, optionIds)) return noSuch("option")
    const chosen = poll.options.map(({ id }) => id).filter((id) => optionIds.includes(id))
    const limit = most(poll)
    if (chosen.length <= limit) return { optionIds: chosen }
    return refusedField("optionIds", `this poll takes ${limit === 1 ? "one option" : `${limit} options`} at most`)
  },
})

/** A vote orders some or all of the options: of n options the first gets n points, and the next one less each. */
const RANKING: KindRules = {
  fault: needsOptions,
  take: (_turn, poll, { optionIds }) => {
    if (unknownIn(poll, optionIds)) return noSuch("option")
    return new Set(optionIds).size < optionIds.length
      ? refusedField("optionIds", "an option has one place in a ranking")
      : { optionIds }
  },
  weigh: (poll, optionIds, id) => {
    const at = optionIds.indexOf(id)
    return at < 0 ? 0 : poll.options.length - at
  },
}

const quizFault = (d: NewPoll): Refused | undefined => {
  const { correct = [], options } = d
  if (correct.length === 0) return refusedField("correct", "a quiz needs a right option")
  if (correct.some((position) => position > options.length)) {
    return refusedField("correct", "must be positions of the options")
  }
  return needsOptions(d)
}

/** Different written answers of an event. All are held in memory. */
const MAX_ANSWERS = 10_000
const TOO_MANY = refuse("conflict", `The polls of an event hold ${MAX_ANSWERS} different answers.`)
const BLOCKED = refuse("conflict", "The hosts do not take this word.")

const WRITTEN_FAULT = ({ options }: NewPoll): Refused | undefined =>
  options.length > 0 ? refusedField("options", "the voters of this poll write the options") : undefined

/** Answers in the words of the voters. */
const written = (most: number, longest: number): KindRules => ({
  fault: WRITTEN_FAULT,
  take: (turn, poll, { optionIds, texts = [] }) => {
    if (optionIds.length > 0) return refusedField("optionIds", "the voters of this poll write: send texts")
    if (texts.length === 0) return NONE
    if (texts.length > most) return refusedField("texts", `at most ${most}`)
    const own = new Map(texts.map((text) => [answerId(text), text.trim()]))
    const all = [...own.values()]
    if (all.some((text) => Array.from(text).length > longest)) {
      return refusedField("texts", `at most ${longest} characters each`)
    }
    if (all.some((text) => containsOneOf(text, poll.blocked ?? []))) return BLOCKED
    const added = [...own.keys()].filter((id) => turn.get("pollAnswer", voteId(poll.id, id)) === undefined)
    return turn.all("pollAnswer").size + added.length > MAX_ANSWERS
      ? TOO_MANY
      : { optionIds: [...own.keys()], texts: own }
  },
})

export const POLL_KINDS: { readonly [K in PollKind]: KindRules } = {
  single: choice(() => 1),
  rating: choice(() => 1),
  multi: choice(({ options }) => options.length),
  ranking: RANKING,
  // The number of right options is no secret: a question says "which two".
  quiz: choice(({ correct = [] }) => correct.length, quizFault),
  text: written(1, 140),
  wordcloud: written(3, 40),
}

/** Whether the voters write the options. */
export const isWritten = (kind: PollKind): boolean => kind === "text" || kind === "wordcloud"

/** The reason why the fields of a new poll do not go together. */
export const faultOf = (d: NewPoll): Refused | undefined => {
  if (d.kind !== "quiz" && d.correct !== undefined) return refusedField("correct", "only a quiz has right options")
  if (!isWritten(d.kind) && d.blocked !== undefined) return refusedField("blocked", "nothing is written in this poll")
  return POLL_KINDS[d.kind].fault?.(d)
}

const onceEach = (_poll: Poll, optionIds: ReadonlyArray<string>, id: string): number => Number(optionIds.includes(id))

/** Counts of the poll's own options after one vote has changed. */
export const countsAfter = (
  poll: Poll,
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
): ReadonlyArray<number> => {
  const { weigh = onceEach } = POLL_KINDS[poll.kind]
  return poll.options.map(
    ({ id }, index) => (poll.counts[index] ?? 0) + weigh(poll, after, id) - weigh(poll, before, id),
  )
}

/** Counts written answers after one vote has changed. One without votes goes, unless it has to stay hidden. */
export const countAnswers = (
  turn: Turn,
  pollId: string,
  before: ReadonlyArray<string>,
  { optionIds, texts }: Vote,
): void => {
  for (const id of before.filter((one) => !optionIds.includes(one))) {
    const answer = turn.get("pollAnswer", voteId(pollId, id))
    if (answer === undefined) continue
    const votes = answer.votes - 1
    if (votes > 0 || answer.hidden) turn.put("pollAnswer", voteId(pollId, id), { ...answer, votes })
    else turn.remove("pollAnswer", voteId(pollId, id))
  }
  for (const id of optionIds.filter((one) => !before.includes(one))) {
    const { text, votes, hidden } = turn.get("pollAnswer", voteId(pollId, id)) ?? {
      text: texts?.get(id) ?? "",
      votes: 0,
      hidden: false,
    }
    turn.put("pollAnswer", voteId(pollId, id), { text, votes: votes + 1, hidden })
  }
}
