/** The dialog of the command palette, loaded when it is opened first. */
import type { AccountView } from "@gathercue/client"
import { useMemo, useState } from "react"
import {
  Autocomplete,
  Dialog,
  Input,
  Label,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  TextField,
  useFilter,
} from "react-aria-components"
import { useLocation } from "wouter"
import { useLoaded } from "../../api/use-loaded.ts"
import { useSettled } from "../../api/use-settled.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { type Act, useRegistry } from "./acts.tsx"

/** Workspaces whose events are searched, and events of each. */
const WORKSPACES = 5
const EVENTS = 8

/** Events by a part of their title, in the first workspaces of the account. A workspace that refuses, because it wants another sign-in, has none. */
const eventsOf = async ({ workspaces }: AccountView, q: string) => {
  if (q === "") return []
  const found = await Promise.all(
    workspaces.slice(0, WORKSPACES).map(({ id }) =>
      restOf(id)
        .listEvents({ query: { q, limit: EVENTS } })
        .catch(() => ({ events: [] })),
    ),
  )
  return found.flatMap(({ events }) => events)
}

export interface PaletteProps {
  readonly view: AccountView
  readonly onClose: () => void
}

export const PaletteList = ({ view, onClose }: PaletteProps) => {
  const { host, loading } = useConsoleTexts()
  const [, navigate] = useLocation()
  const { contains } = useFilter({ sensitivity: "base" })
  const registry = useRegistry()
  const [words, search] = useState("")
  const q = useSettled(words).trim()
  const { value: found = [], isLoading } = useLoaded(q, () => eventsOf(view, q))
  const foundIds = new Set<unknown>(found.map(({ id }) => id))
  // The acts are those of the moment at which the palette was opened.
  const acts = useMemo(() => registry.all(), [registry])
  const go = (id: string, label: string, to: string): Act => ({ id, label, run: () => navigate(to) })
  const all: ReadonlyArray<Act> = [
    ...acts,
    ...found.map(({ id, title, status }) => go(id, title, status === "live" ? `/live/${id}` : `/event/${id}`)),
    ...view.workspaces.flatMap(({ id, name, role }) =>
      host.workspaceParts
        .filter(([part]) => role !== "member" || part === "events")
        .map(([part, title]) => go(`${id} ${part}`, `${name}: ${title}`, `/workspace/${id}/${part}`)),
    ),
    go("account", host.account.title, "/account"),
  ]
  return (
    <ModalOverlay className="dialog-ground" isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className="dialog-box palette">
        <Dialog aria-label={host.palette}>
          {/* The server has compared the titles of events, in a way of its own. */}
          <Autocomplete
            inputValue={words}
            onInputChange={search}
            filter={(label, typed, { key }) => foundIds.has(key) || contains(label, typed)}
          >
            <TextField className="field" autoFocus>
              <Label className="visually-hidden">{host.palette}</Label>
              <Input placeholder={host.palette} />
            </TextField>
            <Menu
              className="palette-list"
              aria-label={host.palette}
              items={all}
              renderEmptyState={() => (
                <p className="quiet">{isLoading || q !== words.trim() ? loading : host.nothingFound}</p>
              )}
            >
              {({ id, label, run }) => (
                <MenuItem
                  id={id}
                  className="option"
                  textValue={label}
                  onAction={() => {
                    onClose()
                    run()
                  }}
                >
                  {label}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
