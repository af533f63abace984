/** Whether the texts of a page have room at its size. */
import type { Page } from "playwright-core"
import { expect } from "vitest"

/** Twice as large by the size of the text alone, by the zoom of the browser, and on the narrowest window (WCAG 1.4.4, 1.4.10). */
const SIZES = [
  { width: 1280, height: 1024, text: 2 },
  { width: 640, height: 512, text: 1 },
  { width: 320, height: 640, text: 1 },
]

/** Boxes that may scroll sideways: what loses its meaning when it is folded (WCAG 1.4.10). */
const SCROLLS = ".wide"
/** For screen readers alone, or below a dialog. */
const UNSEEN = ".visually-hidden, [data-live-announcer], [aria-hidden=true], [inert]"

interface Piece {
  /** The element of the text, and its words. */
  readonly of: number
  readonly name: string
  readonly box: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }
  readonly isCut: boolean
  /** The text is larger than a block around it. */
  readonly sticksOut: boolean
}

const widthFaults = ([scrolls, unseen]: readonly [string, string]): ReadonlyArray<string> => {
  const { clientWidth, scrollWidth } = document.documentElement
  const nameOf = ({ tagName, className, textContent }: Element): string =>
    `${tagName.toLowerCase()}.${className} “${(textContent ?? "").trim().slice(0, 40)}”`
  const all = [...document.querySelectorAll("body *")].filter((one) => one.closest(scrolls) === null)
  const wide = all.filter((one) => one.getBoundingClientRect().right > clientWidth + 1).map(nameOf)
  const sideways = all.filter((one) => {
    const isBox = ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && !one.matches("input, textarea")
    return isBox && one.scrollWidth > one.clientWidth + 1
  })
  const shortened = all.filter((one) => {
    const isClosed = getComputedStyle(one).overflowX === "hidden" && one.closest(unseen) === null
    return isClosed && one.textContent !== "" && one.scrollWidth > one.clientWidth + 1
  })
  return [
    ...(scrollWidth > clientWidth ? [`the page is ${scrollWidth - clientWidth} px too wide: ${wide.slice(0, 3)}`] : []),
    ...shortened.map((one) => `it is cut off: ${nameOf(one)}`),
    ...sideways.map((one) => `it scrolls sideways: ${nameOf(one)}`),
  ]
}

/** The lines of text that are seen. */
const piecesInPage = (unseen: string): ReadonlyArray<Piece> => {
  const boxesAround = (element: Element): ReadonlyArray<Element> => {
    const boxes: Element[] = []
    for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement)
      if (!["inline", "contents"].includes(getComputedStyle(at).display)) boxes.push(at)
    return boxes
  }
  const isBeside = (box: DOMRect, around: Element): boolean => {
    const { left, right } = around.getBoundingClientRect()
    return box.right > right + 2 || box.left < left - 2
  }
  /** A line may be a little higher than its block. */
  const isBeyond = (box: DOMRect, around: Element): boolean => {
    const { top, bottom } = around.getBoundingClientRect()
    return box.bottom > bottom + 4 || box.top < top - 4
  }
  const scrolls = (around: Element): boolean =>
    [getComputedStyle(around).overflowX, getComputedStyle(around).overflowY].includes("auto")
  const isOutside = (box: DOMRect, around: Element): boolean => {
    const { overflowX, overflowY } = getComputedStyle(around)
    const cuts = (overflow: string): boolean => overflow === "hidden" || overflow === "clip"
    return (cuts(overflowX) && isBeside(box, around)) || (cuts(overflowY) && isBeyond(box, around))
  }
  /** A box that scrolls does not show it now. */
  const isAway = (box: DOMRect, around: Element): boolean => {
    if (getComputedStyle(around).overflowY !== "auto") return false
    const { left, right, top, bottom } = around.getBoundingClientRect()
    return box.top >= bottom || box.bottom <= top || box.left >= right || box.right <= left
  }
  const elements = [...document.querySelectorAll("body *")].filter(
    (one) => one.closest(unseen) === null && one.checkVisibility({ visibilityProperty: true }),
  )
  return elements.flatMap((element, of) => {
    const boxes = boxesAround(element)
    const texts = [...element.childNodes].filter(
      ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim() !== "",
    )
    return texts.flatMap((text) => {
      const range = document.createRange()
      range.selectNodeContents(text)
      return [...range.getClientRects()]
        .filter((box) => box.width > 1 && !boxes.some((around) => isAway(box, around)))
        .map((box) => ({
          of,
          name: `${element.tagName.toLowerCase()}.${element.className} “${(text.textContent ?? "").trim().slice(0, 40)}”`,
          box: { left: box.left, right: box.right, top: box.top, bottom: box.bottom },
          isCut: boxes.some((around) => isOutside(box, around)),
          sticksOut: boxes
            .slice(0, boxes.findIndex(scrolls) + 1 || boxes.length)
            .some((around) => isBeside(box, around) || isBeyond(box, around)),
        }))
    })
  })
}

/** The boxes of two lines overlap a little where their letters do not. */
const isOn = ({ box: one }: Piece, { box: other }: Piece): boolean => {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return width > 2 && height > Math.min(one.bottom - one.top, other.bottom - other.top) / 2
}

const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const pieces = await page.evaluate(piecesInPage, UNSEEN)
  const faults = [
    ...(await page.evaluate(widthFaults, [SCROLLS, UNSEEN] as const)),
    ...pieces.filter(({ isCut }) => isCut).map(({ name }) => `it is cut off: ${name}`),
    ...pieces.filter(({ sticksOut }) => sticksOut).map(({ name }) => `it sticks out: ${name}`),
    ...pieces.flatMap((one, index) =>
      pieces
        .slice(index + 1)
        .filter((other) => one.of !== other.of && isOn(one, other))
        .map((other) => `${one.name} lies on ${other.name}`),
    ),
  ]
  return [...new Set(faults)]
}

/** Frames in which a list whose rows have other heights now places them anew. */
const FRAMES = 3
const STEADY = 2

const frames = (page: Page): Promise<void> =>
  page.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        const next = (left: number) => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)))
        next(count)
      }),
    FRAMES,
  )

/** The faults once the page does not move any more. */
const settledFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  let faults: ReadonlyArray<string> = []
  for (let same = 0; same < STEADY; ) {
    await frames(page)
    const now = await faultsOf(page)
    same = now.join() === faults.join() ? same + 1 : 0
    faults = now
  }
  return faults
}

/** At each of the sizes nothing is cut off, lies on another text, or makes the page scroll sideways. */
export const expectFits = async (page: Page, view: string): Promise<void> => {
  for (const { text, ...viewport } of SIZES) {
    await page.setViewportSize(viewport)
    await page.evaluate((scale) => {
      document.documentElement.style.fontSize = `${scale * 100}%`
    }, text)
    const faults = await settledFaults(page)
    expect.soft(faults, `${view} at ${viewport.width} px`).toEqual([])
  }
}
