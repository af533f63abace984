/** Objects of a live event that examples are made of. */
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { event, phase } from "./example-objects.ts"

export const liveParticipant = {
  participantId: ids.user,
  name: "Grace Hopper",
  role: "participant",
  roomId: null,
  hand: false,
  muted: false,
  joinedAt: T1,
  kind: "user",
}

export const liveRoom = { id: ids.session, name: "Room 1", count: 4, open: true, rev: 1 }

const { id, title, status, visibility, startedAt, endedAt } = event

export const liveState = {
  epoch: ids.request,
  v: 12,
  can: ["phase.next", "announce", "chat.send"],
  serverTime: Date.parse(T1),
  encoder: null,
  event: { id, title, status, visibility, startedAt, endedAt },
  phase: null,
  phases: [{ ...phase, rev: 1 }],
  timers: [],
  presence: { mode: "list", total: 1, list: [liveParticipant] },
  questions: { top: [], moderated: null, open: true },
  chat: { last: [], slowMs: 0 },
  polls: [],
  hands: { count: 0 },
  rooms: [liveRoom],
  breakout: null,
  rotation: null,
  broadcast: null,
  capture: { on: false, kinds: [], since: null },
  lobbyPolicy: "open",
  lobbySaid: null,
  hostAbsence: null,
  moderation: { pendingCount: 0, pending: [] },
  staffChat: [],
  staffPolls: [
    {
      id: ids.clip,
      rev: 1,
      question: "Which session was best?",
      kind: "single",
      options: [
        { id: "1", text: "The first" },
        { id: "2", text: "The second" },
      ],
      anonymous: false,
      allowChange: true,
      results: "live",
      status: "draft",
      published: false,
      counts: [0, 0],
      voters: 0,
      createdAt: T0,
      openedAt: null,
      closedAt: null,
      endsAt: null,
    },
  ],
  signedOutVotes: [],
  handQueue: { items: [], rev: 0 },
  lobby: { total: 0, waiting: [] },
  blocked: [],
}
