/** The scenarios of hosts who come and go. */
import type { EventInMemory } from "./event-in-memory.ts"
import type { Scenario } from "./play.ts"
import { admitted, next, pass, people, send, start } from "./steps.ts"

const CALL = { modality: "meeting" } as const
const STREAM = { modality: "broadcast" } as const
const ABSENCE = { hostAbsence: { measure: "slowChat", afterSeconds: 60 } } as const
const CLOSING = { hostAbsence: { measure: "lobbyClosed", afterSeconds: 60 } } as const

const noAbsence = (event: EventInMemory): void => {
  if (event.records.get("hostAway", "-") !== undefined) throw new Error("a host is here, or none is needed")
}

export const HOSTS: ReadonlyArray<Scenario> = [
  {
    name: "an event without hosts takes its measure in time, until one is back",
    given: { phases: [CALL, CALL], event: ABSENCE, people: ["host", "a"] },
    steps: [
      start,
      [pass(600), { in: { hosts: "here" }, hides: ["host.absence"] }],
      [people("a"), { in: { hosts: "away" } }],
      [pass(59), { in: { hosts: "away" }, hides: ["host.absence"] }],
      [people("a", "host"), { in: { hosts: "here" }, hides: ["host.absence"] }],
      [people("a"), { in: { hosts: "away" } }],
      [pass(60), { in: { hosts: "unattended" }, tells: ["host.absence", "webhook host.absent", "chat.settings"] }],
      [people("a", "b"), { in: { hosts: "unattended" }, hides: ["host.absence"] }],
      [next[0], { in: { hosts: "unattended" } }],
      [people("host"), { in: { hosts: "here" }, tells: ["host.absence", "webhook host.returned", "chat.settings"] }],
    ],
  },
  {
    name: "the time without hosts begins when the last one has left, and anew when that happens again",
    given: { phases: [CALL, CALL], event: ABSENCE, people: ["host"] },
    steps: [
      start,
      [pass(30), {}],
      [next[0], { in: { hosts: "here" } }],
      [(event) => void noAbsence(event), {}],
      [people("host", "a"), { in: { hosts: "here" } }],
      [(event) => void noAbsence(event), {}],
      [send("event.patch", { title: "U" }), { in: { hosts: "here" } }],
      [(event) => void noAbsence(event), {}],
      [people("a"), { in: { hosts: "away" } }],
      [pass(40), {}],
      [people("a", "b"), { in: { hosts: "away" } }],
      [pass(20), { in: { hosts: "unattended" } }],
    ],
  },
  {
    name: "an event that begins without hosts, and one whose settings change, follow at once",
    given: { phases: [CALL, CALL], event: ABSENCE, people: ["a"] },
    steps: [
      start,
      [() => {}, { in: { hosts: "away" } }],
      [send("event.patch", { hostAbsence: { measure: "nothing", afterSeconds: 60 } }), { in: { hosts: "here" } }],
      [send("event.patch", { hostAbsence: { measure: "locked", afterSeconds: 60 } }), { in: { hosts: "away" } }],
      [pass(60), { in: { hosts: "unattended" } }],
      [send("event.patch", { hostAbsence: { measure: "locked", afterSeconds: 90 } }), { in: { hosts: "unattended" } }],
      [
        send("event.patch", { hostAbsence: { measure: "slowChat", afterSeconds: 600 } }),
        { in: { hosts: "away" }, tells: ["host.absence", "webhook host.returned"] },
      ],
      [send("event.end"), { life: "ended" }],
      [(event) => void noAbsence(event), {}],
    ],
  },
  {
    name: "an event that is unattended goes on when nothing is to be done any more",
    given: { phases: [CALL], event: ABSENCE, people: ["a"] },
    steps: [
      start,
      [pass(60), { in: { hosts: "unattended" } }],
      [send("event.patch", { hostAbsence: { measure: "nothing", afterSeconds: 60 } }), { in: { hosts: "here" } }],
    ],
  },
  {
    name: "hosts who come with the next phase are seen",
    given: { phases: [CALL, CALL, CALL], event: ABSENCE, people: ["a"] },
    steps: [
      start,
      [(event) => event.records.write("role", "a", { role: "host" }), {}],
      [next[0], { in: { hosts: "here" } }],
      [(event) => event.records.write("role", "a", { role: "participant" }), {}],
      [next[0], { in: { hosts: "away" } }],
      [(event) => event.records.write("role", "a", { role: "host" }), {}],
      [pass(60), { in: { hosts: "here" }, hides: ["host.absence"] }],
      [(event) => event.records.write("role", "a", { role: "participant" }), {}],
      [people("a"), { in: { hosts: "away" } }],
      [pass(60), { in: { hosts: "unattended" } }],
    ],
  },
  {
    name: "a host who comes with the next phase ends the measure",
    given: { phases: [CALL, CALL], event: ABSENCE, people: ["a"] },
    steps: [
      start,
      [pass(60), { in: { hosts: "unattended" } }],
      [(event) => event.records.write("role", "a", { role: "host" }), {}],
      [next[0], { in: { hosts: "here" }, tells: ["host.absence"] }],
    ],
  },
  {
    name: "the door is shut while no host is there",
    given: { phases: [CALL, STREAM, CALL], event: CLOSING, people: ["a"] },
    steps: [
      start,
      [pass(60), { in: { hosts: "unattended", door: "shut" } }],
      [admitted("a"), {}],
      [people("host", "a"), { in: { hosts: "here", door: "open" } }],
      [people("a", "b"), { in: { hosts: "away" } }],
      next,
      [pass(60), { in: { hosts: "unattended", door: "none" } }],
      [next[0], { in: { door: "shut" } }],
      [admitted("a", "b"), {}],
    ],
  },
]
