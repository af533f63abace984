/**
 * Selects the build of uWebSockets.js that fits this machine. It comes as machine code for some releases of Node and some systems, and no
 * build supports all: the older one needs glibc 2.28 and supports Node 20 and 22, the newer one needs glibc 2.38 and also supports Node 24
 * and 26. Nothing is imported here, so that the refusal on an unsupported machine comes before anything is loaded.
 */

export interface Machine {
  /** Major release of Node. */
  readonly node: number
  readonly platform: string
  /** Version such as `2.36`; absent on Linux without glibc, and on other systems. */
  readonly glibc: string | undefined
}

interface Build {
  /** True: the newer build, installed as `uWebSockets.js-next`. */
  readonly isNext: boolean
  readonly nodes: ReadonlyArray<number>
  readonly glibc: string
}

const BUILDS: ReadonlyArray<Build> = [
  { isNext: false, nodes: [20, 22], glibc: "2.28" },
  { isNext: true, nodes: [22, 24, 26], glibc: "2.38" },
]

const minor = (version: string): number => Number(version.split(".")[1])

const hasGlibc = ({ platform, glibc }: Machine, wanted: string): boolean =>
  platform !== "linux" || (glibc !== undefined && minor(glibc) >= minor(wanted))

const NEEDS =
  "Gathercue runs on Node 20 and 22 with glibc 2.28 or later, and on Node 24 and 26 with glibc 2.38 or later (Debian 13)"

/** The build, or a sentence why there is none. */
export const engineFor = (machine: Machine): { readonly isNext: boolean } | { readonly refusal: string } => {
  const build = BUILDS.find(({ nodes, glibc }) => nodes.includes(machine.node) && hasGlibc(machine, glibc))
  if (build !== undefined) return { isNext: build.isNext }
  const libc =
    machine.platform === "linux" ? ` with ${machine.glibc === undefined ? "no glibc" : `glibc ${machine.glibc}`}` : ""
  return { refusal: `${NEEDS}; this is Node ${machine.node}${libc}.` }
}

interface Header {
  readonly glibcVersionRuntime?: string
}

export const thisMachine = (): Machine => {
  const { header } = process.report.getReport() as { readonly header: Header }
  return {
    node: Number(process.versions.node.split(".")[0]),
    platform: process.platform,
    glibc: header.glibcVersionRuntime,
  }
}
