/** Examples of reports of an event, and of its join code. */
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { formAnswer } from "./form-objects.ts"

export const attendee = {
  participantId: ids.user,
  userId: ids.user,
  name: "Grace Hopper",
  email: "grace@example.com",
  role: "participant",
  kind: "user",
  present: false,
  firstJoinedAt: T0,
  lastLeftAt: T1,
  seconds: 3480,
  stays: 2,
}
export const ATTENDANCE_CSV = `participantId,userId,name,email,role,kind,present,firstJoinedAt,lastLeftAt,seconds,stays\r\n${ids.user},${ids.user},Grace Hopper,grace@example.com,participant,user,false,${T0},${T1},3480,2\r\n`

export const registration = {
  id: ids.session,
  eventId: ids.event,
  name: "Grace Hopper",
  email: "grace@example.com",
  createdAt: T0,
  state: "approved",
  position: null,
  offerEndsAt: null,
  declineReason: null,
  bouncedAt: null,
  answers: [formAnswer],
}
export const REGISTRATIONS_CSV = `id,name,email,createdAt,state,position,offerEndsAt,declineReason,bouncedAt,Where do you work?\r\n${ids.session},Grace Hopper,grace@example.com,${T0},approved,,,,,Acme\r\n`

export const chatMessage = {
  id: ids.session,
  to: "event",
  roomId: null,
  participantId: ids.user,
  name: "Grace Hopper",
  role: "participant",
  text: "Hello",
  replyTo: null,
  at: T1,
}
export const CHAT_CSV = `id,at,to,roomId,participantId,name,role,text,replyTo\r\n${ids.session},${T1},event,,${ids.user},Grace Hopper,participant,Hello,\r\n`

export const pollResult = {
  id: ids.session,
  question: "Tea or coffee?",
  kind: "single",
  status: "closed",
  voters: 12,
  options: [
    { id: "1", text: "Tea", votes: 7 },
    { id: "2", text: "Coffee", votes: 5 },
  ],
  createdAt: T0,
  openedAt: T0,
  closedAt: T1,
}
export const POLLS_CSV = `pollId,question,kind,status,voters,optionId,option,votes\r\n${ids.session},Tea or coffee?,single,closed,12,1,Tea,7\r\n`

export const heldRound = {
  id: ids.session,
  number: 1,
  at: T1,
  groups: [[ids.user, ids.member]],
  byes: [],
}
export const ROUNDS_CSV = `roundId,number,at,group,participantId\r\n${ids.session},1,${T1},1,${ids.user}\r\n`

export const QUESTIONS_CSV = `id,createdAt,phaseId,authorUserId,authorName,anonymous,text,votes,status,pinned,answer,answeredAt\r\n${ids.question},${T1},${ids.phase},${ids.user},Grace Hopper,false,When does it ship?,12,approved,false,,\r\n`

export const MEMBERSHIPS_CSV = `id,userId,name,email,role,createdAt\r\n${ids.membership},${ids.user},Grace Hopper,grace@example.com,speaker,${T0}\r\n`

const PAGE = `https://events.example.com/enter/${ids.event}`

export const joinCode = {
  code: "K7MPX4",
  url: PAGE,
  qrUrl: `https://events.example.com/v1/public/events/${ids.event}/qr.svg`,
}
export const joinTarget = {
  eventId: ids.event,
  title: "Spring launch",
  status: "scheduled",
  scheduledAt: T0,
  url: PAGE,
}
export const QR_CODE = '<?xml version="1.0" encoding="UTF-8" ?><svg xmlns="http://www.w3.org/2000/svg"></svg>'

export const personalItem = {
  kind: "attendance",
  id: ids.user,
  eventId: ids.event,
  at: T0,
  data: { name: "Grace Hopper", role: "participant", kind: "user", lastLeftAt: T1, attendedMs: 3_480_000, stays: 2 },
}
export const guestItem = {
  ...personalItem,
  id: "guest:6f1c6f43-5b4e-5c0a-9d3e-2b8a4f7c1e90",
  data: { ...personalItem.data, kind: "guest" },
}
export const registrationItem = {
  kind: "registration",
  id: ids.session,
  eventId: ids.event,
  at: T0,
  data: { name: "Grace Hopper", email: "grace@example.com" },
}
export const AUDIT_CSV =
  "id,createdAt,action,actorKind,actorId,targetId,requestId,address,client\r\n" +
  `${ids.audit},${T0},api_key.created,account,${ids.account},${ids.key},${ids.request},203.0.113.7,Firefox on Linux\r\n`
