/** The command palette: pages, events and steps by their name. Ctrl K opens it, and on Apple's keyboards Command K. */
import type { AccountView } from "@gathercue/client"
import { Search } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useLocation } from "wouter"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import type { PaletteProps } from "./palette-list.tsx"

/** After an update the server has no file of this name any more, and the studio must go on. */
const NotLoaded = ({ onClose }: PaletteProps) => {
  const { host, unreachable } = useConsoleTexts()
  return (
    <Dialog title={host.goTo} isOpen onClose={onClose}>
      <p>{unreachable}</p>
    </Dialog>
  )
}

const PaletteList = lazy(async () => {
  const loaded = await import("./palette-list.tsx").catch(() => undefined)
  return { default: loaded?.PaletteList ?? NotLoaded }
})

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform)

const KEYS = IS_APPLE ? "⌘ K" : "Ctrl K"

/** Control K deletes to the end of a line on Apple's systems. */
const isShortcut = ({ code, repeat, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  code === "KeyK" && !repeat && !altKey && !shiftKey && (IS_APPLE ? metaKey && !ctrlKey : ctrlKey && !metaKey)

export const CommandPalette = ({ view }: { readonly view: AccountView }) => {
  const { host } = useConsoleTexts()
  const [path] = useLocation()
  const [isOpen, open] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return
      // Browsers open their own search with these keys.
      event.preventDefault()
      open((before) => !before)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  // The acts of a page end with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path says that there is another page.
  useEffect(() => open(false), [path])
  return (
    <>
      <Button
        look="quiet"
        aria-label={`${host.goTo} ${KEYS}`}
        aria-keyshortcuts={IS_APPLE ? "Meta+K" : "Control+K"}
        onPress={() => open(true)}
      >
        <Search /> <span className="palette-label">{host.goTo}</span> <kbd>{KEYS}</kbd>
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <PaletteList view={view} onClose={() => open(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
