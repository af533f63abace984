/** The active configuration and the newest log lines of the answering process. Each is read on demand. */
import { useState } from "react"
import { type LogLevel, readLog, readSettings } from "../api/platform.ts"
import { useLoaded, useReloadEvery } from "../api/use-loaded.ts"
import { useConsoleTexts, useFormats } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Choice } from "../ui/choice.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { Table } from "./table.tsx"

interface Props {
  readonly platformKey: string
}

const EVERY_MS = 5000

const Settings = ({ platformKey }: Props) => {
  const texts = useConsoleTexts()
  const { ops } = texts
  const { value, error } = useLoaded("settings", (signal) => readSettings(platformKey, signal))
  return (
    <>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      {value === undefined ? (
        <p role="status">{texts.loading}</p>
      ) : (
        <Table
          title={ops.settingsOf(value.node)}
          empty={ops.none}
          heads={[ops.setting, ops.value, ops.origin]}
          rows={value.settings.map(({ name, value: shown, isSet }) => ({
            key: name,
            cells: [name, shown, isSet ? ops.given : ops.byDefault],
          }))}
        />
      )}
    </>
  )
}

const Log = ({ platformKey }: Props) => {
  const texts = useConsoleTexts()
  const { ops } = texts
  const { moment } = useFormats()
  const [level, choose] = useState<LogLevel>("warn")
  const { value, error, reload } = useLoaded(`log ${level}`, (signal) => readLog(platformKey, level, signal))
  useReloadEvery(EVERY_MS, reload)
  return (
    <>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      <Choice
        label={ops.leastLevel}
        value={level}
        onChange={choose}
        options={[
          ["info", ops.levels.info],
          ["warn", ops.levels.warn],
          ["error", ops.levels.error],
        ]}
      />
      {value === undefined ? (
        <p role="status">{texts.loading}</p>
      ) : (
        <Table
          title={ops.logOf(value.node)}
          empty={ops.noLines}
          heads={[ops.at, ops.level, ops.message, ops.fields]}
          rows={value.lines.toReversed().map((line) => ({
            key: `${value.node} ${line.number}`,
            cells: [moment(line.at), line.level, line.message, JSON.stringify(line.fields)],
          }))}
        />
      )}
    </>
  )
}

export const SettingsAndLog = ({ platformKey }: Props) => {
  const { ops } = useConsoleTexts()
  const [isRead, read] = useState({ settings: false, log: false })
  return (
    <>
      <p className="quiet">{ops.ofThisProcess}</p>
      <div className="row">
        <Button isPressed={isRead.settings} onPress={() => read((now) => ({ ...now, settings: !now.settings }))}>
          {ops.settings}
        </Button>
        <Button isPressed={isRead.log} onPress={() => read((now) => ({ ...now, log: !now.log }))}>
          {ops.log}
        </Button>
      </div>
      {isRead.settings && <Settings platformKey={platformKey} />}
      {isRead.log && <Log platformKey={platformKey} />}
    </>
  )
}
