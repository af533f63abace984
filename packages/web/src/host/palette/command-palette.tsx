/** The command palette: what can be done or opened here, by its name. Ctrl K (on Apple's keyboards Command K) opens it. */
import type { AccountView } from "@gathercue/client"
import { Search } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"

const PaletteList = lazy(async () => ({ default: (await import("./palette-list.tsx")).PaletteList }))

export const CommandPalette = ({ view }: { readonly view: AccountView }) => {
  const { host } = useTexts()
  const [isOpen, open] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "k") return
      // Browsers open their own search with these keys.
      event.preventDefault()
      open((before) => !before)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  return (
    <>
      <Button look="quiet" aria-keyshortcuts="Control+K Meta+K" onPress={() => open(true)}>
        <Search /> <span className="palette-label">{host.goTo}</span> <kbd>Ctrl K</kbd>
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <PaletteList view={view} onClose={() => open(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
