/** A server with a media server and a bucket, and what the media server does there: it records rooms, and sends messages about them. */
import { Redacted } from "effect"
import { expect } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { presigned } from "../../src/media/storage/s3/presign.ts"
import { Client } from "../gateway/client.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken, type Json, type Workspace } from "./api.ts"
import { type Egress, type LiveKitServer, startLiveKit } from "./livekit-server.ts"
import { type S3TestServer, startS3Server } from "./s3/s3-server.ts"
import { startMediaServer, type TestServer } from "./server.ts"
import { eventually } from "./wait.ts"
import { wavOf } from "./wav.ts"

export interface LiveRoom {
  readonly event: Json
  /** The main room, as the media server names it. */
  readonly room: string
  readonly host: Client
}

export class CaptureHouse {
  readonly livekit: LiveKitServer
  readonly s3: S3TestServer
  readonly workspace: Workspace
  server: TestServer

  private constructor(livekit: LiveKitServer, s3: S3TestServer, server: TestServer, workspace: Workspace) {
    this.livekit = livekit
    this.s3 = s3
    this.server = server
    this.workspace = workspace
  }

  static async open(environment: { readonly [key: string]: string } = {}): Promise<CaptureHouse> {
    const livekit = await startLiveKit()
    const s3 = await startS3Server()
    const server = await startMediaServer({
      MEDIA_URL: livekit.server.url,
      MEDIA_API_KEY: "key",
      MEDIA_API_SECRET: "a secret of the media server's, long enough",
      ...s3.environment,
      ...environment,
    })
    return new CaptureHouse(livekit, s3, server, await createWorkspace(server.url))
  }

  async close(): Promise<void> {
    await this.server.stop()
    await this.s3.close()
    await this.livekit.stop()
  }

  call(method: string, path: string, body?: object) {
    return call(this.server.url, method, path, { key: this.workspace.key, ...(body === undefined ? {} : { body }) })
  }

  async personOf(event: Json, role: string, name = role): Promise<Client> {
    const { session } = await createPerson(this.server.url, this.workspace.key, event.id, role, name)
    const { token, url } = await gatewayToken(this.server.url, event.id, session)
    const person = new Client(url)
    await person.identify(token)
    return person
  }

  async openRoom(modality: string, changes: object = {}): Promise<LiveRoom> {
    const phases = [{ modality, featureSet: ["capture"] }]
    const event = await createLiveEvent(this.server.url, this.workspace.key, { phases, ...changes })
    const room = mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId: null })
    return { event, room, host: await this.personOf(event, "host") }
  }

  async recordingsOf(event: Json): Promise<ReadonlyArray<Json>> {
    return (await this.call("GET", `/v1/events/${event.id}/recordings`)).body.recordings
  }

  /** Resolves when no recording is under way any more. */
  async settled(event: Json): Promise<ReadonlyArray<Json>> {
    const isSettled = async () => (await this.recordingsOf(event)).every(({ status }) => status !== "processing")
    await eventually(isSettled, "settled")
    return this.recordingsOf(event)
  }

  egressesOf(room: string): ReadonlyArray<Egress> {
    return this.livekit.egresses.filter(({ roomName }) => roomName === room)
  }

  /** The last recording of a room, as soon as it has so many. */
  async egressOf(room: string, count = 1): Promise<Egress> {
    await eventually(() => this.egressesOf(room).length === count, `${count} recordings of the room`)
    return this.egressesOf(room)[count - 1] as Egress
  }

  /** The recorder puts a file into the bucket, with the key that it was given. */
  async put(egress: Egress, key: string, bytes: Uint8Array | string): Promise<void> {
    const [output] = egress.roomComposite.fileOutputs
    const { accessKey, secret, endpoint, bucket, region, forcePathStyle } = output.s3
    expect(forcePathStyle).toBe(true)
    const settings = {
      url: `${endpoint}/${bucket}`,
      region,
      accessKeyId: accessKey,
      secretAccessKey: Redacted.make(secret),
    }
    const address = presigned(settings, { method: "PUT", key, expiresInSeconds: 60 }, Date.now())
    expect((await fetch(address, { method: "PUT", body: bytes })).status).toBe(200)
  }

  /** The recorder puts its file where it was told to. */
  async complete(egress: Egress, bytes: Uint8Array = wavOf(2)): Promise<void> {
    const [output] = egress.roomComposite.fileOutputs
    // As the recorder does with a name that lacks the ending.
    const key = output.filepath.endsWith(".mp4") ? output.filepath : `${output.filepath}.mp4`
    if (bytes.byteLength > 0) await this.put(egress, key, bytes)
    egress.fileResults = [{ filename: key, size: String(bytes.byteLength) }]
    egress.status = "EGRESS_COMPLETE"
  }

  /** A message of the media server. */
  post(body: string, authorization: string) {
    return call(this.server.url, "POST", "/v1/media/livekit/webhook", {
      raw: body,
      headers: { "content-type": "application/webhook+json", authorization },
    })
  }

  async tell(egress: Egress) {
    const { body, authorization } = await this.livekit.messageAbout(egress)
    return this.post(body, authorization)
  }
}
