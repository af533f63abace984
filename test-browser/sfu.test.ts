/** The media server with real browsers: Chromium sends a camera that it fakes, and counts the pictures that it gets. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { networkInterfaces } from "node:os"
import type { Page } from "playwright-core"
import { expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../src/clock/timers.ts"
import type { SlotContent } from "../src/sfu/forwarding/room.ts"
import { Sfu } from "../src/sfu/sfu.ts"
import { eventually } from "../test/support/wait.ts"
import { launchChromium } from "./chromium.ts"

/** Browsers use no loopback. */
const ownAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  )

interface Person {
  readonly connection: RTCPeerConnection
}

declare global {
  interface Window {
    people: Record<string, Person>
    answer: (id: string, sdp: string) => Promise<string>
  }
}

interface House {
  readonly page: Page
  readonly sfu: Sfu
  readonly slots: Map<string, ReadonlyArray<SlotContent>>
  readonly log: Array<string>
}

const open = async (): Promise<House> => {
  const slots = new Map<string, ReadonlyArray<SlotContent>>()
  const log: Array<string> = []
  const sfu = await Sfu.listen(
    { port: 0, addresses: ownAddresses(), timers: systemTimers },
    {
      onSlots: (peer, contents) => slots.set(peer, contents),
      onSpeakers: (speakers) => log.push(`speak ${speakers.join(" ")}`),
      onConnected: (peer) => log.push(`connected ${peer}`),
      onClosed: (peer, reason) => log.push(`closed ${peer} ${reason}`),
    },
  )
  onTestFinished(() => sfu.close())
  const site = createServer((_, response) => response.end("<!doctype html><title>Room</title>")).listen(0, "127.0.0.1")
  onTestFinished(() => void site.close())
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.exposeFunction("answer", (id: string, sdp: string) => sfu.offer("room", id, sdp, true))
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  return { page, sfu, slots, log }
}

const join = ({ page }: House, id: string): Promise<void> =>
  page.evaluate(async (name) => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 640, height: 360 } })
    const connection = new RTCPeerConnection()
    window.people ??= {}
    window.people[name] = { connection }
    const [audio, video] = [stream.getAudioTracks()[0], stream.getVideoTracks()[0]]
    connection.addTransceiver(audio as MediaStreamTrack, { direction: "sendonly" })
    connection.addTransceiver(video as MediaStreamTrack, {
      direction: "sendonly",
      sendEncodings: [
        { rid: "q", scaleResolutionDownBy: 4 },
        { rid: "h", scaleResolutionDownBy: 2 },
        { rid: "f", scaleResolutionDownBy: 1 },
      ],
    })
    for (const kind of ["audio", "audio", "video", "video"]) connection.addTransceiver(kind, { direction: "recvonly" })
    connection.ontrack = ({ track }) => {
      const element = document.createElement("video")
      element.autoplay = true
      element.muted = true
      element.srcObject = new MediaStream([track])
      document.body.append(element)
    }
    await connection.setLocalDescription()
    const sdp = await window.answer(name, connection.localDescription?.sdp ?? "")
    await connection.setRemoteDescription({ type: "answer", sdp })
  }, id)

interface Inbound {
  readonly mid: string
  readonly kind: string
  readonly frames: number
  readonly height: number
  readonly packets: number
  readonly lost: number
}

const inbound = ({ page }: House, id: string): Promise<ReadonlyArray<Inbound>> =>
  page.evaluate(async (name) => {
    const report = await window.people[name]?.connection.getStats()
    // biome-ignore lint/suspicious/noExplicitAny: the reports of a browser have no type
    return [...((report as any)?.values() ?? [])]
      .filter(({ type }) => type === "inbound-rtp")
      .map((one) => ({
        mid: one.mid,
        kind: one.kind,
        frames: one.framesDecoded ?? 0,
        height: one.frameHeight ?? 0,
        packets: one.packetsReceived,
        lost: one.packetsLost,
      }))
  }, id)

test("three people see and hear each other, over one port", async () => {
  const house = await open()
  await join(house, "ann")
  await join(house, "ben")
  await join(house, "cem")
  await new Promise((r) => setTimeout(r, 6000))
  console.log(house.log, JSON.stringify([...house.slots]), JSON.stringify(await inbound(house, "ann"), null, 1))
  await eventually(async () => {
    const pictures = (await inbound(house, "ann")).filter(({ kind, frames }) => kind === "video" && frames > 10)
    return pictures.length === 2
  }, "two pictures that go on")
  expect(house.log.filter((line) => line.startsWith("connected"))).toHaveLength(3)
})
