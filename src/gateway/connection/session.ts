/**
 * Handles the frames of a socket: hello, identify, heartbeats, commands, token renewal. It runs inside the transport's callbacks
 * and never waits; it starts effects that handle their own failures.
 */
import { Effect, Result, Schema } from "effect"
import { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { isShallow } from "../../model/json.ts"
import { isStaff } from "../../model/roles.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { CLOSE, type CloseCode } from "../../protocol/close-codes.ts"
import {
  CommandFrame,
  CommandId,
  Heartbeat,
  Identify,
  MAX_FRAME_BYTES,
  MAX_FRAME_OBJECTS,
  TokenFrame,
} from "../../protocol/frames.ts"
import { OP } from "../../protocol/op.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import type { Channel } from "../event/channel.ts"
import type { Hub } from "../event/hub.ts"
import { GrantLookups } from "../grants/grant-lookups.ts"
import { type Grant, type NotGranted, readToken } from "../grants/tokens.ts"
import type { GatewayServices } from "../services.ts"
import { Commands, refuseCommand } from "./command-router.ts"
import { Connection, type Socket } from "./connection.ts"
import { MUTES_NOTHING } from "./lifecycle.ts"
import { refusal, refusalOf } from "./refusal.ts"

const decodeHeartbeat = Schema.decodeUnknownResult(Heartbeat)
const decodeIdentify = Schema.decodeUnknownResult(Identify)
const decodeCommand = Schema.decodeUnknownResult(CommandFrame)
const decodeToken = Schema.decodeUnknownResult(TokenFrame)

const CLIENT_OPS: ReadonlySet<unknown> = new Set([OP.heartbeat, OP.identify, OP.command, OP.token])

/** Objects that a socket may send before it is open; a valid client sends fewer. */
const EARLY_OBJECTS = 64

type ClientObject = { readonly op: number; readonly id?: unknown }

const isClientObject = (value: unknown): value is ClientObject =>
  typeof value === "object" && value !== null && "op" in value && CLIENT_OPS.has(value.op)

export class Sessions {
  readonly #services: GatewayServices
  readonly #hub: Hub
  readonly #commands: Commands
  readonly #grants: Parameters<typeof readToken>[0]
  #identifying = 0
  #identifiedSince = 0
  #identified = 0

  constructor(services: GatewayServices, hub: Hub) {
    this.#services = services
    this.#hub = hub
    this.#commands = new Commands(services)
    this.#grants = {
      tokens: services.tokens,
      lookups: new GrantLookups(services),
      changes: hub.grantWatch.changes,
      timers: services.timers,
    }
  }

  opened(socket: Socket, address: string): Connection {
    const { heartbeatMs, identifyTimeoutMs } = this.#services.options
    const now = this.#services.timers.now()
    const connection = new Connection(socket, address, now, (closing, why) => this.#hub.remove(closing, why))
    this.#hub.add(connection)
    const d = { connectionId: newId(), heartbeatMs, identifyTimeoutMs, serverTime: now, maxFrame: MAX_FRAME_BYTES }
    connection.send(JSON.stringify({ op: OP.hello, d }))
    return connection
  }

  drained(connection: Connection): void {
    this.#hub.find(connection.eventId)?.drained(connection)
  }

  received(connection: Connection, bytes: ArrayBuffer): void {
    if (connection.state === "closed") return
    connection.lastSeenAt = this.#services.timers.now()
    if (bytes.byteLength > MAX_FRAME_BYTES) {
      connection.close(CLOSE.frameTooLarge)
      return
    }
    const frame = parse(bytes)
    if (frame === undefined || !isShallow(frame)) {
      connection.close(CLOSE.protocolError)
      return
    }
    const objects = Array.isArray(frame) ? frame : [frame]
    if (objects.length > MAX_FRAME_OBJECTS) {
      connection.close(CLOSE.frameTooLarge)
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
      this.#take(connection, object)
    }
  }

  #take(connection: Connection, object: unknown): void {
    if (!isClientObject(object)) {
      connection.close(CLOSE.protocolError)
      return
    }
    const abused = this.#countFrame(connection)
    if (abused !== undefined) {
      connection.close(abused)
      return
    }
    switch (object.op) {
      case OP.heartbeat:
        this.#heartbeat(connection, object)
        return
      case OP.identify:
        this.#identify(connection, object)
        return
      case OP.command:
        this.#command(connection, object)
        return
      case OP.token:
        this.#renew(connection, object)
    }
  }

  /** The close code when the rate of frames is abuse. */
  #countFrame(connection: Connection): CloseCode | undefined {
    if (!connection.isSettled) {
      connection.earlyFrames++
      return connection.earlyFrames > EARLY_OBJECTS ? CLOSE.abuse : undefined
    }
    const { participantId, role } = connection.identity
    const isAbuse = this.#hub
      .find(connection.eventId)
      ?.memory.budgets.isAbuse(participantId, isStaff(role), this.#services.timers.now())
    return isAbuse ? CLOSE.abuse : undefined
  }

  #channelOf(connection: Connection): Channel | undefined {
    return connection.state === "open" ? this.#hub.find(connection.eventId) : undefined
  }

  #heartbeat(connection: Connection, object: ClientObject): void {
    const decoded = decodeHeartbeat(object)
    if (Result.isFailure(decoded)) {
      complain(connection, refusal("bad_request", "A heartbeat carries d.t0, a number."))
      return
    }
    const heads = this.#channelOf(connection)?.heads(connection) ?? {}
    const { t0 } = decoded.success.d
    const d = { t0, t1: connection.lastSeenAt, t2: this.#services.timers.now(), heads }
    connection.send(JSON.stringify({ op: OP.heartbeatAck, d }))
  }

  #identify(connection: Connection, object: ClientObject): void {
    const decoded = decodeIdentify(object)
    if (connection.state !== "new" || Result.isFailure(decoded)) {
      connection.close(CLOSE.protocolError)
      return
    }
    if (this.#isOverloaded(connection.lastSeenAt)) {
      connection.close(CLOSE.overloaded)
      return
    }
    const { token, resume, mute } = decoded.success.d
    connection.apply({ type: "identified", mutes: mute === undefined ? MUTES_NOTHING : new Set(mute) })
    this.#identifying++
    this.#read(token, {
      onGrant: (grant) => {
        this.#identifying--
        if (connection.state === "closed") return
        connection.apply({ type: "granted", ...grant })
        this.#hub.enter(connection, resume)
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

  #command(connection: Connection, object: ClientObject): void {
    const decoded = decodeCommand(object)
    if (Result.isFailure(decoded)) {
      complain(connection, refusal("bad_request", "A command carries id (1 to 64 characters) and t."))
      return
    }
    const channel = this.#channelOf(connection)
    if (channel === undefined) {
      const isWaiting = connection.state === "lobby"
      const why = isWaiting
        ? refusal("forbidden", "You wait in the lobby.")
        : refusal("unauthorized", "Identify and wait for ready first.")
      refuseCommand(connection, decoded.success.id, why)
      return
    }
    this.#commands.receive(connection, channel, decoded.success)
  }

  #renew(connection: Connection, object: ClientObject): void {
    const decoded = decodeToken(object)
    if (Result.isFailure(decoded)) {
      refuseToken(connection, idOf(object), refusal("bad_request", "op 12 carries d.token."))
      return
    }
    const { id, d } = decoded.success
    if (!connection.isSettled) {
      refuseToken(connection, id, refusal("unauthorized", "Identify and wait for ready first."))
      return
    }
    this.#read(d.token, {
      onGrant: (grant) => this.#extend(connection, grant, id),
      onRefusal: (why) =>
        refuseToken(
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
    const channel = this.#hub.find(connection.eventId)
    if (channel === undefined || connection.state === "closed") return
    // Each anonymous token is minted for a new viewer; a renewal only keeps the present viewer connected.
    const isSame =
      identity.participantId === connection.identity.participantId ||
      (identity.kind === "anonymous" && connection.identity.kind === "anonymous")
    if (eventId !== connection.eventId || !isSame) {
      refuseToken(connection, id, refusal("forbidden", "The token is for another participant or event."))
      return
    }
    connection.apply({ type: "renewed", sessionExpiresAt, basis: grant.basis })
    const d = { tokenExpiresAt: toTimestamp(sessionExpiresAt), role: identity.role }
    connection.send(
      JSON.stringify({ op: OP.reply, ...(id === undefined ? {} : { id }), ok: true, v: channel.version, d }),
    )
    if (identity.kind !== "anonymous") channel.renew(connection, identity)
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

const parse = (bytes: ArrayBuffer): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"))
  } catch {
    return undefined
  }
}

const isId = Schema.is(CommandId)
const idOf = ({ id }: ClientObject): string | undefined => (isId(id) ? id : undefined)

/** A token frame with an id is refused under that id, like a command. */
const refuseToken = (connection: Connection, id: string | undefined, refusal: Refusal): void => {
  if (id === undefined) complain(connection, refusal)
  else refuseCommand(connection, id, refusal)
}

/** Reports an error that belongs to no command. */
const complain = (connection: Connection, refusal: Refusal): void =>
  connection.send(JSON.stringify({ op: OP.error, d: refusal }))
