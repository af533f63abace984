/** A button, and a link that looks like one. */
import { Button as AriaButton, type ButtonProps as AriaButtonProps, Link } from "react-aria-components"

/** `quiet` is for a button among others, or on a picture. */
type Look = "plain" | "main" | "danger" | "quiet"

export interface ButtonProps extends Omit<AriaButtonProps, "className"> {
  readonly look?: Look
  /** State of a toggle button. */
  readonly isPressed?: boolean
}

const classOf = (look: Look): string => (look === "plain" ? "button" : `button button-${look}`)

export const Button = ({ look = "plain", isPressed, ...rest }: ButtonProps) => (
  <AriaButton {...rest} className={classOf(look)} {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })} />
)

export const LinkButton = ({
  href,
  look = "plain",
  children,
  download,
}: {
  readonly href: string
  readonly look?: Look
  readonly children: React.ReactNode
  readonly download?: boolean
}) => (
  <Link href={href} className={classOf(look)} {...(download === true ? { download: true } : {})}>
    {children}
  </Link>
)
