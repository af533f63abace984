/** A button for irreversible actions, which asks first. */
import { useState } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { FailureNotice, type FailureProps } from "./failure.tsx"

interface ConfirmButtonProps extends FailureProps {
  readonly label: string
  /** Object of the action, for a button among many like it. */
  readonly name?: string
  readonly question: string
  readonly isPending: boolean
  /** Resolves to true when it was done. */
  readonly onConfirm: () => Promise<boolean | undefined>
  readonly onDone?: () => void
  readonly isDisabled?: boolean
  /** Fields of the dialog. */
  readonly children?: React.ReactNode
}

export const ConfirmButton = ({
  label,
  name,
  question,
  isPending,
  error,
  words = {},
  onConfirm,
  onDone,
  isDisabled = false,
  children,
}: ConfirmButtonProps) => {
  const { cancel } = useConsoleTexts()
  const [isOpen, open] = useState(false)
  const confirm = async () => {
    if ((await onConfirm()) !== true) return
    onDone?.()
    open(false)
  }
  return (
    <>
      <Button
        look="danger"
        isDisabled={isDisabled}
        onPress={() => open(true)}
        {...(name === undefined ? {} : { "aria-label": `${label}: ${name}` })}
      >
        {label}
      </Button>
      <Dialog title={label} isOpen={isOpen} onClose={() => open(false)}>
        <p>{question}</p>
        {children}
        <FailureNotice error={error} words={words} />
        <div className="row">
          <Button look="danger" isPending={isPending} onPress={() => void confirm()}>
            {label}
          </Button>
          <Button onPress={() => open(false)}>{cancel}</Button>
        </div>
      </Dialog>
    </>
  )
}
