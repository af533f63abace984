/** A button with an icon alone. Its label is its name, and shows beside it under a pointer or the focus. */
import type { ReactNode } from "react"
import { Tooltip, TooltipTrigger } from "react-aria-components"
import { Button, type ButtonProps } from "./button.tsx"

interface IconButtonProps extends Omit<ButtonProps, "aria-label" | "children"> {
  readonly label: string
  readonly children: ReactNode
}

const SHOWN_AFTER_MS = 500

export const IconButton = ({ label, look = "quiet", ...rest }: IconButtonProps) => (
  <TooltipTrigger delay={SHOWN_AFTER_MS}>
    <Button {...rest} look={look} aria-label={label} />
    <Tooltip className="tip" offset={4}>
      {label}
    </Tooltip>
  </TooltipTrigger>
)
