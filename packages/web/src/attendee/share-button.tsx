/** Shares the address of a page: with the browser's own dialog on a phone, otherwise by the clipboard. */
import { Share2 } from "lucide-react"
import { useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"

export const ShareButton = ({ title, path }: { readonly title: string; readonly path: string }) => {
  const { attendee } = useTexts()
  const [isCopied, copied] = useState(false)
  const share = async (): Promise<void> => {
    const url = `${location.origin}${path}`
    // A dialog that is closed is no failure; without permission for the clipboard the address bar has the link.
    if (matchMedia("(pointer: coarse)").matches && navigator.share !== undefined) {
      await navigator.share({ title, url }).catch(() => {})
      return
    }
    await navigator.clipboard?.writeText(url).then(
      () => copied(true),
      () => {},
    )
  }
  return (
    <>
      <Button onPress={() => void share()}>
        <Share2 /> {attendee.share}
      </Button>
      <span role="status" className="quiet">
        {isCopied ? attendee.linkCopied : null}
      </span>
    </>
  )
}
