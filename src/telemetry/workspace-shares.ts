/**
 * Workspaces' use of shared resources: only the top few are named. The metrics registry keeps each series for ever, so these are rendered
 * separately.
 */
export interface Share {
  readonly workspaceId: string
  readonly amount: number
}

const SHARED = {
  uploads: ["gathercue_workspace_uploads", "Uploads to this process of the workspaces that have most."],
  encoders: ["gathercue_workspace_encoders", "Encoders that push to this process of the workspaces that have most."],
  jobSeconds: [
    "gathercue_workspace_job_seconds",
    "Time of jobs on stored bytes at all nodes, of which half is forgotten every half an hour, of the workspaces that used most.",
  ],
  bytes: ["gathercue_workspace_media_bytes", "Bytes of recordings of the workspaces that store most."],
} as const

type Shared = keyof typeof SHARED

const NAMED = 5

export class WorkspaceShares {
  readonly #sources = new Map<Shared, () => ReadonlyArray<Share>>()

  /** `read` returns shares in descending order. */
  from(what: Shared, read: () => ReadonlyArray<Share>): void {
    this.#sources.set(what, read)
  }

  largest(what: Shared): ReadonlyArray<Share> {
    return this.#sources.get(what)?.().slice(0, NAMED) ?? []
  }

  /** Renders in the Prometheus text format. */
  render(): string {
    const names = Object.keys(SHARED) as ReadonlyArray<Shared>
    return names
      .map((what) => {
        const [name, help] = SHARED[what]
        const lines = this.largest(what).map(
          ({ workspaceId, amount }) => `${name}{workspace="${workspaceId}"} ${amount}\n`,
        )
        return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`
      })
      .join("")
  }
}
