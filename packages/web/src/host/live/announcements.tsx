/** Announces a sentence to everybody or to some rooms, at once or later, and shows the last announcement. */
import { useCommand, useDispatch, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { TextForm } from "../../live/text-form.tsx"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { changeMeanwhile } from "../parts/change-meanwhile.ts"
import { type ClientProps, useCan } from "./live-props.ts"

const ALL = "all"

const Prepared = ({ client }: ClientProps) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const prepared = useEvent(client, (state) => state.preparedAnnouncements) ?? []
  const rooms = useEvent(client, (state) => state.rooms.rooms) ?? []
  const { send, isPending, error } = useCommand(client)
  if (prepared.length === 0) return null
  const nameOf = (roomId: string): string => rooms.find(({ id }) => id === roomId)?.name ?? host.roomIsGone
  return (
    <>
      <h3>{host.preparedAnnouncements}</h3>
      <ul className="rows" aria-label={host.preparedAnnouncements}>
        {prepared.map(({ id, text, roomIds }) => (
          <li key={id} className="row row-apart">
            <span>
              <bdi>{text}</bdi>{" "}
              <span className="quiet">
                {host.announceTo} {roomIds === null ? host.everybody : roomIds.map(nameOf).join(", ")}
              </span>
            </span>
            <span className="row">
              <Button
                aria-label={`${host.announce}: ${text}`}
                isPending={isPending}
                onPress={() => void send("announcement.send", { id })}
              >
                {host.announce}
              </Button>
              <Button
                aria-label={`${host.delete}: ${text}`}
                isPending={isPending}
                onPress={() => void send("announcement.discard", { id })}
              >
                {host.delete}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <ProblemNotice>{changeMeanwhile(texts, error) ?? whyFailed(texts, error)}</ProblemNotice>
    </>
  )
}

export const AnnouncementForm = ({ client }: ClientProps) => {
  const texts = useConsoleTexts()
  const { host, live } = texts
  const { time } = useFormats()
  const mayAnnounce = useCan(client, "announce")
  const rooms = useEvent(client, (state) => state.rooms.rooms) ?? []
  const [target, aim] = useState(ALL)
  const [isLater, keep] = useState(false)
  const [last, show] = useState<{ readonly text: string; readonly at: string } | undefined>(undefined)
  const { send, isPending, error } = useCommand(client)
  useDispatch(client, "announcement", ({ text, at }) => show({ text, at }))
  if (!mayAnnounce) return null
  const isThere = rooms.some(({ id }) => id === target)
  const announce = async (text: string) => {
    const targets = isThere ? [target] : ALL
    if (isLater) return (await send("announcement.prepare", { text, targets })) !== undefined
    const sent = await send("announce", { text, targets })
    if (sent !== undefined) show(sent.d.announcement)
    return sent !== undefined
  }
  return (
    <section aria-label={host.announce} className="panel stack">
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
        button={isLater ? host.prepareAnnouncement : host.announce}
        isPending={isPending}
        problem={changeMeanwhile(texts, error) ?? whyFailed(texts, error)}
        onText={announce}
      >
        <CheckField isSelected={isLater} onChange={keep}>
          {host.announceLater}
        </CheckField>
      </TextForm>
      <p role="status" className="quiet">
        {last === undefined ? "" : host.announced(time(last.at), last.text)}
      </p>
      <Prepared client={client} />
    </section>
  )
}
