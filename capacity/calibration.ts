/** Derives the unit costs from measurements, and predicts measurements from unit costs. Pure. */
import type { Costs } from "./costs.ts"
import { fitPlane } from "./fit.ts"
import type { CommandsMeasured, FanOutMeasured, JoinsMeasured, Measured, NodesCpu } from "./measured.ts"

const without = (cpu: NodesCpu, rest: NodesCpu, share: number): NodesCpu => ({
  owner: cpu.owner - rest.owner * share,
  host: cpu.host - rest.host * share,
  other: cpu.other - rest.other * share,
  nats: cpu.nats - rest.nats * share,
  postgres: cpu.postgres - rest.postgres * share,
})

/** The use of the announcements on top of the rest. */
const addedBy = ({ nodes: { cpu, seconds, rest } }: FanOutMeasured): NodesCpu =>
  without(cpu, rest.cpu, seconds / rest.seconds)

/** Standing use is measured by differences, which noise makes negative where there is nothing. */
const atLeastNothing = (value: number): number => Math.max(0, value)

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

type FanOutCosts = Pick<
  Costs,
  "frame" | "announceFollower" | "announceHost" | "announceOwner" | "socketRest" | "postgresSocketRest"
> & {
  /** Of a node that follows one event. */
  readonly followingRest: number
}

export const fanOutCosts = (runs: ReadonlyArray<FanOutMeasured>, nodes: number): FanOutCosts => {
  const row = (run: FanOutMeasured, cpu: number) =>
    ({ x: [run.announcements, run.nodes.frames / nodes], y: cpu }) as const
  const [announceFollower, frame] = fitPlane(runs.map((run) => row(run, addedBy(run).other)))
  const per = (run: FanOutMeasured, of: (added: NodesCpu) => number): number => of(addedBy(run)) / run.announcements
  const rests = runs.flatMap(({ sockets, nodes: { rest } }) =>
    [rest.cpu.owner, rest.cpu.host, rest.cpu.other].map((cpu) => ({
      x: [1, sockets / nodes] as const,
      y: cpu / rest.seconds,
    })),
  )
  const [followingRest, socketRest] = fitPlane(rests)
  const [, postgresSocketRest] = fitPlane(
    runs.map(({ sockets, nodes: { rest } }) => ({ x: [1, sockets], y: rest.cpu.postgres / rest.seconds })),
  )
  const framesPerAnnouncement = (run: FanOutMeasured): number => run.nodes.frames / nodes / run.announcements
  return {
    frame,
    announceFollower,
    announceHost: Math.max(0, mean(runs.map((run) => per(run, (added) => added.host - added.other)))),
    announceOwner: Math.max(
      0,
      mean(runs.map((run) => per(run, ({ owner }) => owner) - frame * framesPerAnnouncement(run))),
    ),
    followingRest,
    socketRest,
    postgresSocketRest,
  }
}

type JoinCosts = Pick<
  Costs,
  "joinGatewayAlone" | "joinGatewayCrowd" | "joinOwnerAlone" | "joinOwnerCrowd" | "postgresJoin" | "postgresPresence"
>

/** Of one node that does not own the event. */
const notOwner = ({ host, other }: NodesCpu): number => (host + other) / 2

/** The audience is told its number once a second while it grows; on the average half of the newcomers are there. */
const countFrames = ({ before, joins, perSecond }: JoinsMeasured, nodes: number): number =>
  ((before + joins / 2) / nodes) * Math.ceil(joins / perSecond)

type KnownOfJoins = Pick<Costs, "nodeRest" | "frame">

/** The use of a node besides its newcomers. */
const besidesJoins = (run: JoinsMeasured, nodes: number, known: KnownOfJoins): number =>
  known.nodeRest * run.nodes.seconds + known.frame * countFrames(run, nodes)

/** A storm at this pace or below brings people one by one, so that each has a report of their own. */
const ALONE_PER_SECOND = 100

export const isAlone = ({ perSecond }: JoinsMeasured): boolean => perSecond <= ALONE_PER_SECOND

/** CPU seconds at a node that does not own the event, and of owning it, of all newcomers of a storm. */
const ofJoins = (run: JoinsMeasured, nodes: number, known: KnownOfJoins) => ({
  gateway: notOwner(run.nodes.cpu) - besidesJoins(run, nodes, known),
  owner: run.nodes.cpu.owner - notOwner(run.nodes.cpu),
})

type StormCosts = Pick<Costs, "joinGatewayCrowd" | "joinOwnerCrowd"> & {
  /** The fixed cost of a storm, however many come. */
  readonly stormGateway: number
  readonly stormOwner: number
}

const stormCosts = (runs: ReadonlyArray<JoinsMeasured>, nodes: number, known: KnownOfJoins): StormCosts => {
  const [stormGateway, joinGatewayCrowd] = fitPlane(
    runs.map((run) => ({ x: [1, run.joins / nodes], y: ofJoins(run, nodes, known).gateway })),
  )
  const [stormOwner, joinOwnerCrowd] = fitPlane(
    runs.map((run) => ({ x: [1, run.joins], y: ofJoins(run, nodes, known).owner })),
  )
  return { stormGateway, joinGatewayCrowd, stormOwner, joinOwnerCrowd }
}

export const joinCosts = (
  runs: ReadonlyArray<JoinsMeasured>,
  nodes: number,
  known: KnownOfJoins & Pick<Costs, "postgresNodeRest">,
): JoinCosts & StormCosts => {
  const alone = runs.filter(isAlone)
  const each = (of: (run: JoinsMeasured) => number): number => atLeastNothing(mean(alone.map(of)))
  const [postgresJoin, postgresPresence] = fitPlane(
    runs.map((run) => ({
      x: [run.joins, run.joins / run.perSecond],
      y: run.nodes.cpu.postgres - known.postgresNodeRest * nodes * run.nodes.seconds,
    })),
  )
  return {
    joinGatewayAlone: each((run) => (ofJoins(run, nodes, known).gateway * nodes) / run.joins),
    joinOwnerAlone: each((run) => ofJoins(run, nodes, known).owner / run.joins),
    ...stormCosts(
      runs.filter((run) => !isAlone(run)),
      nodes,
      known,
    ),
    postgresJoin,
    postgresPresence,
  }
}

/** CPU seconds of the node that owns the event, and of one that does not, in a storm of crowds. */
export const predictJoins = (
  run: JoinsMeasured,
  nodes: number,
  costs: StormCosts & KnownOfJoins,
): { readonly owner: number; readonly other: number } => {
  const other = besidesJoins(run, nodes, costs) + costs.stormGateway + (costs.joinGatewayCrowd * run.joins) / nodes
  return { other, owner: other + costs.stormOwner + costs.joinOwnerCrowd * run.joins }
}

/** CPU seconds of all nodes, and of the owner. */
export const predictFanOut = (
  run: FanOutMeasured,
  nodes: number,
  costs: FanOutCosts,
): { readonly all: number; readonly owner: number } => {
  const rest = (costs.followingRest + (costs.socketRest * run.sockets) / nodes) * run.nodes.seconds
  const frames = (costs.frame * run.nodes.frames) / nodes
  const owner = rest + frames + costs.announceOwner * run.announcements
  const other = rest + frames + costs.announceFollower * run.announcements
  return {
    owner,
    all: owner + (nodes - 1) * other + costs.announceHost * run.announcements,
  }
}

type CommandCosts = Pick<
  Costs,
  "commandOwner" | "commandForward" | "commandFollower" | "postgresCommit" | "feedBytes"
> & {
  /** The same processes without commands, CPU seconds per second. */
  readonly rest: Pick<NodesCpu, "owner" | "host" | "postgres">
}

export const commandCosts = (runs: ReadonlyArray<CommandsMeasured>): CommandCosts => {
  const line = (some: ReadonlyArray<CommandsMeasured>, of: (run: CommandsMeasured) => number) =>
    fitPlane(some.map((run) => ({ x: [run.seconds, run.commands], y: of(run) })))
  const [local, remote] = [
    runs.filter(({ hosts }) => hosts === "local"),
    runs.filter(({ hosts }) => hosts === "remote"),
  ]
  const [ownerRest, commandOwner] = line(remote, ({ cpu }) => cpu.owner)
  const [, commandFollower] = line(local, ({ cpu }) => cpu.host)
  const [hostRest, sent] = line(remote, ({ cpu }) => cpu.host)
  const [postgresRest, postgresCommit] = line(runs, ({ cpu }) => cpu.postgres)
  return {
    commandOwner,
    commandFollower,
    commandForward: Math.max(0, sent - commandFollower),
    postgresCommit,
    feedBytes: mean(runs.map(({ traffic }) => traffic.bytesIn / traffic.messagesIn)),
    rest: { owner: ownerRest, host: hostRest, postgres: postgresRest },
  }
}

export const predictCommands = (
  { commands, seconds }: CommandsMeasured,
  costs: CommandCosts,
): { readonly owner: number; readonly host: number; readonly postgres: number } => ({
  owner: costs.rest.owner * seconds + costs.commandOwner * commands,
  host: costs.rest.host * seconds + (costs.commandFollower + costs.commandForward) * commands,
  postgres: costs.rest.postgres * seconds + costs.postgresCommit * commands,
})

export const calibrate = ({ fanOut, joins, commands, standing, busy, nodes }: Measured): Costs => {
  const ofFanOut = fanOutCosts(fanOut, nodes)
  const known = { nodeRest: standing.processCpu, postgresNodeRest: standing.postgresPerNode, frame: ofFanOut.frame }
  const { stormGateway: _g, stormOwner: _o, ...ofNewcomers } = joinCosts(joins, nodes, known)
  const ofCommands = commandCosts(commands)
  return {
    ...known,
    socketRest: ofFanOut.socketRest,
    announceFollower: ofFanOut.announceFollower,
    announceHost: ofFanOut.announceHost,
    announceOwner: ofFanOut.announceOwner,
    postgresSocketRest: ofFanOut.postgresSocketRest,
    ...ofNewcomers,
    commandOwner: ofCommands.commandOwner,
    commandForward: ofCommands.commandForward,
    commandFollower: ofCommands.commandFollower,
    postgresCommit: ofCommands.postgresCommit,
    natsMessage: busy.natsMessage,
    postgresBusyCommit: busy.postgresCommit,
    feedBytes: ofCommands.feedBytes,
    postgresFollowedEvent: atLeastNothing(standing.postgresPerFollowedEvent),
    processBytes: standing.processBytes,
    socketBytes: standing.socketBytes,
    participantBytes: standing.participantBytes,
    ownedEventBytes: standing.ownedEventBytes,
    followedEventBytes: standing.followedEventBytes,
    ownedEventRest: atLeastNothing(standing.ownedEventCpu),
    followedEventRest: atLeastNothing(standing.followedEventCpu),
  }
}
