/** The pictures of the architecture: the rooms on their floors, drawn from the table of imports, and the way of one command. */

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly title: string
  readonly lines?: ReadonlyArray<string>
  readonly fill?: string
}

const LINE = 15
const heightOf = ({ lines = [] }: Box): number => 30 + lines.length * LINE

const drawn = (box: Box): string => {
  const { x, y, width, title, lines = [], fill = "#f4f6fb" } = box
  const texts = lines.map((line, at) => `<text x="${x + 10}" y="${y + 36 + at * LINE}">${escaped(line)}</text>`)
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${heightOf(box)}" rx="5" fill="${fill}" stroke="#667"/>`,
    `<text x="${x + 10}" y="${y + 20}" font-weight="bold">${escaped(title)}</text>`,
    ...texts,
  ].join("")
}

const picture = (title: string, width: number, height: number, parts: ReadonlyArray<string>): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12"><title>${title}</title><rect width="${width}" height="${height}" fill="#fff"/>${parts.join("")}</svg>\n`

interface Rooms {
  readonly KERNEL: ReadonlyArray<string>
  readonly MAY_IMPORT: { readonly [room: string]: ReadonlyArray<string> }
}

/** The composition root stands on the top floor. The client stands beside the server. */
const ON_TOP = "app"
const HIDDEN: ReadonlySet<string> = new Set(["client"])
const ROW = 80
const WIDTH = 1000

/** A room stands one floor above the highest of the rooms that it imports. */
const floorsOf = ({ KERNEL, MAY_IMPORT }: Rooms): ReadonlyArray<ReadonlyArray<string>> => {
  const rooms = Object.keys(MAY_IMPORT).filter(
    (room) => !KERNEL.includes(room) && !HIDDEN.has(room) && !MAY_IMPORT[room]?.includes("*"),
  )
  const floor = (room: string): number => {
    const below = (MAY_IMPORT[room] ?? []).filter((other) => rooms.includes(other))
    return below.length === 0 ? 0 : 1 + Math.max(...below.map(floor))
  }
  const highest = Math.max(...rooms.map(floor))
  const floors = Array.from({ length: highest + 1 }, (_, at) => rooms.filter((room) => floor(room) === at).toSorted())
  return [[...KERNEL], ...floors, [ON_TOP]]
}

/** Text in lines of as many characters as fit. */
const wrapped = (text: string, characters: number): ReadonlyArray<string> =>
  text.match(new RegExp(`.{1,${characters}}(?: |$)`, "g"))?.map((line) => line.trim()) ?? []

/** What a box says of its room. */
const importsOf = (room: string, { KERNEL, MAY_IMPORT }: Rooms): ReadonlyArray<string> => {
  if (KERNEL.includes(room)) return []
  if (room === ON_TOP) return ["imports every room"]
  const others = (MAY_IMPORT[room] ?? []).filter((other) => !KERNEL.includes(other) && !HIDDEN.has(other))
  return [others.join(", ") || "imports the kernel alone"]
}

export const roomsDrawing = (rooms: Rooms): string => {
  const floors = floorsOf(rooms).toReversed()
  const boxes = floors.flatMap((row, at) => {
    const width = (WIDTH - 20 - (row.length - 1) * 12) / row.length
    const isKernel = at === floors.length - 1
    return row.map(
      (room, index): Box => ({
        x: Math.round(10 + index * (width + 12)),
        y: 10 + at * ROW,
        width: Math.round(width),
        title: `${room}/`,
        lines: importsOf(room, rooms).flatMap((text) => wrapped(text, Math.floor(width / 5.8))),
        fill: isKernel ? "#e6eefc" : "#f4f6fb",
      }),
    )
  })
  return picture("The rooms of the code", WIDTH, floors.length * ROW - 30, boxes.map(drawn))
}

/** The steps of a command in ARCHITECTURE.md, two rows: up to the commit, and after it. */
const BEFORE: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["client", ["a command with", "an id"]],
  ["gateway/frames", ["rate, decoding,", "envelope"]],
  ["actors/runtime", ["inbox: one turn", "at a time"]],
  ["actors/machine", ["permission,", "decision"]],
  ["actors/commit", ["versions, numbers,", "encoded dispatches"]],
  ["PostgreSQL", ["one statement", "under the fence"]],
]
const AFTER: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["client", ["number checked,", "next state"]],
  ["sockets", ["one publish for", "each stream"]],
  ["gateway/broadcast", ["replay buffer,", "tick"]],
  ["actors/feed", ["to every gateway", "that watches"]],
  ["webhooks", ["claimed from the", "outbox, signed, sent"]],
  ["committed", ["state adopted,", "caller answered"]],
]
const STEP = 165
const SECOND_ROW = 120

const arrow = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#334" marker-end="url(#end)"/>`

export const commandDrawing = (): string => {
  const row = (steps: typeof BEFORE, y: number): ReadonlyArray<Box> =>
    steps.map(([title, lines], at) => ({ x: 10 + at * STEP, y, width: STEP - 22, title, lines }))
  const forth = BEFORE.slice(1).map((_, at) => arrow(10 + at * STEP + STEP - 22, 40, 8 + (at + 1) * STEP, 40))
  const down = arrow(10 + 5 * STEP + 67, 70, 10 + 5 * STEP + 67, SECOND_ROW - 2)
  const back = [5, 3, 2, 1].map((at) => {
    const to = at === 5 ? 4 : at - 1
    return arrow(10 + at * STEP, SECOND_ROW + 30, 12 + to * STEP + STEP - 22, SECOND_ROW + 30)
  })
  // The feed is beside the outbox: both follow from the commit.
  const feed = `<path d="M ${10 + 5 * STEP + 40} ${SECOND_ROW + 60} v 20 H ${10 + 3 * STEP + 67} v -18" fill="none" stroke="#334" marker-end="url(#end)"/>`
  const end =
    '<defs><marker id="end" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#334"/></marker></defs>'
  const boxes = [...row(BEFORE, 10), ...row(AFTER, SECOND_ROW)].map(drawn)
  return picture("The way of one command", 1000, SECOND_ROW + 95, [end, ...boxes, ...forth, down, ...back, feed])
}
