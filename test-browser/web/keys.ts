/** Steps of a person who has a keyboard and no pointer. Each place where the focus stops has to be seen, named and large enough. */
import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import { eventually } from "../../test/support/wait.ts"

type Role = Parameters<Page["getByRole"]>[0]

/** More stops than any page has in these tests. */
const MOST_TABS = 90
const MOST_OPTIONS = 20

/** Roles of elements that do something: a screen reader says their names. */
const CONTROL =
  /^- (button|link|textbox|searchbox|checkbox|radio|combobox|spinbutton|tab|row|option|grid|listbox)\b(.*)$/

export interface Keys {
  readonly page: Page
  /** Moves the focus by Tab until the control has it. */
  readonly to: (role: Role, name: string | RegExp) => Promise<void>
  /** Moves the focus to the control and presses a key there: Enter unless another is named. */
  readonly press: (role: Role, name: string | RegExp, key?: string) => Promise<void>
  /** Moves the focus to the field and types in place of what is there. */
  readonly type: (name: string | RegExp, text: string) => Promise<void>
  /** Opens the choice of this label and takes an option of its list. */
  readonly choose: (label: string, option: string) => Promise<void>
  /** Goes through the whole page by Tab, which has to be the order in which it is read: down, or on to the right. */
  readonly walk: () => Promise<void>
  /** Resolves when the focus is in the element, where it is seen. */
  readonly isIn: (place: Locator) => Promise<void>
  /** Resolves when something has the focus, where it is seen. */
  readonly isSomewhere: () => Promise<void>
}

/** The faults of the place where the focus is. Null: nothing has it. */
const faultsInPage = (): ReadonlyArray<string> | null => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  // The input of a box is hidden; its label is what is seen.
  const isBox = element.matches("input[type=checkbox], input[type=radio]")
  const shown = (isBox ? element.closest("label") : null) ?? element
  const hasRing = [shown, ...shown.querySelectorAll(".check-box")].some((one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2
  })
  const { left, right, top, bottom, width, height } = shown.getBoundingClientRect()
  const isInView = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
  // A link within a sentence is as high as its line (WCAG 2.5.8).
  const isLarge = getComputedStyle(shown).display === "inline" || (width >= 24 && height >= 24)
  return [
    ...(hasRing ? [] : ["the focus is not seen"]),
    ...(isInView ? [] : ["the focus is out of view"]),
    ...(isLarge ? [] : [`the target is ${Math.round(width)} x ${Math.round(height)} px`]),
    ...(shown instanceof HTMLElement && shown.tabIndex > 0 ? ["it has an order of its own"] : []),
  ]
}

/** The element with the focus, as a screen reader says it. A fault of that place fails the test. */
const lookAtFocus = async (page: Page): Promise<string> => {
  // A row that comes into view is placed a frame later.
  let faults: ReadonlyArray<string> | null = []
  let words = ""
  await expect
    .poll(
      async () => {
        faults = await page.evaluate(faultsInPage)
        if (faults === null) return ""
        // Within a field for a date its parts have the focus.
        const focused = page.locator(":focus, input:focus-within")
        words = ((await focused.ariaSnapshot()).split("\n")[0] ?? "").trim()
        const [, role, rest = ""] = CONTROL.exec(words) ?? []
        const isNamed = role === undefined || /^ ["/]/.test(rest)
        return [...faults, ...(isNamed ? [] : ["it has no name"])].map((fault) => `${words}: ${fault}`).join("; ")
      },
      { timeout: 20_000 },
    )
    .toBe("")
  return faults === null ? "" : words
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluateAll((elements) => elements.some((one) => one === document.activeElement))

interface Stop {
  readonly words: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Of the element that has the focus, from the beginning of the page. */
const boxInPage = (): Omit<Stop, "words"> => {
  const { left, right, top, bottom } = (document.activeElement ?? document.body).getBoundingClientRect()
  return { left, right, top: top + scrollY, bottom: bottom + scrollY }
}

const isBackwards = (before: Stop, after: Stop): boolean => after.bottom <= before.top && after.left < before.right

export const keysOf = (page: Page): Keys => {
  const { keyboard } = page
  const control = (role: Role, name: string | RegExp): Locator => page.getByRole(role, { name, exact: true })
  const to = async (role: Role, name: string | RegExp): Promise<void> => {
    const target = control(role, name)
    await target.first().waitFor()
    const passed: string[] = []
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      if (await hasFocus(target)) return
      await keyboard.press("Tab")
      passed.push(await lookAtFocus(page))
    }
    throw new Error(`Tab does not come to ${role} ${name}, but to:\n${passed.join("\n")}`)
  }
  const press = async (role: Role, name: string | RegExp, key = "Enter"): Promise<void> => {
    await to(role, name)
    // As long as its last press is answered, a button takes no other.
    await page.locator(':focus:not([aria-disabled="true"])').waitFor()
    await keyboard.press(key)
  }
  const isIn = async (place: Locator): Promise<void> => {
    const contains = (elements: ReadonlyArray<Element>) => elements.some((one) => one.contains(document.activeElement))
    await eventually(() => place.evaluateAll(contains), `the focus in ${place}`)
    await lookAtFocus(page)
  }
  const isSomewhere = async (): Promise<void> => {
    await eventually(
      () => page.evaluate(() => document.activeElement !== null && document.activeElement !== document.body),
      "the focus anywhere",
    )
    await lookAtFocus(page)
  }
  const walk = async (): Promise<void> => {
    // From the beginning of the page.
    await page.evaluate(() => {
      document.body.tabIndex = -1
      document.body.focus()
      document.body.removeAttribute("tabindex")
    })
    await keyboard.press("Tab")
    const first = await page.evaluateHandle(() => document.activeElement)
    const stops: Stop[] = []
    // Behind the last one comes the first one again, or nothing.
    do {
      stops.push({ words: await lookAtFocus(page), ...(await page.evaluate(boxInPage)) })
      await keyboard.press("Tab")
    } while (
      stops.length < MOST_TABS &&
      (await page.evaluate((one) => ![one, document.body].includes(document.activeElement), first))
    )
    expect(stops.length).toBeGreaterThan(1)
    expect(stops.length).toBeLessThan(MOST_TABS)
    const wrong = stops.filter((stop, index) => index > 0 && isBackwards(stops[index - 1] ?? stop, stop))
    expect(wrong.map(({ words }) => words)).toEqual([])
  }
  return {
    page,
    to,
    walk,
    press,
    isIn,
    isSomewhere,
    type: async (name, text) => {
      await to("textbox", name)
      await keyboard.press("ControlOrMeta+a")
      await keyboard.type(text)
    },
    choose: async (label, option) => {
      await press("button", new RegExp(`(^|\\s)${label}$`))
      const wanted = control("option", option)
      await wanted.waitFor()
      await isIn(page.getByRole("listbox"))
      await keyboard.press("Home")
      for (let moves = 0; moves < MOST_OPTIONS && !(await hasFocus(wanted)); moves++) await keyboard.press("ArrowDown")
      await keyboard.press("Enter")
      await wanted.waitFor({ state: "detached" })
      await isIn(page.getByRole("button", { name: new RegExp(`(^|\\s)${label}$`) }))
    },
  }
}
