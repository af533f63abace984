/** Hands, the stage, the lobby, and what one participant does in several tabs, as a client follows them. */
import { describe, expect, test } from "vitest"
import { AT, answered, given, phase, question, ready, told } from "./news.ts"

describe("hands and the stage", () => {
  const hand = { participantId: "p", name: "P", note: null, at: AT }

  test("a hand goes down when staff lower it, but not for news from before it went up", () => {
    const person = { participantId: "p", name: "P", role: "participant", roomId: null, muted: false, joinedAt: AT }
    const listed = (v: number) =>
      told("presence.diff", { join: [], left: [], update: [{ ...person, kind: "user", hand: false }] }, { v })
    const raised = given(ready("participant"), answered("hand.raise", { hand }, 20))
    expect(given(raised, listed(19)).hands.mine).toEqual(hand)
    expect(given(raised, listed(21)).hands.mine).toBe(null)
  })

  test("an older queue changes nothing", () => {
    const state = given(
      ready("host"),
      told("hand.queue", { add: [hand], remove: [], rev: 7 }),
      told("hand.queue", { add: [], remove: ["p"], rev: 6 }),
    )
    expect(state.hands.queue).toEqual([hand])
    const earlier = { ...hand, participantId: "a" }
    const more = given(state, told("hand.queue", { add: [earlier, { ...hand, note: "!" }], remove: [], rev: 8 }))
    expect(more.hands.queue).toEqual([earlier, { ...hand, note: "!" }])
    expect(given(more, told("hand.queue", { add: [], remove: ["a"], rev: 9 })).hands.queue).toMatchObject([
      { note: "!" },
    ])
  })

  test("an invitation leads onto the stage, in every tab", () => {
    const invited = given(ready("participant"), told("stage.invited", { expiresAt: AT }))
    expect(invited.stage).toEqual({ state: "invited", expiresAt: AT })
    const news = { role: "speaker", can: ["question.answer"], chatTo: ["staff"], reason: "stage" }
    const onStage = given(invited, told("me.updated", news))
    expect(onStage).toMatchObject({ stage: { state: "on" }, me: { role: "speaker", chatTo: ["staff"] } })
    expect(given(onStage, answered("stage.leave", { stage: null })).stage).toBe(null)
  })
})

test("an action in one tab changes the state of the other, and an older dispatch changes nothing", () => {
  const hand = { participantId: "p", name: "P", note: null, at: AT }
  const on = { state: "on", expiresAt: null }
  const tab = given(
    ready("participant", { questions: { top: [question("q", 1)], moderated: null, open: true } }),
    told("me.hand", { hand }),
    told("me.stage", { stage: on }),
    told("me.opted", { in: false }),
    told("me.voted", { questionId: "q", on: true }),
    told("me.pollVoted", { pollId: "poll", optionIds: ["1"] }),
  )
  expect(tab).toMatchObject({ hands: { mine: hand }, stage: on, rooms: { optedOut: true } })
  expect([tab.questions.voted, tab.polls.chosen]).toEqual([["q"], { poll: ["1"] }])
  const after = given(
    tab,
    answered("stage.leave", { stage: null }, 19),
    answered("rotation.opt", { in: true }, 19),
    answered("hand.lower", { hand: null }, 19),
  )
  expect(after).toBe(tab)
  const back = given(
    tab,
    told("me.hand", { hand: null }, { v: 21 }),
    told("me.stage", { stage: null }, { v: 21 }),
    told("me.opted", { in: true }, { v: 21 }),
    told("me.voted", { questionId: "q", on: false }),
    told("me.pollVoted", { pollId: "poll", optionIds: [] }),
  )
  expect(back).toMatchObject({ hands: { mine: null }, stage: null, rooms: { optedOut: false } })
  expect([back.questions.voted, back.polls.chosen]).toEqual([[], {}])
})

test("the lobby's queue is counted beyond the listed part, and its policy follows the phase", () => {
  const waiting = (participantId: string) => ({ participantId, name: "", kind: "guest" as const, since: AT })
  const state = given(
    ready("host", { lobby: { total: 3, waiting: [waiting("a")] }, lobbyPolicy: "open" }),
    told("lobby.waiting", { add: [waiting("b")], remove: ["a", "unlisted"] }),
    told("lobby.settings", { mode: "ask" }),
  )
  expect(state.lobby).toMatchObject({ total: 2, waiting: [{ participantId: "b" }], policy: "ask" })
  const broadcast = told("phase.started", { phase: phase("b", "broadcast", "active"), timers: [] })
  const ended = told("phase.ended", { phaseId: "a", phase: { ...phase("a", "meeting", "ended"), rev: 2 } })
  expect(given(state, ended, broadcast).lobby.policy).toBe("open")
  const call = told("phase.started", { phase: phase("c", "meeting", "active"), timers: [] })
  expect(given(ready("host", { lobbyPolicy: "open", lobbySaid: "ask" }), call).lobby.policy).toBe("ask")
  const absence = { since: AT, measure: "lobbyClosed" as const }
  const unattended = ready("host", { lobbyPolicy: "closed", lobbySaid: "ask", hostAbsence: absence })
  expect(given(unattended, call).lobby.policy).toBe("closed")
  expect(given(unattended, told("host.absence", { absence: null })).lobby.policy).toBe("ask")
  expect(given(state, told("host.absence", { absence })).lobby.policy).toBe("closed")
})
