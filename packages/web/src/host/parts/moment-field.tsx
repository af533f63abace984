/** Optional day and time in the browser's time zone. */
import { TextField } from "../../ui/fields.tsx"

const two = (value: number): string => String(value).padStart(2, "0")

/** Formats as the browser's field requires: without a zone. */
const localOf = (timestamp: string | null): string => {
  if (timestamp === null) return ""
  const at = new Date(timestamp)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

export const MomentField = ({
  name,
  label,
  value,
  onChange,
}: {
  readonly name: string
  readonly label: string
  readonly value: string | null
  readonly onChange: (timestamp: string | null) => void
}) => (
  <TextField
    name={name}
    label={label}
    type="datetime-local"
    value={localOf(value)}
    onChange={(local) => {
      const at = new Date(local)
      onChange(Number.isNaN(at.getTime()) ? null : at.toISOString())
    }}
  />
)
