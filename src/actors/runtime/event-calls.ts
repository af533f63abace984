/** Browser-to-browser calls of one live event. They are in memory alone and belong to one activation: another owner has none of them. */
import { Effect } from "effect"
import { Calls } from "../calls/calls.ts"
import { NotOwner } from "../commands.ts"
import type { Committer } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import type { LiveEventRequests } from "../protocol.ts"

const FIRST_ACTIVATION = 1

type CallRequest = Parameters<LiveEventRequests["Call"]>[0]

export class EventCalls {
  readonly #committer: Committer
  #activation: { readonly fencingToken: number; readonly at: number } | undefined
  /** Created by the first request, because most events have no call. */
  #calls: Calls | undefined

  constructor(committer: Committer) {
    this.#committer = committer
  }

  /** Ends the calls: another owner may have had the event meanwhile, and gateways do not know the earlier calls. */
  activated({ fencingToken }: LoadedEvent): void {
    this.stop()
    this.#activation = { fencingToken, at: this.#committer.services.timers.elapsed() }
  }

  answer(request: CallRequest): Effect.Effect<ReturnType<Calls["answer"]>, NotOwner> {
    this.#calls ??= this.#make()
    return this.#calls === undefined ? Effect.fail(new NotOwner()) : Effect.succeed(this.#calls.answer(request))
  }

  forgetNode(node: string): void {
    this.#calls?.forgetNode(node)
  }

  /** Sends all lists again, after the link to other nodes was down and messages of calls were lost. */
  sendAgain(): void {
    this.#calls?.sendListsAgain()
  }

  stop(): void {
    this.#calls?.stop()
    this.#calls = undefined
  }

  #make(): Calls | undefined {
    if (this.#activation === undefined) return undefined
    const { services, actor } = this.#committer
    const { timers, feed, ownership, callServer } = services
    const { fencingToken, at } = this.#activation
    return new Calls({
      eventId: actor.eventId,
      timers,
      tell: feed.tell,
      since: at,
      server: callServer,
      mayBeRemembered: () => fencingToken > FIRST_ACTIVATION && ownership.nodes() > 1,
    })
  }
}
