/** What the viewer's page shows and does, without the page: `viewer-page.js` draws it. */
import { activePhase, GatewayClient, makeRestClient, shownQuestions } from "@gathercue/client"

/** @import { EventState } from "@gathercue/client" */

/**
 * A client that watches a public event; nobody has to sign in for that.
 * @param {string} server such as `http://127.0.0.1:8080`
 * @param {string} eventId
 */
export const watch = (server, eventId) => {
  const api = makeRestClient({ baseUrl: server })
  return new GatewayClient({
    token: () => api.createGatewayToken({ payload: { eventId } }),
    name: "viewer-example",
    mute: ["transcript"],
  })
}

/** @param {number} ms */
export const minutesAndSeconds = (ms) => {
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

/** @param {EventState} state */
const pollOf = ({ polls }) => {
  const poll = polls.all.findLast(({ status }) => status === "open") ?? polls.all.at(-1)
  if (poll === undefined) return null
  const chosen = polls.chosen[poll.id] ?? []
  const options = poll.options.map(({ id, text }, index) => ({
    id,
    text,
    isChosen: chosen.includes(id),
    votes: poll.counts?.[index] ?? null,
  }))
  return { id: poll.id, question: poll.question, isOpen: poll.status === "open", options }
}

/**
 * Everything the page shows, as plain data. Called anew whenever something changed, and every second for the clock.
 * @param {GatewayClient} client
 */
export const look = (client) => {
  const { state, status, clock } = client
  if (state === undefined) return { status, event: null }
  const { me } = state
  const timer = state.timers.find(({ scope }) => scope === "phase")
  return {
    status,
    event: state.event.title,
    phase: activePhase(state)?.modality ?? state.event.status,
    timeLeft: timer === undefined ? null : minutesAndSeconds(clock.remaining(timer)),
    watching: state.presence.total,
    playbackUrl: state.broadcast?.playbackUrl ?? null,
    questions: shownQuestions(state.questions).map(({ id, text, authorName, votes, answer }) => ({
      id,
      text,
      by: authorName ?? "somebody",
      votes,
      answer,
      isVoted: state.questions.voted.includes(id),
    })),
    chat: state.chat.event.map(({ id, name, text }) => ({ id, name, text })),
    poll: pollOf(state),
    // What the role, the phase and the event's settings allow now: show no button that would be refused.
    may: {
      ask: me.can.includes("question.ask"),
      vote: me.can.includes("question.vote"),
      chat: me.chatTo.includes("event"),
      choose: me.can.includes("poll.vote"),
      react: me.can.includes("reaction.send"),
    },
  }
}

/**
 * What people do on the page. Every one of them resolves when it is done and rejects with `CommandRefused` when it is not.
 * @param {GatewayClient} client
 */
export const actions = (client) => ({
  /** @param {string} text */
  ask: (text) => client.command("question.ask", { text }),
  /** @param {string} id @param {boolean} on */
  vote: (id, on) => client.command("question.vote", { id, on }),
  /** @param {string} text */
  say: (text) => client.command("chat.send", { to: "event", text }),
  /** @param {string} id @param {string} optionId */
  choose: (id, optionId) => client.command("poll.vote", { id, optionIds: [optionId] }),
  clap: () => client.command("reaction.send", { kind: "clap" }),
})
