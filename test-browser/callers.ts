/** People in calls between browsers: pages with the client, whose connections and pictures are measured. */
import type { Page } from "playwright-core"
import { onTestFinished } from "vitest"
import type { GatewayClient } from "../packages/client/src/entry.ts"
import type { MediaCall, MediaPeer, MediaProblem } from "../packages/client/src/media-entry.ts"
import { PATIENCE_MS } from "../test/support/patience.ts"
import { eventually } from "../test/support/wait.ts"
import type { Pages } from "./pages.ts"

declare global {
  interface Window {
    gathercue: typeof import("../packages/client/src/entry.ts") & typeof import("../packages/client/src/media-entry.ts")
    caller: GatewayClient
    call: MediaCall
    problems: MediaProblem[]
    /** Every connection that the page has made. */
    connections: RTCPeerConnection[]
    /** Sockets of the client, the last one is the present one. */
    sockets: WebSocket[]
    /** The socket is refused for as long as it is set. */
    isCut: boolean
    /** Connections of this page go only through a relay, as behind a firewall. */
    isWalled: boolean
  }
}

export interface Caller {
  readonly page: Page
  readonly name: string
}

interface Camera {
  readonly width: number
  readonly height: number
  readonly frameRate: number
}

/** Small, because all browsers of a test encode and decode on one machine. */
const SMALL: Camera = { width: 160, height: 90, frameRate: 10 }

/** Records the connections and sockets of a page. */
const observe = (): void => {
  window.connections = []
  window.sockets = []
  window.isCut = false
  window.isWalled = false
  const Connection = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Connection {
    constructor(configuration?: RTCConfiguration) {
      super(window.isWalled ? { ...configuration, iceTransportPolicy: "relay" } : configuration)
      window.connections.push(this)
    }
  }
  const Socket = window.WebSocket
  window.WebSocket = class extends Socket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(window.isCut ? "ws://127.0.0.1:1/" : url, protocols)
      window.sockets.push(this)
    }
  }
}

/** Opens a page in a context of its own and joins the event; the call begins with `startMedia`. */
export const openCaller = async (
  { browser, site }: Pages,
  { url, eventId, session, name }: { url: string; eventId: string; session: string; name: string },
): Promise<Caller> => {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.addInitScript(observe)
  await page.goto(site)
  await page.waitForFunction(() => "gathercue" in window)
  await page.evaluate(
    async ([base, event, bearer]) => {
      window.problems = []
      window.caller = new window.gathercue.GatewayClient({
        token: async () => {
          const answer = await fetch(`${base}/v1/auth/gateway-token`, {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
            body: JSON.stringify({ eventId: event }),
          })
          return answer.json()
        },
        backoff: { firstMs: 200, longestMs: 1000 },
      })
      window.call = new window.gathercue.MediaCall(window.caller)
      // Each peer has one element, which plays what the peer sends.
      window.call.on("problem", (problem) => window.problems.push(problem))
      window.call.on("peers", (peers) => {
        const elements = new Map(
          Array.from(document.querySelectorAll("video[data-peer]"), (found) => [
            (found as HTMLVideoElement).dataset["peer"],
            found as HTMLVideoElement,
          ]),
        )
        for (const { connectionId, stream } of peers) {
          const element = elements.get(connectionId) ?? document.createElement("video")
          elements.delete(connectionId)
          element.dataset["peer"] = connectionId
          element.autoplay = true
          if (element.srcObject !== stream) element.srcObject = stream as MediaStream | null
          if (!element.isConnected) document.body.append(element)
        }
        for (const element of elements.values()) {
          element.srcObject = null
          element.remove()
        }
      })
      await window.caller.connect()
    },
    [url, eventId, session] as const,
  )
  return { page, name }
}

/** Null: no picture. */
export const startMedia = ({ page }: Caller, camera: Camera | null = SMALL): Promise<void> =>
  page.evaluate(async (video) => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: video ?? false, audio: true })
    const [audio = null] = stream.getAudioTracks()
    const [picture = null] = stream.getVideoTracks()
    window.call.start({ audio, video: picture })
  }, camera)

export const peersOf = ({ page }: Caller): Promise<ReadonlyArray<Omit<MediaPeer, "stream">>> =>
  page.evaluate(() => window.call.peers.map(({ stream: _, ...peer }) => peer))

interface Stat {
  readonly type: string
  readonly [field: string]: unknown
}

interface Received {
  readonly name: string
  readonly state: string
  readonly frames: number
  /** Grows while sound that is not silence arrives. */
  readonly energy: number
  readonly width: number
  /** The kinds of the addresses that the connection uses at both ends. */
  readonly route: string
}

/** The statistics of the connection to each present peer, as the browser reports them. */
const statsOf = ({ page }: Caller) =>
  page.evaluate(async () => {
    const open = window.connections.filter(({ connectionState }) => connectionState !== "closed")
    return Promise.all(
      window.call.peers.map(async ({ stream, name, state }) => {
        const ids = (stream?.getTracks() ?? []).map((track) => (track as MediaStreamTrack).id)
        const pc = open.find((one) => one.getReceivers().some(({ track }) => ids.includes(track.id)))
        const report = await pc?.getStats()
        // Plain objects: a report does not leave the page.
        return { name, state, ids, stats: Array.from(report?.values() ?? [], (one: object) => ({ ...one })) as Stat[] }
      }),
    )
  })

const routeIn = (stats: ReadonlyArray<Stat>): string => {
  const find = (id: unknown): Stat | undefined => stats.find((one) => one["id"] === id)
  const pair = find(stats.find(({ type }) => type === "transport")?.["selectedCandidatePairId"])
  return [pair?.["localCandidateId"], pair?.["remoteCandidateId"]].map((id) => find(id)?.["candidateType"]).join("-")
}

/** What each present peer has sent so far, by the browser's own counts. */
export const receivedBy = async (caller: Caller): Promise<ReadonlyArray<Received>> =>
  (await statsOf(caller)).map(({ name, state, ids, stats }) => {
    const inbound = (kind: string, count: string): number =>
      stats
        // One connection to a media server carries several people.
        .filter(
          (one) => one.type === "inbound-rtp" && one["kind"] === kind && ids.includes(String(one["trackIdentifier"])),
        )
        .reduce((sum, one) => sum + Number(one[count] ?? 0), 0)
    return {
      name,
      state,
      frames: inbound("video", "framesDecoded"),
      energy: inbound("audio", "totalAudioEnergy"),
      width: inbound("video", "frameWidth"),
      route: routeIn(stats),
    }
  })

const by = (received: ReadonlyArray<Received>, name: string): Received | undefined =>
  received.find((one) => one.name === name)

/** Each sees new frames of each other from now on; with `sound`, and hears each other. */
export const untilConnected = async (
  callers: ReadonlyArray<Caller>,
  { within = PATIENCE_MS, sound = true, picture = true }: { within?: number; sound?: boolean; picture?: boolean } = {},
): Promise<void> => {
  const before = new Map(
    await Promise.all(callers.map(async (caller) => [caller.name, await receivedBy(caller)] as const)),
  )
  for (const caller of callers) {
    let last: ReadonlyArray<Received> = []
    await eventually(
      async () => {
        last = await receivedBy(caller)
        return callers.every((other) => {
          if (other === caller) return true
          const [was, is] = [by(before.get(caller.name) ?? [], other.name), by(last, other.name)]
          if (is === undefined || is.state !== "connected") return false
          const isSeen = !picture || is.frames > (was?.frames ?? 0) + 3
          return isSeen && (!sound || is.energy > (was?.energy ?? 0))
        })
      },
      `${caller.name} receiving from everybody`,
      within,
    ).catch(async (cause: unknown) => {
      const problems = await caller.page.evaluate(() => window.problems)
      throw new Error(`${String(cause)}: ${JSON.stringify({ last, problems, was: before.get(caller.name) })}`)
    })
  }
}

/** Connections that the page has made so far, and those that are not closed. */
export const connectionsOf = ({ page }: Caller): Promise<{ readonly made: number; readonly open: number }> =>
  page.evaluate(() => ({
    made: window.connections.length,
    open: window.connections.filter(({ connectionState }) => connectionState !== "closed").length,
  }))
