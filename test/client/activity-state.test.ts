/** Actions of people at a live event, as a client follows them: dispatches and replies in any order, and unknown ones. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { pendingQuestions, shownQuestions } from "../../packages/client/src/state/question-state.ts"
import { AT, answered, given, phase, question, ready, told } from "./news.ts"

const poll = (rev: number, more: object = {}) => ({
  id: "poll",
  rev,
  question: "Which?",
  kind: "single" as const,
  options: [],
  anonymous: false,
  allowChange: true,
  results: "afterVote" as const,
  status: "open" as const,
  published: false,
  createdAt: AT,
  openedAt: AT,
  closedAt: null,
  endsAt: null,
  ...more,
})

const message = (id: string, to: "event" | "room" | "staff", roomId: string | null = null) => ({
  id,
  rev: 1,
  to,
  roomId,
  participantId: "q",
  name: "Q",
  role: "participant" as const,
  text: "hello",
  replyTo: null,
  at: AT,
})

describe("questions", () => {
  test("are read pinned ones first, then by votes; votes make no revision", () => {
    const state = given(
      ready("participant"),
      told("question.created", { question: question("a", 1) }),
      told("question.created", { question: question("b", 1) }),
      told("question.created", { question: question("c", 1, { pinned: true }) }),
      told("question.votes", { votes: [["b", 3]] }),
    )
    expect(shownQuestions(state.questions).map(({ id, votes }) => [id, votes])).toEqual([
      ["c", 0],
      ["b", 3],
      ["a", 0],
    ])
  })

  test("that are hidden are gone for the audience, kept by staff and by the author, and come back", () => {
    const asked = told("question.created", { question: question("a", 1, { authorId: "p", anonymous: false }) })
    const others = told("question.created", { question: question("b", 1) })
    const hide = (id: string) => told("question.removed", { id, rev: 2, hidden: true })
    const audience = given(ready("participant"), asked, others, hide("a"), hide("b"))
    expect(audience.questions.all.map(({ id }) => id)).toEqual(["a"])
    expect(given(ready("host"), others, hide("b")).questions.all).toHaveLength(1)
    const restored = told("question.updated", { question: question("b", 3) })
    expect(given(audience, restored, others).questions.all.find(({ id }) => id === "b")?.rev).toBe(3)
  })

  test("that were asked anonymously and are hidden are shown to their asker as hidden, and come back", () => {
    const asked = answered("question.ask", { question: question("a", 1, { anonymous: true }) })
    const hidden = given(ready("participant"), asked, told("question.removed", { id: "a", rev: 2, hidden: true }))
    expect(hidden.questions.all.map(({ id, status, rev }) => [id, status, rev])).toEqual([["a", "hidden", 2]])
    expect([shownQuestions(hidden.questions), hidden.questions.mine]).toEqual([[], ["a"]])
    const late = given(hidden, told("question.created", { question: question("a", 1, { anonymous: true }) }))
    expect(shownQuestions(late.questions)).toEqual([])
    const restored = given(hidden, told("question.updated", { question: question("a", 3, { anonymous: true }) }))
    expect(shownQuestions(restored.questions).map(({ id }) => id)).toEqual(["a"])
  })

  test("that were taken back stay away, whatever comes late", () => {
    const asked = answered("question.ask", { question: question("a", 1) })
    const gone = given(ready("participant"), asked, told("question.removed", { id: "a", rev: 1, hidden: false }))
    expect(given(gone, asked, told("question.created", { question: question("a", 1) })).questions.all).toEqual([])
    expect(gone.questions.mine).toEqual([])
  })

  test("that were asked anonymously, wait for a moderator and are taken back are gone with the reply, because no dispatch follows", () => {
    const asked = answered("question.ask", { question: question("a", 1, { anonymous: true, status: "pending" }) })
    const gone = given(ready("participant"), asked, answered("question.withdraw", { id: "a" }), asked)
    expect([gone.questions.all, gone.questions.mine]).toEqual([[], []])
  })

  test("asked anonymously are known by their stream and by the reply", () => {
    const waiting = question("a", 1, { status: "pending" })
    const byStream = given(ready("participant"), told("question.created", { question: waiting }, { st: "me" }))
    const byReply = given(ready("participant"), answered("question.ask", { question: waiting }))
    expect([byStream.questions.mine, byReply.questions.mine]).toEqual([["a"], ["a"]])
    expect(pendingQuestions(byReply.questions)).toEqual([waiting])
  })

  test("a vote is one's own until it is taken back; a reply older than the snapshot changes nothing", () => {
    const vote = (voted: boolean, v: number) => answered("question.vote", { questionId: "a", votes: 1, voted }, v)
    const voted = given(ready("participant"), vote(true, 20))
    expect(voted.questions.voted).toEqual(["a"])
    expect(given(voted, vote(false, 21)).questions.voted).toEqual([])
    expect(given(ready("participant"), vote(true, 10)).questions.voted).toEqual([])
  })
})

test("reply and dispatches of one thing may come in any order, and more than once", () => {
  const news = [
    told("question.created", { question: question("a", 1) }),
    answered("question.ask", { question: question("a", 1) }),
    told("question.updated", { question: question("a", 2, { pinned: true }) }),
    answered("question.pin", { question: question("a", 2, { pinned: true }) }),
    told("poll.opened", { poll: poll(2) }),
    answered("poll.open", { poll: poll(2, { counts: [1], voters: 1 }) }),
    told("poll.closed", { poll: poll(3, { status: "closed", counts: [1], voters: 1 }) }),
  ]
  const expected = given(ready("host"), ...news)
  const orders = fc.array(fc.nat(news.length - 1), { maxLength: 12 })
  fc.assert(
    fc.property(orders, fc.shuffledSubarray(news, { minLength: news.length }), (repeated, order) => {
      const state = given(ready("host"), ...order, ...repeated.flatMap((index) => news[index] ?? []))
      expect(state.questions.all).toEqual(expected.questions.all)
      expect(state.polls.all).toEqual(expected.polls.all)
    }),
  )
})

describe("chat", () => {
  test("has three places, forgets the oldest, and drops deleted messages", () => {
    const many = Array.from({ length: 205 }, (_, n) => told("chat.message", { message: message(`m${n}`, "event") }))
    const state = given(
      ready("host"),
      ...many,
      told("chat.message", { message: message("s", "staff") }),
      told("chat.deleted", { ids: ["m204", "s"] }),
      told("chat.settings", { slowMs: 5000 }),
    )
    expect([state.chat.event.length, state.chat.event[0]?.id, state.chat.event.at(-1)?.id]).toEqual([199, "m5", "m203"])
    expect([state.chat.staff, state.chat.slowMs]).toEqual([[], 5000])
  })

  test("of a room stays in the room", () => {
    const inside = given(
      ready("participant"),
      told("subscribed", { cursors: { "room:a": 3 }, dropped: [] }),
      told("chat.message", { message: message("m", "room", "a") }),
    )
    expect([inside.me.roomId, inside.chat.room.length]).toEqual(["a", 1])
    const outside = given(inside, told("subscribed", { cursors: {}, dropped: ["room:a"] }))
    expect([outside.me.roomId, outside.chat.room]).toEqual([null, []])
  })
})

describe("polls", () => {
  const TALLY = { id: "poll", counts: [2, 1], voters: 3 }

  test("show counts to voters until they take the vote back", () => {
    const voted = given(
      ready("participant"),
      told("poll.opened", { poll: poll(2) }),
      answered("poll.vote", { pollId: "poll", optionIds: ["1"] }),
      told("poll.tally", TALLY),
      told("poll.updated", { poll: poll(3, { endsAt: AT }) }),
    )
    expect(voted.polls).toMatchObject({ chosen: { poll: ["1"] }, all: [{ counts: [2, 1], voters: 3, endsAt: AT }] })
    const back = given(voted, answered("poll.vote", { pollId: "poll", optionIds: [] }, 21))
    expect(back.polls.chosen).toEqual({})
    expect(back.polls.all[0]).not.toHaveProperty("counts")
  })

  test("lose counts that are unpublished again, but not for staff", () => {
    const news = [
      told("poll.published", { poll: poll(4, { results: "onPublish", published: true, counts: [1], voters: 1 }) }),
      told("poll.published", { poll: poll(5, { results: "onPublish" }) }),
    ]
    expect(given(ready("participant"), ...news).polls.all[0]).not.toHaveProperty("counts")
    expect(given(ready("host"), ...news).polls.all[0]).toHaveProperty("counts", [1])
  })

  test("that were deleted do not come back with a late reply", () => {
    const state = given(
      ready("host"),
      told("poll.deleted", { id: "poll" }),
      answered("poll.create", { poll: poll(1) }),
      answered("poll.vote", { pollId: "poll", optionIds: ["1"] }),
    )
    expect([state.polls.all, state.polls.chosen]).toEqual([[], {}])
  })
})

test("timers of polls and rounds outlast a phase change; the phase's own does not", () => {
  const timer = (id: string, scope: string, ref: string, more: object = {}) => ({
    id,
    scope,
    ref,
    state: "running",
    startedAt: AT,
    endsAt: AT,
    extendedMs: 0,
    rev: 1,
    ...more,
  })
  const begun = given(
    ready("participant"),
    told("timer.updated", { timer: timer("a", "phase", "a") }),
    told("timer.updated", { timer: timer("poll", "poll", "poll") }),
    told("phase.ended", { phaseId: "a", reason: "advance", phase: phase("a", "meeting", "ended") }),
    told("phase.started", { phase: phase("b", "meeting", "active"), timers: [timer("b", "phase", "b")] }),
  )
  expect(begun.timers.map(({ id }) => id)).toEqual(["b", "poll"])
  const over = told("timer.updated", { timer: timer("poll", "poll", "poll", { state: "elapsed", rev: 2 }) })
  expect(given(begun, over).timers.map(({ id }) => id)).toEqual(["b"])
  const round = (state: string, rev: number) => ({ timer: timer("x", "round", "1", { state, rev }), timerId: "x" })
  const inRound = given(begun, told("timer.updated", round("running", 1)))
  const timeIsUp = given(inRound, told("timer.elapsed", round("elapsed", 2)))
  expect(timeIsUp.timers.map(({ id }) => id)).toEqual(["b", "poll"])
  expect(given(timeIsUp, told("timer.updated", round("running", 3))).timers.at(-1)).toMatchObject({ id: "x", rev: 3 })
})

describe("rooms and rounds", () => {
  const breakout = (rev: number, endsAt: string | null = null) => ({
    id: "x",
    phaseId: "a",
    strategy: "balanced",
    late: "leastLoaded",
    openedAt: AT,
    endsAt,
    closesAt: null,
    rev,
  })
  const round = { n: 2, startsAt: AT, endsAt: AT, roomId: "r", partners: [], bye: false, repeat: false, leadMs: 0 }
  const rotation = (rev: number, n: number, status: string) => ({ id: "y", status, n, startsAt: AT, endsAt: AT, rev })

  test("open, fill, last longer and close", () => {
    const room = (rev: number, count: number) => ({ id: "r", name: "Room 1", count, open: true, rev })
    const open = given(
      ready("participant"),
      told("breakout.opened", { breakout: breakout(1), rooms: [room(1, 0)] }),
      told("assignment.updated", { roomId: "r", name: "Room 1", endsAt: null }, { st: "me" }),
      told("room.updated", { room: room(3, 2) }),
      told("room.updated", { room: room(2, 1) }),
      told("breakout.updated", { breakout: breakout(2, AT) }),
    )
    expect(open.rooms).toMatchObject({ rooms: [{ count: 2 }], assignment: { roomId: "r", endsAt: AT } })
    const closed = given(
      open,
      told("breakout.closed", { id: "x" }),
      told("assignment.ended", { roomId: "r", returnAt: AT }),
    )
    expect(closed.rooms).toMatchObject({ breakout: null, rooms: [], assignment: null })
  })

  test("a round is not ended by news from before it, whichever stream is faster", () => {
    const inRound = given(ready("participant"), told("rotation.round", round, { v: 22 }))
    const late = given(inRound, told("rotation.state", { rotation: rotation(3, 1, "break") }, { v: 21 }))
    expect(late.rooms.round).toEqual(round)
    const left = given(inRound, told("rotation.state", { rotation: rotation(5, 2, "ended") }, { v: 30 }))
    expect(left.rooms.round).toBe(null)
    expect(given(inRound, answered("rotation.opt", { in: false }, 23)).rooms).toMatchObject({
      round: null,
      optedOut: true,
    })
  })
})

test("a transcript replaces interim segments by final ones, and outlives a new snapshot", () => {
  const segment = (text: string, final: boolean) => ({
    segment: "1",
    final,
    speaker: "S",
    lang: "en",
    t0: 0,
    t1: 1,
    text,
  })
  const guessed = given(ready("participant"), told("transcript.interim", segment("helo", false)))
  expect(guessed.transcript.interim).toHaveLength(1)
  const said = given(
    guessed,
    told("transcript.segment", segment("hello", true)),
    told("transcript.interim", segment("helo", false)),
  )
  expect(said.transcript).toEqual({ segments: [segment("hello", true)], interim: [] })
})

test("a broadcast belongs to its phase; mutes and captures are those of the last dispatch", () => {
  const broadcast = { broadcastId: "b", phaseId: "a", status: "live", playbackUrl: null, startedAt: AT }
  const state = given(
    ready("participant"),
    told("broadcast.live", { broadcast }),
    told("me.muted", { muted: true, until: null }),
    told("capture.state", { on: true, kinds: ["recording"], since: AT }),
  )
  expect(state).toMatchObject({ broadcast, muted: { until: null }, capture: { on: true } })
  const ended = told("phase.ended", { phaseId: "a", phase: { ...phase("a", "meeting", "ended"), rev: 2 } })
  const next = given(state, ended, told("me.muted", { muted: false, until: null }))
  expect([next.broadcast, next.muted]).toEqual([null, null])
})

test("staff know the encoder from the beginning, by its changes, and until the broadcast ends", () => {
  const encoder = { broadcastId: "b", phaseId: "a", state: "receiving", failure: null } as const
  const lost = { ...encoder, state: "lost", failure: { code: "not_stored", detail: "Later." } } as const
  const broadcast = { broadcastId: "b", phaseId: "a", status: "ended", playbackUrl: null, startedAt: AT }
  expect(ready("participant").encoder).toBeNull()
  const state = ready("host", { encoder })
  expect(state.encoder).toEqual(encoder)
  expect(given(state, told("broadcast.stream", lost)).encoder).toEqual(lost)
  expect(given(state, told("broadcast.stream", lost), told("broadcast.ended", { broadcast })).encoder).toBeNull()
})
