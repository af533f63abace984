/** Just enough of HTTP/1.1 for load generators. */

const HEAD_END = "\r\n\r\n"

/** Length of the first complete response in `text`, or 0. Latin-1 text: one character is one byte. */
export const responseLength = (text: string): number => {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd < 0) return 0
  const length = /content-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1]
  const total = headEnd + HEAD_END.length + Number(length ?? 0)
  return text.length >= total ? total : 0
}

/** Of a complete response. */
export const statusOf = (text: string): number => Number(text.slice(9, 12))
