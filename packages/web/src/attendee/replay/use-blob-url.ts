/** File at an address as an address of this page: a caption track must have the page's origin. */
import { useEffect, useState } from "react"

export const useBlobUrl = (address: string | null): string | null => {
  const [url, show] = useState<string | null>(null)
  useEffect(() => {
    if (address === null) return
    const ended = new AbortController()
    let made: string | undefined
    fetch(address, { signal: ended.signal })
      .then(async (answer) => {
        if (!answer.ok) return
        const text = await answer.text()
        if (ended.signal.aborted) return
        made = URL.createObjectURL(new Blob([text], { type: "text/vtt" }))
        show(made)
      })
      // Without captions the picture is still shown.
      .catch(() => {})
    return () => {
      ended.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
      show(null)
    }
  }, [address])
  return url
}
