/** Reads the cells of `permission-table.ts`. It knows what a word in a cell means, and nothing of any permission. */
import { CHAT_TABLE, PERMISSION_TABLE } from "./permission-table.ts"

export const SETTINGS = ["broadcast", "meeting", "breakout", "rotation", "none"] as const
export type Setting = (typeof SETTINGS)[number]

export const ROLES = ["workspace_admin", "host", "speaker", "participant", "viewer", "anonymous"] as const
export type Role = (typeof ROLES)[number]

export const FEATURES = ["qa", "chat", "polls", "reactions", "transcript", "capture"] as const
export type Feature = (typeof FEATURES)[number]

const CELLS = ["yes", "questions", "voting", "no", "never", "-"] as const
type Cell = (typeof CELLS)[number]

type Verdict = "allowed" | "forbidden" | "wrong_phase" | "feature_disabled"

export interface Situation {
  readonly setting: Setting
  readonly featureSet: ReadonlyArray<Feature>
  /** The event's permissions for anonymous people. */
  readonly anonymous: { readonly questions: boolean; readonly voting: boolean }
}

interface Block {
  /** Null: no feature is needed. */
  readonly feature: Feature | null
  readonly rows: ReadonlyMap<Role, ReadonlyMap<Setting, Cell>>
}

const fail = (problem: string): never => {
  throw new Error(`The permission table is not well formed: ${problem}`)
}

const wordOf = <W extends string>(words: ReadonlyArray<W>, text: string): W =>
  words.find((word) => word === text) ?? fail(`unknown word ${text}`)

const wordsOf = (line: string): ReadonlyArray<string> => line.trim().split(/\s+/)

const rowOf = (line: string): readonly [Role, ReadonlyMap<Setting, Cell>] => {
  const [role = "", ...cells] = wordsOf(line)
  if (cells.length !== SETTINGS.length) fail(`a row of ${cells.length} cells: ${line}`)
  return [wordOf(ROLES, role), new Map(SETTINGS.map((setting, at) => [setting, wordOf(CELLS, cells[at] ?? "")]))]
}

/** Every name that the block's first line lists, with the block. */
const blockOf = (text: string): ReadonlyArray<readonly [string, Block]> => {
  const [title = "", head = "", ...lines] = text.split("\n")
  const [, names = "", feature] = /^(.+?)(?: \((\w+)\))?$/.exec(title) ?? []
  if (wordsOf(head).join() !== SETTINGS.join()) fail(`the columns of ${title}`)
  const rows = lines.map(rowOf)
  if (rows.map(([role]) => role).join() !== ROLES.join()) fail(`the rows of ${title}`)
  const block = { feature: feature === undefined ? null : wordOf(FEATURES, feature), rows: new Map(rows) }
  return wordsOf(names).map((name) => [name, block])
}

const read = (table: string): ReadonlyMap<string, Block> => {
  const entries = table.trim().split("\n\n").flatMap(blockOf)
  const blocks = new Map(entries)
  return blocks.size === entries.length ? blocks : fail("a name has two blocks")
}

const COMMAND_BLOCKS = read(PERMISSION_TABLE)
const CHAT_BLOCKS = read(CHAT_TABLE)

export const COMMANDS: ReadonlyArray<string> = [...COMMAND_BLOCKS.keys()]
export const CHAT_TARGETS: ReadonlyArray<string> = [...CHAT_BLOCKS.keys()]

const verdictOf = (block: Block, role: Role, { setting, featureSet, anonymous }: Situation): Verdict => {
  const cell = block.rows.get(role)?.get(setting) ?? fail(`no cell for ${role} in ${setting}`)
  if (cell === "never") return "forbidden"
  if (cell === "-") return "wrong_phase"
  if (block.feature !== null && !featureSet.includes(block.feature)) return "feature_disabled"
  if (cell === "questions" || cell === "voting") return anonymous[cell] ? "allowed" : "forbidden"
  return cell === "yes" ? "allowed" : "forbidden"
}

const blockNamed = (blocks: ReadonlyMap<string, Block>, name: string): Block =>
  blocks.get(name) ?? fail(`no block for ${name}`)

export const featureOf = (command: string): Feature | null => blockNamed(COMMAND_BLOCKS, command).feature

export const verdict = (role: Role, situation: Situation, command: string): Verdict =>
  verdictOf(blockNamed(COMMAND_BLOCKS, command), role, situation)

export const chatVerdict = (role: Role, situation: Situation, place: string): Verdict => {
  const sending = verdict(role, situation, "chat.send")
  return sending === "allowed" ? verdictOf(blockNamed(CHAT_BLOCKS, place), role, situation) : sending
}

export const commandsOf = (role: Role, situation: Situation): ReadonlyArray<string> =>
  COMMANDS.filter((command) => verdict(role, situation, command) === "allowed")

export const chatTargetsOf = (role: Role, situation: Situation): ReadonlyArray<string> =>
  CHAT_TARGETS.filter((place) => chatVerdict(role, situation, place) === "allowed")
