/** Our server with one live event and its audience: what benchmarks of the gateway measure. */
import type { Defer } from "../benchmark.ts"
import type { AudienceOptions } from "./audience-process.ts"
import { type Child, startChild } from "./child.ts"
import { type BenchDatabases, startDatabases } from "./database.ts"
import type { GatewayPlace } from "./gateway-tokens.ts"
import { fileLimit } from "./process-usage.ts"
import { createLiveEvent, createWorkspace } from "./rest-calls.ts"
import { type ServerProcess, startServerProcess } from "./server-process.ts"

/** The server admits 2,000 newcomers a second; a little less, so that none is turned away. */
export const JOINS_PER_SECOND = 1800
/** Files a process needs besides its sockets. */
const OTHER_FILES = 200

export interface LiveServer {
  readonly server: ServerProcess
  readonly place: GatewayPlace
  /** The PostgreSQL server behind it. */
  readonly databases: BenchDatabases
}

const SHOW = [{ modality: "broadcast", featureSet: ["qa", "chat", "reactions", "polls"] }, { modality: "meeting" }]

/** `agenda`: phases as REST takes them; the first one is active. */
export const startLiveServer = async (
  profile: number,
  defer: Defer,
  agenda: ReadonlyArray<object> = SHOW,
): Promise<LiveServer> => {
  const databases = await startDatabases(defer)
  const environment = { DATABASE_URL: await databases.create("migrated") }
  const server = await startServerProcess({ environment, profile }, defer)
  const workspace = await createWorkspace(server.url)
  const eventId = await createLiveEvent(server.url, workspace.key, agenda)
  return { server, databases, place: { eventId, workspaceId: workspace.id } }
}

export const openAudience = async (options: AudienceOptions, defer: Defer): Promise<Child> => {
  const child = await startChild(new URL("./audience-process.js", import.meta.url), defer)
  await child.call("open", options)
  return child
}

/** As many as asked for, or as many as a process may open here. */
export const affordableSockets = (wanted: number): number => {
  const limit = fileLimit() - OTHER_FILES
  if (wanted <= limit) return wanted
  console.log(`A process may open ${fileLimit()} files here (ulimit -n): ${limit} sockets instead of ${wanted}.\n`)
  return limit
}
