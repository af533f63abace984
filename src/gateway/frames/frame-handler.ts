/**
 * Handles the frames of a socket: hello, identify, heartbeats, commands, token renewal. It runs inside the transport's callbacks and never
 * blocks; it starts effects that handle their own failures.
 */
import { Effect } from "effect"
import { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { isStaff } from "../../model/roles.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import { because, CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import { type CommandFrame, type Identify, MAX_FRAME_BYTES } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import { CONTRACT, RELEASE } from "../../protocol/wire/release.ts"
import { findGrantStates } from "../../store/accounts/grant-states.ts"
import { areErased } from "../../store/personal/erased-guests.ts"
import { Connection, type Socket } from "../connection/connection.ts"
import { MUTES_NOTHING } from "../connection/lifecycle.ts"
import { refusal, refusalOf } from "../connection/refusal.ts"
import type { Hub } from "../event/hub.ts"
import { SharedLookups } from "../grants/shared-lookups.ts"
import { type Grant, type NotGranted, readToken } from "../grants/tokens.ts"
import type { GatewayServices } from "../services.ts"
import { CommandRouter, refuseCommand } from "./command-router.ts"
import type { Commands } from "./commands.ts"
import { type Incoming, incoming, isClientObject, NOT_READY, objectsIn, unknownObject } from "./incoming.ts"

/** Most objects that a socket may send before it is open; a valid client sends fewer. */
const EARLY_OBJECTS = 64

const OTHER_TOKEN = because(CLOSE.forbidden, "replay: only a token with `replay` replays, and it does nothing else")
const NO_COMMANDS = refusal("event_ended", "The event has ended: its replay takes no commands.")

export class FrameHandler {
  readonly #services: GatewayServices
  readonly #hub: Hub
  readonly #commands: CommandRouter
  readonly #grants: Parameters<typeof readToken>[0]
  #opened = 0
  #identifying = 0
  #identifiedSince = 0
  #identified = 0

  constructor(services: GatewayServices, hub: Hub, commands: Commands) {
    this.#services = services
    this.#hub = hub
    this.#commands = new CommandRouter(services, commands)
    this.#grants = {
      tokens: services.tokens,
      users: new SharedLookups(services, findGrantStates),
      guests: new SharedLookups(services, areErased),
      changes: hub.grantWatch.changes,
      timers: services.timers,
    }
  }

  /** `session`: the secret by which requests send the frames of a stream. */
  opened(socket: Socket, address: string, session?: string): Connection {
    const { heartbeatMs, identifyTimeoutMs } = this.#services.options
    const now = this.#services.timers.now()
    const connection = new Connection(socket, { number: ++this.#opened, address, openedAt: now }, this.#hub)
    this.#hub.add(connection)
    const limits = { heartbeatMs, identifyTimeoutMs, maxFrame: MAX_FRAME_BYTES }
    const d = {
      connectionId: newId(),
      ...limits,
      serverTime: now,
      release: RELEASE,
      contract: CONTRACT,
      ...(session && { session }),
    }
    connection.send(JSON.stringify({ op: OP.hello, d }))
    return connection
  }

  readonly drained = (connection: Connection): void => {
    const replay = this.#hub.replayOf(connection)
    if (replay === undefined) this.#hub.find(connection.eventId)?.delivery.drained(connection)
    else replay.advance()
  }

  readonly received = (connection: Connection, bytes: ArrayBuffer): void => {
    if (connection.state === "closed") return
    connection.lastSeenAt = this.#services.timers.now()
    const objects = objectsIn(bytes)
    if ("code" in objects) {
      connection.close(objects)
      return
    }
    // An empty frame costs work too, so it counts.
    if (objects.length === 0 && this.#countFrame(connection) !== undefined) {
      connection.close(CLOSE.abuse)
      return
    }
    for (const object of objects) {
      // An earlier object of the same frame may have closed the connection.
      if ((connection.state as Connection["state"]) === "closed") return
      this.#receive(connection, object)
    }
  }

  #receive(connection: Connection, object: unknown): void {
    if (!isClientObject(object)) {
      connection.close(unknownObject)
      return
    }
    const abused = this.#countFrame(connection)
    if (abused !== undefined) connection.close(abused)
    else this.#perform(connection, incoming(connection.state, object))
  }

  #perform(connection: Connection, decision: Incoming): void {
    switch (decision.type) {
      case "heartbeat":
        this.#acknowledge(connection, decision.t0)
        break
      case "identify":
        this.#identify(connection, decision)
        break
      case "command":
        this.#execute(connection, decision.frame)
        break
      case "renew":
        this.#renew(connection, decision)
        break
      case "refuse":
        refuse(connection, decision.id, decision.refusal)
        break
      case "close":
        connection.close(decision.why)
        break
    }
  }

  /** The close code when the rate of frames is abusive. */
  #countFrame(connection: Connection): CloseCode | undefined {
    if (!connection.isSettled) {
      connection.earlyFrames++
      return connection.earlyFrames > EARLY_OBJECTS ? CLOSE.abuse : undefined
    }
    const { participantId, role } = connection.identity
    const { budgets } = this.#hub.memories.of(connection.eventId)
    const isAbuse = budgets.isAbuse(participantId, isStaff(role), this.#services.timers.now())
    return isAbuse ? CLOSE.abuse : undefined
  }

  #acknowledge(connection: Connection, t0: number): void {
    const replay = this.#hub.replayOf(connection)
    const isLive = connection.state === "open" && replay === undefined
    const heads = isLive ? this.#hub.find(connection.eventId)?.delivery.heads(connection) : undefined
    const times = { t1: replay?.now ?? connection.lastSeenAt, t2: replay?.now ?? this.#services.timers.now() }
    const d = { t0, ...times, heads: heads ?? {} }
    connection.send(JSON.stringify({ op: OP.heartbeatAck, d }))
  }

  #identify(connection: Connection, { token, resume, replay, mute, client }: Identify["d"]): void {
    if (client?.contract !== undefined && client.contract !== CONTRACT) {
      connection.close(CLOSE.otherContract)
      return
    }
    if (this.#isOverloaded(connection.lastSeenAt)) {
      connection.close(CLOSE.overloaded)
      return
    }
    connection.apply({ type: "identified", mutes: mute === undefined ? MUTES_NOTHING : new Set(mute) })
    this.#identifying++
    this.#read(token, {
      onGrant: (grant) => {
        this.#identifying--
        if (connection.state === "closed") return
        if (grant.isReplay !== (replay !== undefined)) {
          connection.close(OTHER_TOKEN)
          return
        }
        connection.apply({ type: "granted", ...grant })
        if (replay === undefined) this.#hub.enter(connection, resume)
        else this.#hub.replay(connection, replay)
      },
      onRefusal: (why) => {
        this.#identifying--
        connection.close(why instanceof Unavailable ? CLOSE.overloaded : why)
      },
    })
  }

  #isOverloaded(now: number): boolean {
    const { identifiesPerSecond, identifiesPending } = this.#services.options
    if (now - this.#identifiedSince >= 1000) {
      this.#identifiedSince = now
      this.#identified = 0
    }
    this.#identified++
    return this.#identified > identifiesPerSecond || this.#identifying >= identifiesPending
  }

  #execute(connection: Connection, frame: CommandFrame): void {
    const channel = this.#hub.find(connection.eventId)
    if (this.#hub.replayOf(connection) !== undefined) refuse(connection, frame.id, NO_COMMANDS)
    else if (channel === undefined) refuse(connection, frame.id, NOT_READY)
    else this.#commands.receive(connection, channel, frame)
  }

  #renew(connection: Connection, { id, token }: { readonly id: string | undefined; readonly token: string }): void {
    this.#read(token, {
      onGrant: (grant) => this.#extend(connection, grant, id),
      onRefusal: (why) =>
        refuse(
          connection,
          id,
          why instanceof Unavailable
            ? refusalOf(why)
            : refusal("unauthorized", "The token is not valid or has expired."),
        ),
    })
  }

  #extend(connection: Connection, grant: Grant, id: string | undefined): void {
    const { eventId, identity, sessionExpiresAt } = grant
    const { isReplay } = connection.life
    const channel = isReplay ? undefined : this.#hub.find(connection.eventId)
    if ((channel === undefined && !isReplay) || connection.state === "closed") return
    // Each anonymous token is issued for a new viewer; a renewal only keeps the current viewer connected.
    const isSame =
      identity.participantId === connection.identity.participantId ||
      (identity.kind === "anonymous" && connection.identity.kind === "anonymous")
    if (eventId !== connection.eventId || !isSame || grant.isReplay !== isReplay) {
      refuse(connection, id, refusal("forbidden", "The token is for another participant or event."))
      return
    }
    connection.apply({ type: "renewed", sessionExpiresAt, basis: grant.basis })
    const d = { tokenExpiresAt: toTimestamp(sessionExpiresAt), role: isReplay ? "viewer" : identity.role }
    connection.send(
      JSON.stringify({ op: OP.reply, ...(id === undefined ? {} : { id }), ok: true, v: channel?.version ?? 0, d }),
    )
    if (identity.kind !== "anonymous") channel?.rights.renew(connection, identity)
  }

  #read(
    token: string,
    on: { readonly onGrant: (grant: Grant) => void; readonly onRefusal: (why: NotGranted) => void },
  ): void {
    this.#services.fork(
      Effect.match(readToken(this.#grants, token), {
        onSuccess: on.onGrant,
        onFailure: on.onRefusal,
      }),
    )
  }
}

/** Replies under the id, or reports an error that belongs to no command. */
const refuse = (connection: Connection, id: string | undefined, refusal: Refusal): void => {
  if (id === undefined) connection.send(JSON.stringify({ op: OP.error, d: refusal }))
  else refuseCommand(connection, id, refusal)
}
