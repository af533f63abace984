/** A link to another page of the console. */
import { Link } from "wouter"

export const PageLink = ({
  to,
  look = "text",
  children,
}: {
  readonly to: string
  readonly look?: "text" | "plain" | "main"
  readonly children: React.ReactNode
}) => (
  <Link to={to} {...(look === "text" ? {} : { className: look === "main" ? "button button-main" : "button" })}>
    {children}
  </Link>
)
