/** Form generated from the schema of a command. */
import type { CommandData, CommandName, GatewayClient } from "@gathercue/client"
import { useState } from "react"
import { Form } from "react-aria-components"
import { useConsoleTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Choice } from "../ui/choice.tsx"
import { TextField } from "../ui/fields.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import type { CommandSchema, GatewayCommands, JsonSchema } from "./command-schemas.ts"
import { choicesOf, dataOf, type FieldValues, kindOf } from "./field-values.ts"
import { Snippet } from "./snippet.tsx"
import { curlOfToken, typescriptOf } from "./snippets.ts"

interface Props {
  readonly client: GatewayClient
  readonly commands: GatewayCommands
  readonly eventId: string
}

interface Sent {
  readonly reply: string | null
  readonly problem: string | null
}

const NOTHING: Sent = { reply: null, problem: null }
/** The command that most people try first. */
const FIRST = "chat.send"

const Fields = ({
  schema,
  values,
  onChange,
  resolve,
}: {
  readonly schema: JsonSchema
  readonly values: FieldValues
  readonly onChange: (name: string, value: string) => void
  readonly resolve: GatewayCommands["resolve"]
}) =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const kind = kindOf(property, resolve)
    const options = kind === "boolean" ? [true, false] : choicesOf(property, resolve)
    if (options.length > 0) {
      return (
        <Choice
          key={name}
          label={name}
          options={[["", "–"], ...options.map((value): [string, string] => [String(value), String(value)])]}
          value={values[name] ?? ""}
          onChange={(value) => onChange(name, value)}
        />
      )
    }
    return (
      <TextField
        key={name}
        label={name}
        isRequired={isRequired}
        value={values[name] ?? ""}
        onChange={(value) => onChange(name, value)}
        autoComplete="off"
        {...(kind === "json" ? { hint: "JSON" } : {})}
      />
    )
  })

export const CommandForm = ({ client, commands, eventId }: Props) => {
  const texts = useConsoleTexts()
  const { play } = texts
  const [name, choose] = useState(FIRST)
  const [variant, take] = useState(0)
  const [values, change] = useState<FieldValues>({ to: "event", text: "Hello" })
  const [sent, tell] = useState<Sent>(NOTHING)
  const command: CommandSchema | undefined = commands.commands.find((one) => one.name === name)
  const schema = command?.data[variant] ?? command?.data[0] ?? {}
  const read = (): { readonly [name: string]: unknown } => dataOf(schema, values, commands.resolve)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    tell(NOTHING)
    try {
      // The server checks the command data, whose type is unknown at compile time.
      const reply = await client.command(name as CommandName, read() as CommandData<CommandName>)
      tell({ reply: JSON.stringify(reply, null, 2), problem: null })
    } catch (failure) {
      const problem = failure instanceof SyntaxError ? failure.message : whyFailed(texts, failure)
      tell({ reply: null, problem: failure instanceof Error ? `${problem} (${failure.message})` : problem })
    }
  }
  return (
    <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
      <Choice
        label={play.command}
        options={commands.commands.map((one): [string, string] => [one.name, one.name])}
        value={name}
        onChange={(chosen) => {
          choose(chosen)
          take(0)
          change({})
          tell(NOTHING)
        }}
      />
      {(command?.data.length ?? 0) < 2 ? null : (
        <Choice
          label={play.variant}
          options={(command?.data ?? []).map((one, index): [string, string] => [
            String(index),
            Object.keys(one.properties ?? {}).join(", "),
          ])}
          value={String(variant)}
          onChange={(index) => take(Number(index))}
        />
      )}
      <Fields
        schema={schema}
        values={values}
        resolve={commands.resolve}
        onChange={(field, value) => change((now) => ({ ...now, [field]: value }))}
      />
      <Button type="submit" look="main">
        {texts.send}
      </Button>
      <ProblemNotice>{sent.problem}</ProblemNotice>
      {sent.reply === null ? null : (
        <pre className="frame" role="status">
          {sent.reply}
        </pre>
      )}
      <Snippet title="TypeScript" text={() => typescriptOf(eventId, name, read())} />
      <Snippet title="curl" text={() => curlOfToken(eventId)} />
    </Form>
  )
}
