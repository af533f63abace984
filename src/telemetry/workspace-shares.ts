/**
 * What the workspaces take of what they share: only the few that take most of it are named. The registry of metrics keeps each series for
 * ever, so that these are written beside it.
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

  /** `read`: those that take most come first. */
  from(what: Shared, read: () => ReadonlyArray<Share>): void {
    this.#sources.set(what, read)
  }

  largest(what: Shared): ReadonlyArray<Share> {
    return this.#sources.get(what)?.().slice(0, NAMED) ?? []
  }

  /** In the text format of Prometheus. */
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
