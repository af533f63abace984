/** Questions and votes. Who may is settled by the access; here is what the event's state allows, and the doing. */
import { Effect } from "effect"
import { Conflict, NotFound } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { newQuestion, type QaClosed, qaPhase } from "../../model/question.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { OutboxBell } from "../../store/outbox.ts"
import {
  decodeQuestionCursor,
  insertQuestion,
  moderateQuestion,
  pageQuestions,
  setVote,
} from "../../store/questions.ts"
import { newSignedOutVoter } from "../audience.ts"
import { type Handlers, Reply, type Scopes } from "../call.ts"
import type { Questions } from "../contract/questions.ts"
import { pageReply, pageRequestBy } from "../paging.ts"

const CLOSED: Readonly<Record<QaClosed, string>> = {
  not_open: "Only a scheduled or live event takes questions and votes.",
  feature_disabled: "The event has no Q&A now: its phase lacks the feature `qa`.",
}

/** The phase that takes questions and votes now. */
const openPhase = (event: Scopes["publicEvent"]["event"]) => {
  const phase = qaPhase(event)
  return typeof phase === "string" ? Effect.fail(new Conflict({ detail: CLOSED[phase] })) : Effect.succeed(phase)
}

const run = <A>(body: (sql: Queryable) => Promise<A>) => Effect.flatMap(Database, (database) => database.run(body))

const tally = (questionId: string, voterId: string, isOn: boolean) =>
  Effect.flatMap(
    run((sql) => setVote(sql, questionId, voterId, isOn)),
    (votes) =>
      votes === undefined ? Effect.fail(NotFound.of("question")) : Effect.succeed({ questionId, votes, voted: isOn }),
  )

export const questions: Handlers<typeof Questions> = {
  listQuestions: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequestBy(call.query, decodeQuestionCursor)
        const { event } = call.scope
        const page = yield* run((sql) => pageQuestions(sql, event.id, call.query.status ?? null, request))
        return pageReply(call, page, { questions: page.rows, nextCursor: page.nextCursor })
      }),
  },
  patchQuestion: {
    access: "question",
    handle: ({ payload, scope: { questionId } }) =>
      Effect.flatMap(
        run((sql) => moderateQuestion(sql, questionId, payload, toTimestamp(Date.now()))),
        (question) => (question === undefined ? Effect.fail(NotFound.of("question")) : Effect.succeed(question)),
      ),
  },
  askQuestion: {
    access: "audienceEvent",
    handle: ({ payload: { text, anonymous = false }, scope: { event, participant } }) =>
      Effect.gen(function* () {
        const phase = yield* openPhase(event)
        const at = toTimestamp(Date.now())
        const asked = { id: newId(), eventId: event.id, phase, author: participant, text, anonymous, at }
        const question = newQuestion(asked)
        const occurrence = { id: newId(), workspaceId: event.workspaceId }
        const deliveries = yield* (yield* Database).transaction<number, NotFound>((sql) =>
          insertQuestion(sql, question, occurrence),
        )
        if (deliveries > 0) (yield* OutboxBell).ring()
        return new Reply(question, { status: 201, headers: [["location", `/v1/questions/${question.id}`]] })
      }),
  },
  voteQuestion: {
    access: "audienceQuestion",
    handle: ({ scope: { event, question, voterId } }) =>
      Effect.gen(function* () {
        yield* openPhase(event)
        if (voterId !== null) return yield* tally(question.id, voterId, true)
        const voter = yield* newSignedOutVoter
        const vote = yield* tally(question.id, voter.voterId, true)
        return new Reply(vote, { headers: [["set-cookie", voter.cookie]] })
      }),
  },
  unvoteQuestion: {
    access: "audienceQuestion",
    handle: ({ scope: { event, question, voterId } }) =>
      Effect.gen(function* () {
        yield* openPhase(event)
        // Who never voted has nothing to take back, and needs no cookie for it.
        if (voterId === null) return { questionId: question.id, votes: question.votes, voted: false }
        return yield* tally(question.id, voterId, false)
      }),
  },
}
