/** The chart as a picture: a box for each region, in it one for each state, and in that its transitions. */
import type { AnyStateNode } from "xstate"

const LINE = 15
const CHARACTER = 6.7
const PAD = 8

interface Box {
  readonly width: number
  readonly height: number
  readonly draw: (x: number, y: number) => string
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const textBox = (text: string, isTitle = false): Box => ({
  width: text.length * CHARACTER,
  height: LINE,
  draw: (x, y) => `<text x="${x}" y="${y + 11}"${isTitle ? ' font-weight="bold"' : ""}>${escaped(text)}</text>`,
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const below = (boxes: ReadonlyArray<Box>): Box => ({
  width: Math.max(0, ...boxes.map(({ width }) => width)),
  height: sum(boxes.map(({ height }) => height)),
  draw: (x, y) => {
    let at = y
    return boxes
      .map(({ draw, height }) => {
        const drawn = draw(x, at)
        at += height
        return drawn
      })
      .join("")
  },
})

/** In columns of about equal height. */
const inColumns = (boxes: ReadonlyArray<Box>, count: number): Box => {
  const most = sum(boxes.map(({ height }) => height)) / count
  const columns: Box[][] = [[]]
  for (const box of boxes) {
    const last = columns.at(-1) ?? []
    const isFull =
      last.length > 0 && columns.length < count && sum(last.map(({ height }) => height)) + box.height / 2 > most
    if (isFull) columns.push([box])
    else last.push(box)
  }
  const stacks = columns.map(below)
  return {
    width: sum(stacks.map(({ width }) => width + PAD)),
    height: Math.max(...stacks.map(({ height }) => height)),
    draw: (x, y) => {
      let at = x
      return stacks
        .map(({ draw, width }) => {
          const drawn = draw(at, y)
          at += width + PAD
          return drawn
        })
        .join("")
    },
  }
}

const framed = (inner: Box, fill: string): Box => {
  const [width, height] = [inner.width + 2 * PAD, inner.height + 2 * PAD]
  return {
    width,
    height: height + PAD,
    draw: (x, y) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="5" fill="${fill}" stroke="#667"/>${inner.draw(x + PAD, y + PAD)}`,
  }
}

const nameOf = (event: string): string => event.replace(/^xstate\.after\.([a-z]+\.[a-z]+)\..*$/, "at $1")

/** `event [guard] / actions -> target`. */
const transitionLines = (node: AnyStateNode): ReadonlyArray<string> =>
  [...node.transitions].flatMap(([event, definitions]) =>
    definitions.map(({ guard, actions, target }) => {
      const asked = guard === undefined ? "" : ` [${String(guard)}]`
      const done = actions.length === 0 ? "" : ` / ${actions.map(String).join(", ")}`
      const [to] = target ?? []
      return `${nameOf(event)}${asked}${done}${to === undefined ? "" : ` -> ${to.path.slice(-2).join(".")}`}`
    }),
  )

const FILLS = ["#f4f6fb", "#ffffff", "#eef3ff", "#ffffff"]

const boxOf = (node: AnyStateNode, depth: number): Box => {
  const isFirst = node.parent !== undefined && node.parent.initial.target[0] === node
  const title = textBox(`${isFirst && node.parent?.type === "compound" ? "> " : ""}${node.key}`, true)
  const inner = Object.values(node.states).map((state) => boxOf(state, depth + 1))
  const states = node.type === "parallel" ? inColumns(inner, 3) : below(inner)
  return framed(
    below([title, ...transitionLines(node).map((line) => textBox(line)), states]),
    FILLS[depth] ?? "#ffffff",
  )
}

export const drawingOf = (root: AnyStateNode): string => {
  const box = boxOf(root, 0)
  const [width, height] = [Math.ceil(box.width + 2 * PAD), Math.ceil(box.height + 2 * PAD)]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11"><title>${root.id}</title>${box.draw(PAD, PAD)}</svg>\n`
}
