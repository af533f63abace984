/** Announces a sentence to everybody or to some rooms, and shows the last announcement. */
import { useCommand, useDispatch, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { TextForm } from "../../live/text-form.tsx"
import { useFormats, useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Choice } from "../../ui/choice.tsx"
import { changeMeanwhile } from "../parts/change-meanwhile.ts"
import { type ClientProps, useCan } from "./live-props.ts"

const ALL = "all"

export const AnnouncementForm = ({ client }: ClientProps) => {
  const texts = useTexts()
  const { host, live } = texts
  const { time } = useFormats()
  const mayAnnounce = useCan(client, "announce")
  const rooms = useEvent(client, (state) => state.rooms.rooms) ?? []
  const [target, aim] = useState(ALL)
  const [last, show] = useState<{ readonly text: string; readonly at: string } | undefined>(undefined)
  const { send, isPending, error } = useCommand(client)
  useDispatch(client, "announcement", ({ text, at }) => show({ text, at }))
  if (!mayAnnounce) return null
  const isThere = rooms.some(({ id }) => id === target)
  const announce = async (text: string) => {
    const sent = await send("announce", { text, targets: isThere ? [target] : ALL })
    if (sent !== undefined) show(sent.d.announcement)
    return sent !== undefined
  }
  return (
    <section aria-label={host.announce} className="stack">
      {rooms.length === 0 ? null : (
        <Choice
          label={host.announceTo}
          options={[[ALL, host.everybody] as const, ...rooms.map(({ id, name }) => [id, name] as const)]}
          value={isThere ? target : ALL}
          onChange={aim}
        />
      )}
      <TextForm
        label={live.announcement}
        button={host.announce}
        isPending={isPending}
        problem={changeMeanwhile(texts, error) ?? whyFailed(texts, error)}
        onText={announce}
      />
      <p role="status" className="quiet">
        {last === undefined ? "" : host.announced(time(last.at), last.text)}
      </p>
    </section>
  )
}
