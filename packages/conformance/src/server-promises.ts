/** The promises of a server of the gateway: each with the sentence of the documentation that says so, and its check. */
import { isDeepStrictEqual } from "node:util"
import { demand, eventually } from "./eventually.ts"
import { at, type Cursors, type Frame, moved, OP, type Position } from "./frames.ts"
import type { House, ServerPromise } from "./house.ts"
import { STREAM_PROMISES } from "./stream-promises.ts"

/** Text that is appended to a token, and breaks its signature. */
const DAMAGE = "-damaged"
const REFUSED_TOKENS = [4200, 4203]
const MANY = 8
const CHAT_BURST = 5
const SOCKETS = 5
const MOST_OBJECTS = 32

const positionOf = (frames: ReadonlyArray<Frame>): Position => frames.reduce(moved, { epoch: "", cursors: {} })

/** A stream that was cut after one announcement, and what was announced meanwhile. */
const away = async (house: House) => {
  const id = await house.event()
  const { peer, person } = await house.joined(id, "participant")
  await house.announce(id, "before")
  await peer.dispatch("announcement")
  peer.cut()
  await peer.closed("the cut")
  await house.announce(id, "missed 1", "missed 2", "missed 3")
  const grant = await house.grant(id, person)
  return { id, position: positionOf(peer.frames), again: house.socket(grant), token: grant.token }
}

/** Whether a live announcement has come: everything before it has come too. */
const untilLast = async (house: House, id: string, peer: { readonly announced: ReadonlyArray<unknown> }) => {
  await house.announce(id, "last")
  await eventually(() => peer.announced.includes("last"), "the announcement `last`", house.patienceMs)
}

export const SERVER_PROMISES: ReadonlyArray<ServerPromise> = [
  {
    id: "hello",
    sentence:
      "The server sends hello: `{op:10, d:{connectionId, heartbeatMs, identifyTimeoutMs, serverTime, maxFrame, release, contract}}`.",
    source: "docs/gateway.md#connect",
    check: async (house) => {
      const { peer } = await house.joined(await house.event(), "participant")
      demand(peer.frames[0]?.["op"] === OP.hello, "the first frame is no hello")
      const d = at(peer.frames[0], "d")
      for (const name of ["connectionId", "release"]) demand(typeof d[name] === "string", `hello has no ${name}`)
      for (const name of ["heartbeatMs", "identifyTimeoutMs", "serverTime", "maxFrame", "contract"])
        demand(typeof d[name] === "number", `hello has no ${name}`)
    },
  },
  {
    id: "ready",
    sentence:
      "your identity (`me`, with the commands that you may send in `me.can`), the event, its phases, timers and people, and your `cursors`.",
    source: "docs/gateway.md#connect",
    check: async (house) => {
      const id = await house.event()
      const { peer, person } = await house.joined(id, "participant")
      const d = at(await peer.dispatch("ready"), "d")
      demand(d["resumed"] === false, "a first `ready` resumes nothing")
      demand(at(d, "me")["participantId"] === person.userId, "`me` is not the participant")
      demand(Array.isArray(at(d, "me")["can"]), "`me` has no `can`")
      demand(at(d, "event")["id"] === id, "`event` is another one")
      for (const name of ["phases", "timers"]) demand(Array.isArray(d[name]), `\`ready\` has no ${name}`)
      demand(typeof at(d, "presence")["total"] === "number", "`ready` has no people")
      demand(typeof d["epoch"] === "string" && typeof at(d, "cursors")["event"] === "number", "`ready` has no position")
    },
  },
  {
    id: "heartbeats",
    sentence: "The answer `{op:11, d:{t0,t1,t2,heads}}` gives the server's time",
    source: "docs/gateway.md#connect",
    check: async (house) => {
      const { peer } = await house.joined(await house.event(), "participant")
      peer.send({ op: OP.heartbeat, d: { t0: 12_345 } })
      const d = at(await peer.next(({ op }) => op === OP.heartbeatAck, "the answer to a heartbeat"), "d")
      demand(d["t0"] === 12_345, "the answer has another t0")
      demand(Number(d["t1"]) > 0 && Number(d["t2"]) >= Number(d["t1"]), "the answer has no times of the server")
      demand(typeof at(d, "heads")["event"] === "number", "the answer has no heads")
    },
  },
  {
    id: "order",
    sentence: "The numbers of a stream have no gap.",
    source: "docs/gateway.md#follow",
    check: async (house) => {
      const id = await house.event()
      const peers = [(await house.joined(id, "host")).peer, (await house.joined(id, "participant")).peer]
      const texts = Array.from({ length: MANY }, (_, n) => `announcement ${n}`)
      await house.announce(id, ...texts)
      for (const peer of peers) {
        await untilLast(house, id, peer)
        const cursor = Number(at(await peer.dispatch("ready"), "d", "cursors")["event"])
        const numbers = peer.numbered().map(({ s }) => s)
        const wanted = numbers.map((_, n) => cursor + 1 + n)
        demand(isDeepStrictEqual(numbers, wanted), `numbers after ${cursor}: ${numbers}`)
        const told = peer.announced.filter((text) => String(text).startsWith("announcement"))
        demand(isDeepStrictEqual(told, texts), `announced: ${told}`)
      }
      const contents = peers.map((peer) => new Map(peer.numbered().map((frame) => [frame["s"], frame])))
      for (const [s, frame] of contents[1] ?? [])
        demand(isDeepStrictEqual(contents[0]?.get(s) ?? frame, frame), `number ${s} has two contents`)
    },
  },
  {
    id: "resume",
    sentence: "You receive either `ready {resumed:true}`, then every missed dispatch in order, then `caughtUp`;",
    source: "docs/gateway.md#resume",
    check: async (house) => {
      const { position, again, token } = await away(house)
      demand(at(await again.identify(token, position), "d")["resumed"] === true, "a loss of a moment is not resumed")
      await again.dispatch("caughtUp")
    },
  },
  {
    id: "replay",
    sentence: "You never receive only some of the missed dispatches.",
    source: "docs/gateway.md#resume",
    check: async (house) => {
      const { id, position, again, token } = await away(house)
      const ready = await again.identify(token, position)
      await untilLast(house, id, again)
      const isResumed = at(ready, "d")["resumed"] === true
      const from = isResumed ? position.cursors : (at(ready, "d", "cursors") as Cursors)
      const numbers = again.numbered().map(({ s }) => s)
      const wanted = numbers.map((_, n) => Number(from["event"]) + 1 + n)
      demand(isDeepStrictEqual(numbers, wanted), `numbers after ${from["event"]}: ${numbers}`)
      const missed = isResumed ? ["missed 1", "missed 2", "missed 3"] : []
      demand(isDeepStrictEqual(again.announced, [...missed, "last"]), `announced: ${again.announced}`)
    },
  },
  {
    id: "snapshot",
    sentence: "or a full `ready` that replaces the client's state, with a `reason`:",
    source: "docs/gateway.md#resume",
    check: async (house) => {
      const { position, again, token } = await away(house)
      const d = at(await again.identify(token, { ...position, epoch: "another" }), "d")
      demand(d["resumed"] === false, "a position of an unknown epoch is resumed")
      demand(d["reason"] === "epoch", `the reason is ${d["reason"]}`)
    },
  },
  {
    id: "gap",
    sentence: "`sync` is answered with its reply first, then with the missed dispatches or a full `ready`.",
    source: "docs/gateway.md#resume",
    check: async (house) => {
      const id = await house.event()
      const { peer } = await house.joined(id, "participant")
      const position = positionOf(peer.frames)
      await house.announce(id, "one", "two")
      await eventually(() => peer.announced.length === 2, "two announcements", house.patienceMs)
      const before = peer.frames.length
      const reply = await peer.command("sync", { ...position })
      demand(reply["ok"] === true, "`sync` is refused")
      const later = () => peer.frames.slice(before)
      const isFull = (): boolean => later().some(({ t }) => t === "ready")
      const replayed = () => later().filter(({ t }) => t === "announcement")
      await eventually(() => isFull() || replayed().length === 2, "the missed dispatches", house.patienceMs)
      const isFirst = (isIt: (frame: Frame) => boolean): boolean => later().find(isIt) === reply
      demand(
        isFirst(({ op, t }) => op === OP.reply || t === "announcement" || t === "ready"),
        "the reply is not the first",
      )
    },
  },
  {
    id: "once",
    sentence: "A repeat is answered with `dup:true`. The same id with another body is a `conflict`.",
    source: "docs/gateway.md#commands",
    check: async (house) => {
      const id = await house.event()
      const { peer, person } = await house.joined(id, "participant")
      const said = { to: "event", text: "said once" }
      const first = await peer.command("chat.send", said, "the-same")
      demand(first["ok"] === true, "the first sending is refused")
      peer.cut()
      await peer.closed("the cut")
      const grant = await house.grant(id, person)
      const again = house.socket(grant)
      await again.identify(grant.token)
      const repeat = await again.command("chat.send", said, "the-same")
      demand(repeat["ok"] === true && repeat["dup"] === true, "the repeat is no `dup`")
      demand(isDeepStrictEqual(repeat["d"], first["d"]), "the repeat has another answer")
      again.frames.splice(again.frames.indexOf(repeat), 1)
      const other = await again.command("chat.send", { ...said, text: "another" }, "the-same")
      demand(at(other, "e")["code"] === "conflict", "another body under the id is no `conflict`")
    },
  },
  {
    id: "refusals",
    sentence: "A refused command never closes the socket.",
    source: "docs/gateway.md#commands",
    check: async (house) => {
      const { peer } = await house.joined(await house.event(), "participant")
      const refused = await peer.command("announce", { text: "not mine to say" })
      demand(at(refused, "e")["code"] === "forbidden", "a participant's `announce` is not `forbidden`")
      demand(at(await peer.command("no.such"), "e")["code"] === "unknown_command", "`no.such` is not `unknown_command`")
      demand((await peer.command("hand.raise"))["ok"] === true, "a permitted command is refused")
    },
  },
  {
    id: "budgets",
    sentence: "| chat messages among them | 1 a second, burst 5 |",
    source: "docs/gateway.md#limits",
    check: async (house) => {
      const { peer } = await house.joined(await house.event(), "participant")
      const began = performance.now()
      const say = (n: number) => ({ op: OP.command, id: `say-${n}`, t: "chat.send", d: { to: "event", text: `${n}` } })
      const ids = Array.from({ length: 3 * CHAT_BURST }, (_, n) => n)
      peer.send(ids.map(say))
      const replies = await Promise.all(ids.map((n) => peer.reply(`say-${n}`)))
      const most = CHAT_BURST + 1 + Math.ceil((performance.now() - began) / 1000)
      const accepted = replies.filter(({ ok }) => ok === true).length
      demand(accepted >= CHAT_BURST, `${accepted} of a burst of ${CHAT_BURST} are accepted`)
      demand(accepted <= most, `${accepted} messages at once are accepted`)
      for (const { e } of replies.filter(({ ok }) => ok !== true)) {
        const { code, retryAfterMs } = e as Frame
        demand(
          code === "rate_limited" && Number(retryAfterMs) > 0,
          `a message too many is refused as ${JSON.stringify(e)}`,
        )
      }
    },
  },
  {
    id: "frames",
    sentence: "A client's frame has at most 16 KiB and 32 objects.",
    source: "docs/gateway.md",
    check: async (house) => {
      const { peer } = await house.joined(await house.event(), "participant")
      const heartbeats = (count: number) => Array.from({ length: count }, (_, t0) => ({ op: OP.heartbeat, d: { t0 } }))
      peer.send(heartbeats(MOST_OBJECTS))
      await peer.next(
        ({ op, d }) => op === OP.heartbeatAck && (d as Frame)["t0"] === MOST_OBJECTS - 1,
        "the last answer",
      )
      peer.send(heartbeats(MOST_OBJECTS + 1))
      const { code } = await peer.closed("the close of a socket with a frame of 33 objects")
      demand(code === 4301, `a frame of 33 objects is closed with ${code}`)
    },
  },
  {
    id: "places",
    sentence: "| sockets of one participant | five: a sixth replaces the oldest |",
    source: "docs/gateway.md#limits",
    check: async (house) => {
      const id = await house.event()
      const { peer: oldest, person } = await house.joined(id, "participant")
      const grant = await house.grant(id, person)
      for (let n = 1; n < SOCKETS; n++) await house.socket(grant).identify(grant.token)
      demand(oldest.ending === undefined, "the first of five sockets is closed")
      await house.socket(grant).identify(grant.token)
      const { code } = await oldest.closed("the close of the oldest of six sockets")
      demand(code === 4305, `the oldest socket is closed with ${code}`)
    },
  },
  {
    id: "tokens",
    sentence: "a new token for the same participant and event: `{op:12, id?, d:{token}}`.",
    source: "docs/gateway.md#connect",
    check: async (house) => {
      const id = await house.event()
      const { peer, person, grant } = await house.joined(id, "participant")
      const renewed = await house.grant(id, person)
      const renew = (token: string, name: string) => {
        peer.send({ op: OP.token, id: name, d: { token } })
        return peer.reply(name)
      }
      demand((await renew(renewed.token, "new"))["ok"] === true, "a new token is refused")
      demand(
        (await renew(`${renewed.token}${DAMAGE}`, "wrong"))["ok"] === false,
        "a wrong token is taken for a renewal",
      )
      const stranger = house.socket(grant)
      await stranger.hello()
      stranger.send({ op: OP.identify, d: { token: `${grant.token}${DAMAGE}` } })
      const { code } = await stranger.closed("the close of a socket with a wrong token")
      demand(code === 4200, `a wrong token is closed with ${code}`)
    },
  },
  {
    id: "revoked",
    sentence: "`revoked` (4203) comes when the basis of your session is gone:",
    source: "docs/gateway.md#when-a-connection-ends",
    check: async (house) => {
      const id = await house.event()
      const { peer, person, grant } = await house.joined(id, "participant")
      await house.api("DELETE", `/events/${id}/memberships/${person.membershipId}`)
      const { code } = await peer.closed("the close of a socket without a right")
      demand(code === 4203, `a socket without a right is closed with ${code}`)
      const again = house.socket(grant)
      await again.hello()
      again.send({ op: OP.identify, d: { token: grant.token } })
      const ending = await again.closed("the refusal of a token without a right")
      demand(REFUSED_TOKENS.includes(ending.code), `a token without a right is closed with ${ending.code}`)
      const { status } = await house.request("POST", "/auth/gateway-token", {
        body: { eventId: id },
        bearer: person.session,
      })
      demand(status === 404, `a new token without a right is answered ${status}`)
    },
  },
  ...STREAM_PROMISES,
  {
    id: "drain",
    sentence: "| 7 | server | reconnect after `afterMs` |",
    source: "docs/gateway.md#connect",
    check: async (house, drain) => {
      const id = await house.event()
      const { peer, person } = await house.joined(id, "participant")
      const stream = house.stream(await house.grant(id, person))
      await stream.dispatch("ready")
      await drain()
      for (const one of [peer, stream]) {
        const { d } = await one.next(({ op }) => op === OP.reconnect, "`op 7`")
        demand(Number((d as Frame)["afterMs"]) >= 0, "`op 7` has no `afterMs`")
        const { code } = await one.closed("the close after `op 7`")
        demand(code === 1012, `the server's stop is closed with ${code}`)
      }
    },
  },
]
