/** Keeps a list that grows at its end scrolled to the end, unless the person has scrolled up to read. */
import { type RefObject, useEffect } from "react"

/** Distance from the end that still counts as the end. */
const NEAR_PX = 48

/** Events by which a person scrolls. Other scroll events come from this hook, and from rows whose real height becomes known. */
const BY_HAND = ["wheel", "touchstart", "pointerdown", "keydown"]

export const useFollowEnd = (list: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const { current: element } = list
    const content = element?.firstElementChild
    if (element === null || content === null || content === undefined) return
    let isAtEnd = true
    let isByHand = false
    const begin = (): void => {
      isByHand = true
    }
    const look = (): void => {
      if (isByHand) isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
    }
    const observer = new ResizeObserver(() => {
      if (!isAtEnd) return
      isByHand = false
      element.scrollTop = element.scrollHeight
    })
    for (const sign of BY_HAND) element.addEventListener(sign, begin, { passive: true })
    element.addEventListener("scroll", look, { passive: true })
    observer.observe(content)
    return () => {
      for (const sign of BY_HAND) element.removeEventListener(sign, begin)
      element.removeEventListener("scroll", look)
      observer.disconnect()
    }
  }, [list])
}
