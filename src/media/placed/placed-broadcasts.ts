/**
 * Broadcasts over several nodes: each is on the node that has its live event. Broadcasts of this process are used directly; for others the
 * owner is asked. An ended broadcast with a settled recording is read from its rows by each node.
 */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { currentTimers } from "../../clock/timers.ts"
import { NotFound, type Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import type { FoundIngest } from "../../store/links/bearer-links.ts"
import { findBroadcast, findBroadcastRecording } from "../../store/media/broadcasts.ts"
import { type BroadcastOf, type BroadcastPlacement, type EncoderDetail, ownReport } from "./broadcasts.ts"
import { askedOf, isAdmission, isNone, isNotFound } from "./calls/asking.ts"
import type { BroadcastOwners } from "./calls/broadcast-owners.ts"
import { ForwardedEncoder, GatheredBytes } from "./calls/forwarded-encoder.ts"
import { type OwnerRequest, toText } from "./calls/protocol.ts"
import { encoderFailureOf, noAnswer } from "./calls/refusals.ts"
import { Replicas } from "./calls/replicas.ts"
import { EncoderNews } from "./encoder-news.ts"
import { type EncoderPort, ownPort } from "./encoder-port.ts"
import type { EncoderAdmission, OwnBroadcasts } from "./own-broadcasts.ts"
import type { WatchedBroadcast } from "./watched-broadcast.ts"

/** Limit on encoders that continue while the database is unavailable. */
const MOST_ROUTES = 1000
const MOST_GATHERING = 1000
/** Timeout of a REST command, which is then answered without the owner's details. */
const SOON = "3 seconds"

export const placedBroadcasts = (own: OwnBroadcasts["Service"], owners: BroadcastOwners) =>
  Effect.gen(function* () {
    const database = yield* Database
    const timers = yield* currentTimers
    const { opened } = own
    const askNow = (eventId: string) => (request: OwnerRequest) => Effect.runPromise(owners.ask(eventId, request))
    const replicas = new Replicas(timers, (eventId, request) => askNow(eventId)(request))
    const news = new EncoderNews(database, opened, timers)
    /** Broadcasts by the text of their tokens. */
    const routes = new LRUCache<string, FoundIngest>({ max: MOST_ROUTES })
    const gathering = new LRUCache<string, GatheredBytes>({ max: MOST_GATHERING })

    yield* Effect.forkScoped(news.run)
    yield* Effect.addFinalizer(() => Effect.sync(() => replicas.closeAll()))

    const asked = askedOf(owners)

    const isHere = ({ id, eventId }: BroadcastOf) =>
      Effect.map(
        asked(eventId, { type: "locate", broadcastId: id }, "located", isNotFound),
        ({ node }) => node === owners.node,
      )

    /** Whether no owner has any of it in memory any more. */
    const isSettled = (id: string) =>
      database.run(async (sql) => (await findBroadcastRecording(sql, id))?.status !== "processing")

    const placed = (of: BroadcastOf): Effect.Effect<WatchedBroadcast, NotFound | Unavailable> =>
      Effect.flatMap(
        isHere(of),
        (here): Effect.Effect<WatchedBroadcast, NotFound | Unavailable> => (here ? own.open(of.id) : replicas.open(of)),
      )

    const open = (id: string): Effect.Effect<WatchedBroadcast, NotFound | Unavailable> =>
      Effect.gen(function* () {
        const known = opened.use(id) ?? replicas.use(id)
        if (known !== undefined) return known
        const of = yield* database.run((sql) => findBroadcast(sql, id))
        if (of === undefined) return yield* NotFound.of("broadcast")
        const isRead = of.status === "ended" && (yield* isSettled(id))
        return yield* isRead ? own.open(id) : placed(of)
      })

    const find = (tokenHash: Uint8Array) => {
      const text = toText(tokenHash)
      return own.find(tokenHash).pipe(
        Effect.tap((found) => Effect.sync(() => routes.set(text, found))),
        // The owner knows the tokens that were shown before.
        Effect.catchTag("Unavailable", (failure) => {
          const known = routes.get(text)
          return known === undefined ? Effect.fail(failure) : Effect.succeed(known)
        }),
      )
    }

    const gatheredFor = (id: string): GatheredBytes => {
      const known = gathering.get(id) ?? new GatheredBytes()
      gathering.set(id, known)
      return known
    }

    const admit = (tokenHash: Uint8Array): Effect.Effect<EncoderPort, EncoderAdmission> =>
      Effect.gen(function* () {
        const found = yield* find(tokenHash)
        if (opened.use(found.id) !== undefined || (yield* isHere(found))) {
          const { one, link } = yield* own.admit(tokenHash)
          return ownPort(one, link)
        }
        const request = { type: "admit", tokenHash: toText(tokenHash) } as const
        const { broadcastId, resets, hasEnded } = yield* asked(found.eventId, request, "admitted", isAdmission)
        const ask = askNow(found.eventId)
        const { link } = found
        return new ForwardedEncoder({ broadcastId, resets, hasEnded, link, gathered: gatheredFor(broadcastId), ask })
      })

    const done = <F extends { readonly _tag: string }>(
      eventId: string,
      request: OwnerRequest,
      isExpected: (cause: unknown) => cause is F,
    ) => Effect.asVoid(asked(eventId, request, "done", isExpected))

    return {
      peek: (id) => opened.use(id) ?? replicas.use(id),
      open,
      refresh: (eventId) => Effect.ignore(Effect.timeout(done(eventId, { type: "refresh" }, isNone), SOON)),
      admit,
      finish: ({ id, eventId }) => done(eventId, { type: "finish", broadcastId: id }, isNone),
      detailOf: ({ id, eventId }) =>
        Effect.map(
          Effect.timeoutOrElse(asked(eventId, { type: "detail", broadcastId: id }, "detailed", isNotFound), {
            duration: SOON,
            orElse: () => Effect.fail(noAnswer),
          }),
          ({ type: _, failure, ...detail }): EncoderDetail => ({ ...detail, failure: encoderFailureOf(failure) }),
        ),
      encoderOf: (eventId) => ownReport(opened, eventId) ?? news.of(eventId),
    } satisfies BroadcastPlacement
  })
