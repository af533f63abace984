/**
 * The process of the forwarding unit. It has neither database nor secrets of the server, and knows people by the ids that the server gives.
 * It ends with the server.
 */
import { networkInterfaces } from "node:os"
import { systemTimers } from "../clock/timers.ts"
import { Malformed } from "./bytes.ts"
import { OutgoingPieces } from "./encoder/outgoing-pieces.ts"
import type { SfuNews, SfuTask } from "./process-protocol.ts"
import { Sfu, type SfuEvents } from "./sfu.ts"

const tell = (news: SfuNews): void => void process.send?.(news)

const pieces = new OutgoingPieces((session, { isInit, bytes }, onTaken) => {
  process.send?.({ type: "encoderPiece", session, isInit, bytes } satisfies SfuNews, onTaken)
})

const events: SfuEvents = {
  onPiece: (session, piece) => pieces.add(session, piece),
  onEncoderEnded: (session) => {
    pieces.end(session)
    tell({ type: "encoderEnded", session })
  },
  onSlots: (room, peer, gen, slots) => tell({ type: "slots", room, peer, gen, slots }),
  onFault: (cause) =>
    tell({ type: "said", text: cause instanceof Error ? `${cause.name}: ${cause.message}` : "A fault." }),
}

/** Browsers do not use loopback for connections, but one that runs here reaches each address of the machine. */
const ownAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((found = []) =>
    found.filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0).map(({ address }) => address),
  )

type Listen = Extract<SfuTask, { readonly type: "listen" }>

/** Takes the first free port: several processes of one server each take one. */
const listen = async ({ port, ports, addresses }: Listen): Promise<Sfu> => {
  for (let tried = port; ; tried++) {
    try {
      const options = {
        port: tried,
        addresses: addresses.length > 0 ? addresses : ownAddresses(),
        timers: systemTimers,
      }
      return await Sfu.listen(options, events)
    } catch (cause) {
      const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE"
      if (!isTaken || tried + 1 >= port + ports) throw cause
    }
  }
}

type EncoderTask = Extract<SfuTask, { readonly session: string }>

const serveEncoder = (unit: Sfu, task: EncoderTask): void => {
  const { session } = task
  if (task.type === "finishEncoder") {
    unit.finishEncoder(session)
    return
  }
  if (task.type === "closeEncoder") {
    unit.closeEncoder(session)
    pieces.end(session)
    return
  }
  try {
    tell({ type: "encoderAnswer", session, sdp: unit.openEncoder(session, task.sdp, task.maxKbps) })
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause
    tell({ type: "encoderRefused", session, why: cause.message })
  }
}

let sfu: Promise<Sfu> | undefined

const perform = async (task: SfuTask): Promise<void> => {
  if (task.type === "listen") {
    sfu = listen(task)
    tell({ type: "listening", port: (await sfu).port })
    return
  }
  const unit = await sfu
  if (unit === undefined) return
  if ("session" in task) {
    serveEncoder(unit, task)
    return
  }
  const { room, peer } = task
  if (task.type === "leave") unit.leave(room, peer)
  else if (task.type === "look") unit.look(room, peer, task.views)
  else if (task.type === "mute") unit.mute(room, peer, task.muted)
  else {
    const sdp = unit.offer(room, peer, task.gen, task.sdp)
    unit.mute(room, peer, task.muted)
    tell({ type: "answer", room, peer, gen: task.gen, sdp })
  }
}

process.on("message", (task: SfuTask) => {
  perform(task).catch((cause: unknown) => {
    // Without a port there is nothing to do here; another process may have better luck later.
    if (task.type === "listen") throw cause
    tell({ type: "said", text: cause instanceof Malformed ? cause.message : "A task failed." })
  })
})
process.on("disconnect", () => process.exit(0))
