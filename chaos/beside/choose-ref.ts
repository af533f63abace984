/** Which commit runs beside this checkout. */
import { NotPossible } from "../options.ts"
import { git } from "./git.ts"

export interface Ref {
  /** In the report. */
  readonly name: string
  readonly commit: string
}

/** A name for `--beside` that stands for the newest release before this one. */
export const PREVIOUS = "previous"

const RELEASE = /^v?\d+\.\d+\.\d+$/
const SHORT = 10

const commitOf = (root: string, ref: string): Promise<string | undefined> =>
  git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).catch(() => undefined)

/** Builds of before `src/cluster` run alone. */
const runsAsNode = (root: string, commit: string): Promise<boolean> =>
  git(root, "cat-file", "-e", `${commit}:src/cluster`).then(
    () => true,
    () => false,
  )

const releases = async (root: string): Promise<ReadonlyArray<string>> => {
  const tags = await git(root, "tag", "--merged", "HEAD", "--sort=-version:refname")
  return tags.split("\n").filter((tag) => RELEASE.test(tag))
}

/** The newest release, and without one the last commit before HEAD on its own branch. */
const previous = async (root: string): Promise<Ref> => {
  const head = await commitOf(root, "HEAD")
  const tags = head === undefined ? [] : await releases(root)
  for (const name of tags) {
    const commit = await commitOf(root, name)
    if (commit !== undefined && commit !== head && (await runsAsNode(root, commit))) return { name, commit }
  }
  const parent = await commitOf(root, "HEAD^")
  if (parent !== undefined && (await runsAsNode(root, parent))) return { name: parent.slice(0, SHORT), commit: parent }
  throw new NotPossible(
    "There is no previous build to run beside this one: neither a release tag nor the commit before HEAD is here and has src/cluster (a shallow clone lacks both).",
  )
}

/** @throws NotPossible when there is no such commit, or its build cannot be a node. */
export const refBeside = async (root: string, wanted: string): Promise<Ref> => {
  if (wanted === PREVIOUS) return previous(root)
  const commit = await commitOf(root, wanted)
  if (commit === undefined) throw new NotPossible(`There is no commit "${wanted}" in this repository.`)
  if (await runsAsNode(root, commit)) return { name: `${wanted} (${commit.slice(0, SHORT)})`, commit }
  throw new NotPossible(`The build of "${wanted}" cannot run as a node: it has no src/cluster.`)
}
