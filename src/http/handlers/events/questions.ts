/** Questions and votes: read from the store, changed by the event's actor. The access and the actor decide permission. */

import { Effect } from "effect"
import type { ActivityCommand, Caller } from "../../../actors/commands.ts"
import { NotFound } from "../../../model/errors.ts"
import type { Question } from "../../../model/question.ts"
import {
  decodeQuestionCursor,
  findQuestion,
  pageQuestions,
  pageQuestionsByTime,
} from "../../../store/events/questions.ts"
import { decodeCursor } from "../../../store/page.ts"
import type { Questions } from "../../contract/events/questions.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { newcomer, spend } from "../../requests/anonymous-acts.ts"
import { voterCookie } from "../../requests/audience.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import type { Columns } from "../../requests/csv.ts"
import { listOrFile } from "../../requests/file.ts"
import { run } from "../../requests/management.ts"
import { ask } from "./live-commands.ts"

interface Vote {
  readonly questionId: string
  readonly votes: number
  readonly voted: boolean
}

const vote = (eventId: string, id: string, voter: Caller, on: boolean) => {
  const command: ActivityCommand = { type: "question.vote", d: { id, on } }
  return Effect.map(ask(eventId, command, voter), ({ result }) => result as unknown as Vote)
}

/** The stored question: the command's reply is meant for people at the event, who see less of its author. */
const stored = (id: string) =>
  Effect.flatMap(
    run((sql) => findQuestion(sql, id)),
    (question) => (question === undefined ? Effect.fail(NotFound.of("question")) : Effect.succeed(question)),
  )

const QUESTIONS: Columns<Question> = {
  names: [
    "id",
    "createdAt",
    "phaseId",
    "authorUserId",
    "authorName",
    "anonymous",
    "text",
    "votes",
    "status",
    "pinned",
    "answer",
    "answeredAt",
  ],
  rowsOf: (question) => [
    [
      question.id,
      question.createdAt,
      question.phaseId,
      question.authorUserId,
      question.authorName,
      question.anonymous,
      question.text,
      question.votes,
      question.status,
      question.pinned,
      question.answer,
      question.answeredAt,
    ],
  ],
}

export const questions = {
  listQuestions: {
    access: "event",
    handle: (call) => {
      const { sort, status = null } = call.query
      const shown = { view: (question: Question) => question, columns: QUESTIONS }
      return sort === "createdAt"
        ? listOrFile(call, "questions", {
            read: (sql, eventId, request) => pageQuestionsByTime(sql, eventId, status, request),
            decode: decodeCursor,
            ...shown,
          })
        : listOrFile(call, "questions", {
            read: (sql, eventId, request) => pageQuestions(sql, eventId, status, request),
            decode: decodeQuestionCursor,
            ...shown,
          })
    },
  },
  patchQuestion: {
    access: "question",
    handle: ({ payload: patch, scope: { eventId, questionId: id } }) =>
      Effect.map(
        ask(eventId, { type: "question.moderate", d: { id, patch } }, null),
        ({ result }) => result["question"] as Question,
      ),
  },
  askQuestion: {
    access: "audienceEvent",
    handle: ({ payload, scope: { event, participant } }) =>
      Effect.gen(function* () {
        const by = participant ?? (yield* newcomer)
        if (participant !== null) yield* (yield* RateLimits).take("question", by.participantId)
        yield* spend(by, "questions", event.id)
        const { result } = yield* ask(event.id, { type: "question.ask", d: payload }, by)
        const question = yield* stored((result["question"] as { readonly id: string }).id)
        return new Reply(question, { status: 201, headers: [["location", `/v1/questions/${question.id}`]] })
      }),
  },
  voteQuestion: {
    access: "audienceQuestion",
    handle: ({ scope: { event, question, voter } }) =>
      Effect.gen(function* () {
        const by = voter ?? (yield* newcomer)
        yield* spend(by, "votes", event.id)
        const voted = yield* vote(event.id, question.id, by, true)
        if (voter !== null) return voted
        return new Reply(voted, { headers: [["set-cookie", yield* voterCookie(by.participantId)]] })
      }),
  },
  unvoteQuestion: {
    access: "audienceQuestion",
    handle: ({ scope: { event, question, voter } }) =>
      Effect.gen(function* () {
        // A browser that never voted has nothing to withdraw and needs no cookie.
        const by = voter ?? (yield* newcomer)
        yield* spend(by, "votes", event.id)
        return yield* vote(event.id, question.id, by, false)
      }),
  },
} satisfies Handlers<typeof Questions>
