/**
 * Keeps the focus on the page. When its own action removes or disables a control, the focus is lost: a person with a keyboard no longer
 * sees where they are, and a screen reader starts the page over. The nearest enclosing part of the page then takes the focus, and not
 * another control, so that a key pressed twice does nothing else.
 */
const PLACES = "li, section, form, fieldset, [role=group], [role=dialog]"

/** Target on a page whose parts are all new. */
const TITLE = "main h1"

const ancestorsOf = (element: Element): ReadonlyArray<Element> => {
  const ancestors: Element[] = []
  for (let at = element.parentElement; at !== null; at = at.parentElement) ancestors.push(at)
  return ancestors
}

/** A removed element has no boxes. */
const isShown = (element: Element): boolean => element.getBoundingClientRect().height > 0

const isUsable = (element: Element): boolean => element.getClientRects().length > 0 && !element.matches(":disabled")

const take = (home: HTMLElement): void => {
  if (!home.hasAttribute("tabindex")) {
    home.setAttribute("tabindex", "-1")
    home.addEventListener("blur", () => home.removeAttribute("tabindex"), { once: true })
  }
  // The target is mostly in view, at least in part, and a page that moved would confuse a person with a pointer.
  home.focus({ preventScroll: true })
  const { top, bottom } = home.getBoundingClientRect()
  if (bottom <= 0 || top >= innerHeight) home.scrollIntoView({ block: "nearest" })
}

/** Runs for the lifetime of the page. */
export const keepFocus = (root: HTMLElement): void => {
  let last: Element | null = null
  let around: ReadonlyArray<Element> = []
  /** Ancestors of the control that opened the dialog or the list, which are outside the page's tree. */
  let outside: ReadonlyArray<Element> = []
  let isWaiting = false

  const isLost = (): boolean => {
    const { activeElement: active, body } = document
    return last !== null && (active === null || active === body || active === last) && !isUsable(last)
  }
  const look = (): void => {
    isWaiting = false
    // A frame in another page does not take the focus from that page.
    if (!document.hasFocus() || !isLost()) return
    const home = around.find((one) => one.matches(PLACES) && isShown(one)) ?? document.querySelector(TITLE)
    // A loading page gets its title later.
    if (home instanceof HTMLElement && isShown(home)) take(home)
  }

  const gained = ({ target }: FocusEvent): void => {
    if (!(target instanceof Element)) return
    last = target
    const ancestors = ancestorsOf(target)
    if (root.contains(target)) outside = ancestors
    around = root.contains(target) ? ancestors : [...ancestors, ...outside]
  }
  const left = ({ target }: FocusEvent): void =>
    queueMicrotask(() => {
      // The person left the control, which still exists: nothing is lost.
      if (target === last && last !== null && document.activeElement !== last && isUsable(last)) last = null
    })
  // While something is dragged by keyboard, the component library keeps these events from everything below the window.
  addEventListener("focusin", gained, { capture: true })
  addEventListener("focusout", left, { capture: true })
  // Handles a focus lost while the window was not in use.
  addEventListener("focus", look)
  new MutationObserver(() => {
    if (isWaiting || !isLost()) return
    isWaiting = true
    // Dialogs return the focus within a frame, and the browser takes it from a disabled control after one.
    requestAnimationFrame(() => requestAnimationFrame(look))
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] })
}
