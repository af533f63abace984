/** Shares the address of a page: with the browser's own dialog on a phone, otherwise by the clipboard. */
import { Share2 } from "lucide-react"
import { useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"

export const ShareButton = ({ title, path }: { readonly title: string; readonly path: string }) => {
  const { attendee } = useTexts()
  const [told, tell] = useState<string | null>(null)
  const share = async (): Promise<void> => {
    const url = `${location.origin}${path}`
    if (matchMedia("(pointer: coarse)").matches && navigator.share !== undefined) {
      // A dialog that is closed is no failure.
      await navigator.share({ title, url }).catch(() => {})
      return
    }
    const isCopied = await navigator.clipboard?.writeText(url).then(
      () => true,
      () => false,
    )
    // Where the clipboard is refused, as in a frame, the address is shown.
    tell(isCopied ? attendee.linkCopied : url)
  }
  return (
    <>
      <Button onPress={() => void share()}>
        <Share2 /> {attendee.share}
      </Button>
      <span role="status" className="quiet">
        {told}
      </span>
    </>
  )
}
