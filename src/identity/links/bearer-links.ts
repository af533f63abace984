/**
 * Validity of bearer links in use. A link is looked up when it arrives. While it is used, or a stream that it opened lasts, all links are
 * looked up again every few seconds, and those with open streams at once after a change of grants or a commit of a live event. A stream
 * whose link has ended is cut. Without the database everything stays unchanged.
 */
import { Context, Effect, Layer } from "effect"
import { chunksOf } from "effect/Array"
import { Throttle } from "../../clock/throttle.ts"
import { currentTimers, every } from "../../clock/timers.ts"
import { Unauthorized, type Unavailable } from "../../model/errors.ts"
import { type HeldLink, linkIdOf } from "../../model/links.ts"
import { Database } from "../../store/database.ts"
import { Gathering } from "../../store/gathering.ts"
import { noteLinks } from "../../store/links/bearer-links.ts"
import { linksHold } from "../../store/links/link-states.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { failureOf } from "../../store/query.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { GrantChanges } from "../grant-changes.ts"

/** Look-up interval: an ended link is refused, and its stream cut, within ten seconds, even when one look-up fails. */
const LOOK_EVERY_MS = 4000
/** Time after its last use at which a link is no longer in use. */
const UNUSED_AFTER_MS = 8000
const NOTE_EVERY_MS = 60_000
/** Maximum age of a look-up that counts: a node is not told of each commit at another one. */
const LOOK_COUNTS_MS = 1000
/** Batching delay: changes come in bursts, and one look-up serves them all. */
const GATHER_MS = 25
const LINKS_PER_STATEMENT = 500
const STATEMENTS = 2
const SLOW_MS = 1000

export const LINK_ENDED = new Unauthorized({ detail: "The address has ended with what it rested on." })

interface Used {
  readonly link: HeldLink
  usedAt: number
  notedAt: number
  readonly cuts: Set<() => void>
  /** Time of the last look-up, and the number of changes then; undefined before it. */
  looked: { readonly changes: number; readonly at: number } | undefined
}

interface Question {
  readonly link: HeldLink
  readonly answer: (holds: boolean) => void
  readonly fail: (cause: unknown) => void
}

export class BearerLinks extends Context.Service<
  BearerLinks,
  {
    /** Fails for a link that has ended. */
    readonly admit: (link: HeldLink) => Effect.Effect<void, Unauthorized | Unavailable>
    /** Whether the link is in use, and was valid at the last look-up. */
    readonly isKnown: (link: HeldLink) => boolean
    /**
     * Looks up a link at the end of a body that it authorised. A look-up of the last second counts, unless this process has received a
     * change since.
     */
    readonly confirm: (link: HeldLink) => Effect.Effect<void, Unauthorized | Unavailable>
    /** Registers a stream opened by a link: `cut` is called when the link ends. Returns a function that ends the stream. */
    readonly open: (link: HeldLink, cut: () => void) => () => void
  }
>()("gathercue/BearerLinks") {
  static readonly layer = (): Layer.Layer<BearerLinks, never, Database | GrantChanges | MediaSignal | Telemetry> =>
    Layer.effect(BearerLinks, make)
}

const keyOf = (link: HeldLink): string => `${linkIdOf(link)} ${link.givenAt}`

const make = Effect.gen(function* () {
  const database = yield* Database
  const timers = yield* currentTimers
  const { log } = yield* Telemetry
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const used = new Map<string, Used>()
  const now = (): NonNullable<Used["looked"]> => ({ changes, at: timers.elapsed() })
  /** Number of grant changes and commits of live events that this process has received. */
  let changes = 0

  const gathering = new Gathering<Question>({
    timers,
    atOnce: STATEMENTS,
    most: LINKS_PER_STATEMENT,
    slowMs: SLOW_MS,
    send: async (questions) => {
      try {
        const links = questions.map(({ link }) => link)
        const hold = await linksHold(database.sql, links)
        for (const [n, { answer }] of questions.entries()) answer(hold[n] === true)
      } catch (cause) {
        log.warn({ err: cause }, "bearer links could not be looked at")
        for (const { fail } of questions) fail(cause)
      }
    },
  })

  const find = (link: HeldLink): Promise<boolean> =>
    new Promise((answer, fail) => gathering.add({ link, answer, fail }))

  const end = (key: string, one: Used): void => {
    if (used.get(key) === one) used.delete(key)
    for (const cut of one.cuts) cut()
  }

  /** A failure leaves the link unchanged until the next look-up. */
  const lookAt = ([key, one]: readonly [string, Used]): void => {
    const before = now()
    find(one.link).then(
      (holds) => {
        if (holds) one.looked = before
        else end(key, one)
      },
      () => {},
    )
  }

  const use = (link: HeldLink): Used => {
    const key = keyOf(link)
    const one = used.get(key) ?? {
      link,
      usedAt: 0,
      notedAt: Number.NEGATIVE_INFINITY,
      cuts: new Set(),
      looked: undefined,
    }
    one.usedAt = timers.elapsed()
    used.set(key, one)
    return one
  }

  const note = (now: number): void => {
    const some = [...used.values()].filter(({ usedAt, notedAt }) => usedAt > notedAt && now - notedAt > NOTE_EVERY_MS)
    for (const one of some) one.notedAt = now
    const since = timers.now() - now
    const notes = some.map(({ link, usedAt }) => ({ link, usedAt: Math.round(usedAt + since) }))
    const write = (batch: typeof notes) => database.run((sql) => noteLinks(sql, batch))
    fork(Effect.ignore(Effect.forEach(chunksOf(notes, LINKS_PER_STATEMENT), write, { discard: true })))
  }

  const stop = every(timers, LOOK_EVERY_MS, () => {
    const now = timers.elapsed()
    note(now)
    for (const [key, one] of used) {
      if (one.cuts.size > 0) one.usedAt = now
      if (now - one.usedAt > UNUSED_AFTER_MS) used.delete(key)
      else lookAt([key, one])
    }
  })
  const soon = new Throttle(
    timers,
    () => GATHER_MS,
    () => {
      for (const entry of used) if (entry[1].cuts.size > 0) lookAt(entry)
    },
  )
  const changed = (): void => {
    changes++
    soon.request()
  }
  const silences = [(yield* GrantChanges).subscribe(changed), (yield* MediaSignal).subscribe(changed)]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      stop()
      soon.cancel()
      for (const silence of silences) silence()
    }),
  )

  const isKnown = (link: HeldLink): boolean => {
    const one = used.get(keyOf(link))
    if (one === undefined) return false
    one.usedAt = timers.elapsed()
    return true
  }

  const admit = (link: HeldLink): Effect.Effect<void, Unauthorized | Unavailable> =>
    Effect.callback((resume) => {
      const before = now()
      find(link).then(
        (holds) => {
          if (holds) use(link).looked = before
          resume(holds ? Effect.void : Effect.fail(LINK_ENDED))
        },
        (cause: unknown) => resume(isKnown(link) ? Effect.void : failureOf(cause)),
      )
    })

  return BearerLinks.of({
    isKnown,
    admit,
    confirm: (link) =>
      Effect.suspend(() => {
        const looked = used.get(keyOf(link))?.looked
        const counts = looked?.changes === changes && timers.elapsed() - looked.at < LOOK_COUNTS_MS
        return counts ? Effect.void : admit(link)
      }),
    open: (link, cut) => {
      const { cuts } = use(link)
      cuts.add(cut)
      return () => cuts.delete(cut)
    },
  })
})
