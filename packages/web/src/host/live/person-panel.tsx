/** One person: role, mute, stage, room, lobby, removal. */
import type { EventRole, ParticipantView } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { keepName } from "./known-names.ts"
import { type ClientProps, useCan } from "./live-props.ts"

interface Props extends ClientProps {
  readonly person: ParticipantView
  /** Called after a command about the person succeeded. */
  readonly onChange: () => void
}

const ROLES: ReadonlyArray<EventRole> = ["host", "speaker", "participant", "viewer"]
const MAIN = "main"

const Room = ({ client, person, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const rooms = useEvent(client, (state) => state.rooms.rooms) ?? []
  const rev = useEvent(client, (state) => state.rooms.breakout?.rev)
  const { send, error } = useCommand(client)
  if (rooms.length === 0 || rev === undefined) return null
  return (
    <>
      <Choice
        label={host.room}
        options={[[MAIN, host.mainRoom] as const, ...rooms.map(({ id, name }) => [id, name] as const)]}
        value={person.roomId ?? MAIN}
        onChange={(room) =>
          void send("breakout.move", { id: person.participantId, roomId: room === MAIN ? null : room }, { rev }).then(
            onChange,
          )
        }
      />
      <FailureNotice error={error} />
    </>
  )
}

const Removal = ({ client, person, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const { send, isPending, error } = useCommand(client)
  const [block, choose] = useState(false)
  return (
    <div className="stack">
      <CheckField isSelected={block} onChange={choose}>
        {host.blockToo}
      </CheckField>
      <div className="row">
        <ConfirmButton
          label={host.remove}
          name={person.name}
          question={host.removeQuestion(person.name)}
          isPending={isPending}
          error={error}
          onConfirm={async () => {
            keepName(person)
            const isDone = (await send("participant.remove", { id: person.participantId, block })) !== undefined
            if (isDone) onChange()
            return isDone
          }}
        />
      </div>
    </div>
  )
}

export const PersonPanel = ({ client, person, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const { participantId: id, name, muted, role, hand } = person
  const mayInvite = useCan(client, "stage.invite")
  const mayLobby = useCan(client, "participant.toLobby")
  const { send, isPending, error } = useCommand(client)
  const options = (ROLES.includes(role) ? ROLES : [role, ...ROLES]).map((one) => [one, host.roles[one]] as const)
  return (
    <section className="panel stack" aria-label={name}>
      <h2>{name}</h2>
      <Choice
        label={host.role}
        options={options}
        value={role}
        onChange={(given) => void send("role.set", { id, role: given }).then(onChange)}
      />
      <div className="row">
        <Button isPending={isPending} onPress={() => void send("participant.mute", { id, on: !muted }).then(onChange)}>
          {muted ? host.unmute : host.mute}
        </Button>
        {mayInvite && role !== "speaker" ? (
          <Button isPending={isPending} onPress={() => void send("stage.invite", { id }).then(onChange)}>
            {host.inviteOnStage}
          </Button>
        ) : null}
        {hand ? (
          <Button isPending={isPending} onPress={() => void send("hand.lowerFor", { id }).then(onChange)}>
            {host.lowerHand}
          </Button>
        ) : null}
        {mayLobby ? (
          <Button isPending={isPending} onPress={() => void send("participant.toLobby", { id }).then(onChange)}>
            {host.toLobby}
          </Button>
        ) : null}
      </div>
      <FailureNotice error={error} />
      <Room client={client} person={person} onChange={onChange} />
      <Removal client={client} person={person} onChange={onChange} />
    </section>
  )
}
