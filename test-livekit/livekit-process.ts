/** A LiveKit server on loopback, as a process that can be killed and started again at the same ports. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { RoomServiceClient, TrackSource } from "livekit-server-sdk"
import { inject } from "vitest"
import { eventOf } from "../src/gateway/expulsion/room-sweep.ts"
import { freePort } from "../test/support/free-port.ts"
import { eventually } from "../test/support/wait.ts"

const KEY = "key"
const SECRET = "a secret of the media server's, long enough"

export class LiveKitProcess {
  readonly port: number
  readonly #rtcPort: number
  #child: ChildProcess | undefined
  readonly #client: RoomServiceClient
  readonly #logged: string[] = []

  private constructor(port: number, rtcPort: number) {
    this.port = port
    this.#rtcPort = rtcPort
    this.#client = new RoomServiceClient(this.url, KEY, SECRET)
  }

  /** The ports are chosen; it is not started yet. */
  static async prepare(): Promise<LiveKitProcess> {
    return new LiveKitProcess(await freePort(), await freePort())
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`
  }

  get environment(): { readonly [key: string]: string } {
    return { MEDIA_URL: this.url, MEDIA_API_KEY: KEY, MEDIA_API_SECRET: SECRET }
  }

  /** Resolves as soon as it answers. */
  async start(webhook: string): Promise<void> {
    const config = {
      port: this.port,
      bind_addresses: ["127.0.0.1"],
      rtc: {
        tcp_port: this.#rtcPort,
        udp_port: this.#rtcPort,
        node_ip: "127.0.0.1",
        use_external_ip: false,
        enable_loopback_candidate: true,
      },
      keys: { [KEY]: SECRET },
      webhook: { api_key: KEY, urls: [webhook] },
      logging: { level: "info" },
    }
    // JSON is YAML.
    const child = spawn(inject("livekitProgram"), ["--config-body", JSON.stringify(config)], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => this.#logged.push(String(chunk)))
    this.#child = child
    process.once("exit", () => child.kill("SIGKILL"))
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`LiveKit ended at its start with the code ${child.exitCode}`)
      return fetch(`http://127.0.0.1:${this.port}`).then(
        ({ ok }) => ok,
        () => false,
      )
    }, "LiveKit answering")
  }

  /** All that it has logged by now, at the level at which it is run. */
  log(): string {
    return this.#logged.join("")
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  }

  /**
   * The names of the people in each room of the event, in the order of the alphabet. Rooms without people are left out, and those of other events
   * too: LiveKit takes seconds to notice that a page has gone.
   */
  async people(
    eventId: string,
  ): Promise<ReadonlyArray<{ readonly room: string; readonly names: ReadonlyArray<string> }>> {
    const rooms = (await this.#client.listRooms()).filter(({ name }) => eventOf(name) === eventId)
    const found = await Promise.all(
      rooms.map(async ({ name }) => ({
        room: name,
        names: (await this.#client.listParticipants(name).catch(() => [])).map((one) => one.name).toSorted(),
      })),
    )
    return found.filter(({ names }) => names.length > 0)
  }

  /** By the names of the people in the room: what they send, in the order of the alphabet. */
  async sent(room: string): Promise<{ readonly [name: string]: ReadonlyArray<string> }> {
    const people = await this.#client.listParticipants(room)
    return Object.fromEntries(
      people.map(({ name, tracks }) => [
        name,
        tracks.map(({ source, muted }) => `${TrackSource[source]}${muted ? " (muted)" : ""}`).toSorted(),
      ]),
    )
  }

  /** As an operator of LiveKit does it. */
  remove(room: string, identity: string): Promise<void> {
    return this.#client.removeParticipant(room, identity)
  }

  async isIn(room: string, name: string): Promise<boolean> {
    return (await this.people(eventOf(room) ?? "")).some((one) => one.room === room && one.names.includes(name))
  }
}
