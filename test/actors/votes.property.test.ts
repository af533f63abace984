/**
 * Tallies in memory, thousands of interleavings: every count is the set of its voters after each step. Voters vote, take votes back and
 * send invalid votes, while hosts close, delete and hide. A refusal changes nothing.
 */
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { ActivityCommand, Caller } from "../../src/actors/commands.ts"
import { Refused } from "../../src/actors/commands.ts"
import { Turn } from "../../src/actors/domain/turn.ts"
import { decide } from "../../src/actors/machine/decide.ts"
import { chartInRows } from "../../src/actors/machine/recovery.ts"
import { NOBODY } from "../../src/actors/presence/presence.ts"
import { RecordStore } from "../../src/actors/state/record-store.ts"
import type { LiveState } from "../../src/actors/state/state.ts"
import { NEW_EVENT } from "../../src/model/event.ts"
import type { Kind } from "../../src/model/live/live-records.ts"

const START = Date.parse("2027-01-01T00:00:00.000Z")
const AT = "2027-01-01T00:00:00.000Z"

const ROWS: Pick<LiveState, "event" | "phases"> = {
  event: {
    ...NEW_EVENT,
    id: "event",
    workspaceId: "workspace",
    type: "t",
    title: "T",
    status: "live",
    visibility: "public",
    allowAnonymousVoting: true,
    allowAnonymousQuestions: true,
    capacity: null,
    createdAt: AT,
    updatedAt: AT,
    publishedAt: AT,
    cancelledAt: null,
    cancelReason: null,
    startedAt: AT,
    endedAt: null,
  },
  phases: [
    {
      id: "phase",
      eventId: "event",
      position: 0,
      modality: "broadcast",
      config: {},
      featureSet: ["qa", "polls"],
      status: "active",
      startedAt: AT,
      endedAt: null,
      timerEndsAt: null,
      extendedSeconds: 0,
      rev: 2,
      timerRev: 0,
      timerElapsed: false,
    },
  ],
}
const STATE: LiveState = {
  ...ROWS,
  chart: chartInRows(ROWS, new RecordStore()),
  removed: [],
}

const POLLS = [
  { id: "p-single", kind: "single", allowChange: true, results: "live" },
  { id: "p-multi", kind: "multi", allowChange: true, results: "afterVote" },
  { id: "p-rating", kind: "rating", allowChange: false, results: "onPublish" },
] as const
const PEOPLE = 6
const QUESTIONS = ["q0", "q1"]

/** The first three have no name, and may come from another address each time. */
const NAMELESS = 3
const isNameless = (participantId: string): boolean => Number(participantId.slice(1)) < NAMELESS

const person = (n: number, address = "a0"): Caller => ({
  participantId: `p${n}`,
  name: `P${n}`,
  userId: null,
  role: "viewer",
  ...(n < NAMELESS ? { kind: "anonymous", address } : { kind: "guest" }),
})
const HOST: Caller = { participantId: "host", name: "H", userId: "host", kind: "user", role: "host", walkIn: false }

interface Step {
  readonly by: Caller
  readonly command: ActivityCommand
}

const voter = fc.tuple(fc.nat(PEOPLE - 1), fc.constantFrom("a0", "a1")).map(([n, address]) => person(n, address))
const poll = fc.constantFrom(...POLLS.map(({ id }) => id), "no such poll")
const question = fc.constantFrom(...QUESTIONS, "no such question")
const by = (who: fc.Arbitrary<Caller>, command: fc.Arbitrary<ActivityCommand>): fc.Arbitrary<Step> =>
  fc.record({ by: who, command })
const host = fc.constant(HOST)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: by(
      voter,
      fc.record({ id: poll, optionIds: fc.array(fc.constantFrom("1", "2", "3", "4"), { maxLength: 4 }) }).map((d) => ({
        type: "poll.vote",
        d,
      })),
    ),
  },
  {
    weight: 8,
    arbitrary: by(
      voter,
      fc.record({ id: question, on: fc.boolean() }).map((d) => ({ type: "question.vote", d })),
    ),
  },
  {
    weight: 1,
    arbitrary: by(
      voter,
      question.map((id) => ({ type: "question.withdraw", d: { id } })),
    ),
  },
  {
    weight: 2,
    arbitrary: by(
      host,
      fc.oneof(
        poll.map((id) => ({ type: "poll.close" as const, d: { id } })),
        poll.map((id) => ({ type: "poll.open" as const, d: { id } })),
        poll.map((id) => ({ type: "poll.delete" as const, d: { id } })),
        question.map((id) => ({ type: "question.hide" as const, d: { id } })),
        question.map((id) => ({ type: "question.restore" as const, d: { id } })),
      ),
    ),
  },
)

const KINDS: ReadonlyArray<Kind> = [
  "poll",
  "pollVote",
  "question",
  "questionVote",
  "asker",
  "origin",
  "originVotes",
  "signedOutVotes",
]
const recordsOf = (records: RecordStore): string => JSON.stringify(KINDS.map((kind) => [...records.all(kind)].sort()))

/** `toEqual`, which alone would take most of the time of a million comparisons. */
const expectEqual = (found: unknown, wanted: unknown): void => {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted)
}
const expectMore = (found: number, than: number): void => {
  if (!(found > than)) expect(found).toBeGreaterThan(than)
}

/** Voters without a name and their addresses, of each poll and question, counted anew from the votes. */
const expectSignedOut = (records: RecordStore): void => {
  const votes = [...records.all("pollVote").keys(), ...records.all("questionVote").keys()].map((key) => key.split(" "))
  const counted = new Map<string, string[]>()
  for (const [of = "", who = ""] of votes) {
    if (isNameless(who)) counted.set(of, [...(counted.get(of) ?? []), records.get("origin", who)?.address ?? "none"])
  }
  const held = votes.map(([, who = ""]) => who).filter(isNameless)
  for (const [who, { votes: count }] of records.all("origin")) {
    expectEqual(count, held.filter((one) => one === who).length)
    expectMore(count, 0)
  }
  const expected = Array.from(counted, ([of, origins]) => {
    return [of, { voters: origins.length, addresses: new Set(origins).size }] as const
  })
  expectEqual(Object.fromEntries(records.all("signedOutVotes")), Object.fromEntries(expected))
  const sums = new Map<string, number>()
  for (const [key, votesThere] of records.all("originVotes")) {
    const of = key.split(" ")[0] ?? ""
    expectMore(votesThere, 0)
    sums.set(of, (sums.get(of) ?? 0) + votesThere)
  }
  expectEqual(Object.fromEntries(sums), Object.fromEntries(expected.map(([of, { voters }]) => [of, voters])))
}

const expectExact = (records: RecordStore): void => {
  for (const [id, { counts, voters, options }] of records.all("poll")) {
    const votes = [...records.all("pollVote")].filter(([key]) => key.startsWith(`${id} `))
    const chosen = votes.flatMap(([, choice]) => choice)
    expectEqual(voters, votes.length)
    expectEqual(
      counts,
      options.map((option) => chosen.filter((one) => one === option.id).length),
    )
  }
  for (const [id, { votes }] of records.all("question")) {
    const voters = [...records.all("questionVote").keys()].filter((key) => key.startsWith(`${id} `))
    expectEqual(votes, voters.length)
  }
  expectSignedOut(records)
  // Nobody's vote outlives what it was for.
  for (const [votes, of] of [
    ["pollVote", "poll"],
    ["questionVote", "question"],
  ] as const) {
    const orphans = [...records.all(votes).keys()].filter((key) => !records.all(of).has(key.split(" ")[0] ?? ""))
    expectEqual(orphans, [])
  }
}

/** Decides on a records; true when it was done. */
const take = (records: RecordStore, { by: caller, command }: Step, now: number, freshId: string): boolean => {
  const before = recordsOf(records)
  const turn = new Turn({
    records,
    state: STATE,
    people: NOBODY,
    by: caller,
    now,
    freshId,
    deployment: { playbackUrlOf: () => null, recorder: null, hasStageBroadcasts: false },
  })
  const given = { commandId: freshId, scope: caller.participantId, bodyHash: "", by: caller, at: now, freshId, command }
  const result = decide(turn, given)
  if (!(result instanceof Refused)) return true
  turn.undo()
  expectEqual(recordsOf(records), before)
  return false
}

const openFloor = (): RecordStore => {
  const records = new RecordStore()
  for (const { id, ...more } of POLLS) {
    const options = ["a", "b", "c"]
    expect(
      take(records, { by: HOST, command: { type: "poll.create", d: { question: "?", options, ...more } } }, START, id),
    ).toBe(true)
    expect(take(records, { by: HOST, command: { type: "poll.open", d: { id } } }, START, "open")).toBe(true)
  }
  for (const [n, id] of QUESTIONS.entries()) {
    const asked: Step = { by: person(n + 1), command: { type: "question.ask", d: { text: "?", anonymous: n === 1 } } }
    expect(take(records, asked, START, id)).toBe(true)
  }
  return records
}

test("every count is the set of its voters, whatever happens, and a refusal changes nothing", () => {
  let done = 0
  let refused = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), (steps) => {
      const records = openFloor()
      for (const [n, one] of steps.entries()) {
        if (take(records, one, START + n, `id${n}`)) done++
        else refused++
        expectExact(records)
      }
    }),
    { numRuns: 120 },
  )
  expect(done).toBeGreaterThan(500)
  expect(refused).toBeGreaterThan(50)
})
