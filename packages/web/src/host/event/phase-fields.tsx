/** Form fields of a phase. An empty field shows the default beside it. */
import type { LobbyPolicy } from "@gathercue/client"
import { useConsoleTexts } from "../../texts/language.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { NumberField } from "../parts/number-field.tsx"
import { FEATURES, type PhaseDraft, withValue } from "./phase-draft.ts"

const SECONDS_PER_MINUTE = 60
const DAY_SECONDS = 86_400

interface Props {
  /** Path of the phase in the request, with its dot; empty where the phase is the whole body. */
  readonly within?: string
  readonly draft: PhaseDraft
  readonly onChange: (draft: PhaseDraft) => void
}

const Features = ({ draft, onChange }: Props) => {
  const { host } = useConsoleTexts()
  return (
    <fieldset>
      <legend>{host.features}</legend>
      {FEATURES.map((feature) => (
        <CheckField
          key={feature}
          isSelected={draft.featureSet.includes(feature)}
          onChange={(on) => {
            const others = draft.featureSet.filter((one) => one !== feature)
            onChange({ ...draft, featureSet: on ? [...others, feature] : others })
          }}
        >
          {host.feature[feature]}
        </CheckField>
      ))}
    </fieldset>
  )
}

const Timer = ({ within = "", draft, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const { config } = draft
  const set = (name: string, value: string | number | boolean | undefined) =>
    onChange({ ...draft, config: withValue(config, name, value) })
  return (
    <>
      <NumberField
        name={`${within}config.durationSeconds`}
        label={host.minutes}
        hint={host.minutesDefault}
        minimum={0.1}
        maximum={DAY_SECONDS / SECONDS_PER_MINUTE}
        fractionDigits={1}
        value={config.durationSeconds === undefined ? undefined : config.durationSeconds / SECONDS_PER_MINUTE}
        onChange={(minutes) =>
          set("durationSeconds", minutes === undefined ? undefined : Math.round(minutes * SECONDS_PER_MINUTE))
        }
      />
      {config.durationSeconds === undefined ? null : (
        <>
          <Choice
            label={host.onTimerEnd}
            options={[
              ["hold", host.isDefault(host.hold)],
              ["advance", host.advance],
            ]}
            value={config.onTimerEnd ?? "hold"}
            onChange={(value) => set("onTimerEnd", value === "hold" ? undefined : value)}
          />
          <CheckField
            isSelected={config.extendable !== false}
            onChange={(on) => set("extendable", on ? undefined : false)}
          >
            {host.isDefault(host.extendable)}
          </CheckField>
        </>
      )}
    </>
  )
}

const Rooms = ({ within = "", draft, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const { config, modality } = draft
  const set = (name: string, value: number | undefined) =>
    onChange({ ...draft, config: withValue(config, name, value) })
  if (modality === "breakout") {
    return (
      <NumberField
        name={`${within}config.roomSize`}
        label={host.roomSize}
        hint={host.roomSizeDefault}
        minimum={1}
        maximum={1000}
        value={config.roomSize}
        onChange={(size) => set("roomSize", size)}
      />
    )
  }
  if (modality !== "rotation") return null
  return (
    <>
      <NumberField
        name={`${within}config.rounds`}
        label={host.rounds}
        hint={host.roundsDefault}
        minimum={1}
        maximum={1000}
        value={config.rounds}
        onChange={(rounds) => set("rounds", rounds)}
      />
      <NumberField
        name={`${within}config.roundSeconds`}
        label={host.roundSeconds}
        hint={host.roundSecondsDefault}
        minimum={5}
        maximum={DAY_SECONDS}
        value={config.roundSeconds}
        onChange={(seconds) => set("roundSeconds", seconds)}
      />
    </>
  )
}

export const PhaseFields = ({ within = "", draft, onChange }: Props) => {
  const { host } = useConsoleTexts()
  const { config, modality, featureSet } = draft
  const set = (name: string, value: string | boolean | undefined) =>
    onChange({ ...draft, config: withValue(config, name, value) })
  return (
    <div className="stack">
      <Features draft={draft} onChange={onChange} />
      <Timer within={within} draft={draft} onChange={onChange} />
      <Rooms within={within} draft={draft} onChange={onChange} />
      {modality === "broadcast" ? null : (
        <Choice<LobbyPolicy>
          label={host.lobby}
          options={[
            ["open", host.isDefault(host.lobbyPolicy.open)],
            ["ask", host.lobbyPolicy.ask],
            ["closed", host.lobbyPolicy.closed],
          ]}
          value={config.lobby ?? "open"}
          onChange={(policy) => set("lobby", policy === "open" ? undefined : policy)}
        />
      )}
      {featureSet.includes("qa") ? (
        <CheckField isSelected={config.moderated === true} onChange={(on) => set("moderated", on ? true : undefined)}>
          {host.moderated}
        </CheckField>
      ) : null}
    </div>
  )
}
