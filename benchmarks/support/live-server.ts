/** Our server with one live event and its audience: what benchmarks of the gateway measure. */
import postgres from "postgres"
import type { Defer } from "../benchmark.ts"
import type { AudienceOptions } from "./audience-process.ts"
import { type Child, startChild } from "./child.ts"
import { type BenchDatabases, startDatabases } from "./database.ts"
import type { GatewayPlace } from "./gateway-tokens.ts"
import { startProbedServer } from "./memory.ts"
import { fileLimit } from "./process-usage.ts"
import { type BenchWorkspace, createLiveEvent, createWorkspace } from "./rest-calls.ts"
import { type ServerProcess, startServerProcess } from "./server-process.ts"

/** The server admits 2,000 newcomers a second; a little less, so that none is turned away. */
export const JOINS_PER_SECOND = 1800
/** Files a process needs besides its sockets. */
const OTHER_FILES = 200

export interface LiveServer {
  readonly server: ServerProcess
  readonly place: GatewayPlace
  readonly workspace: BenchWorkspace
  /** The PostgreSQL server behind it. */
  readonly databases: BenchDatabases
  readonly databaseUrl: string
}

export const SHOW = [
  { modality: "broadcast", featureSet: ["qa", "chat", "reactions", "polls"] },
  { modality: "meeting" },
]

interface Given {
  /** Of the server, beside the address of its database. */
  readonly environment?: { readonly [key: string]: string }
  /** Phases as REST takes them; the first one is active. */
  readonly agenda?: ReadonlyArray<object>
  /** Users of the workspace, stored before the start. */
  readonly users?: number
  /** The server tells what memory is left after all garbage was collected (`memory.ts`). */
  readonly isProbed?: boolean
}

/** Users that the workspace's key vouched for. */
export const storeUsers = async (
  url: string,
  workspaceId: string,
  count: number,
): Promise<NonNullable<GatewayPlace["users"]>> => {
  const sql = postgres(url, { max: 1 })
  try {
    const users = await sql<{ id: string }[]>`
      insert into users (id, workspace_id, external_sub, name)
      select gen_random_uuid(), ${workspaceId}, 'bench-' || n, 'Guest ' || n from generate_series(1, ${count}::integer) as g(n)
      returning id`
    await sql`analyze users`
    const [key] = await sql<{ id: string }[]>`select id from api_keys where workspace_id = ${workspaceId}`
    return { ids: users.map(({ id }) => id), keyId: key?.id ?? "" }
  } finally {
    await sql.end()
  }
}

export const startLiveServer = async (
  profile: number,
  defer: Defer,
  { agenda = SHOW, users = 0, environment: given = {}, isProbed = false }: Given = {},
): Promise<LiveServer> => {
  const databases = await startDatabases(defer)
  const url = await databases.create("migrated")
  const environment = { ...given, DATABASE_URL: url }
  const server = await (isProbed ? startProbedServer : startServerProcess)({ environment, profile }, defer)
  const workspace = await createWorkspace(server.url)
  const eventId = await createLiveEvent(server.url, workspace.key, agenda)
  const place = { eventId, workspaceId: workspace.id }
  const stored = users === 0 ? {} : { users: await storeUsers(url, workspace.id, users) }
  return { server, databases, databaseUrl: url, workspace, place: { ...place, ...stored } as GatewayPlace }
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
