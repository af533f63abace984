/** What people write. Each message begins with its number, by which it is found among what is received. */

const WORDS = "Has anybody seen the slides of the second talk yet?"
const MARK = /^#(\d+) /

export const textOf = (n: number): string => `#${n} ${WORDS}`

/** The number of a message, or undefined for a text that is not of ours. */
export const numberOf = (text: string): number | undefined => {
  const found = MARK.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}
