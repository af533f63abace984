/** Whether two values are the same, or arrays or plain objects with the same items. */

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

export const isAlike = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (!isPlain(a) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  const items = new Map(Object.entries(b))
  const entries = Object.entries(a)
  return (
    entries.length === items.size && entries.every(([key, item]) => items.has(key) && Object.is(item, items.get(key)))
  )
}
