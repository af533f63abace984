/** The file of an address as an address of this page: a track of captions has to come from where the page comes from. */
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
      // Without captions there is still the picture.
      .catch(() => {})
    return () => {
      ended.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
      show(null)
    }
  }, [address])
  return url
}
