/** The parts of a page, each at an address of its own. */
import { Link } from "wouter"

export const PartLinks = ({
  label,
  base,
  parts,
  now,
}: {
  readonly label: string
  readonly base: string
  readonly parts: ReadonlyArray<readonly [part: string, title: string]>
  readonly now: string
}) => (
  <nav className="tabs-nav" aria-label={label}>
    {parts.map(([part, title]) => (
      <Link key={part} to={`${base}/${part}`} {...(part === now ? { "aria-current": "page" as const } : {})}>
        {title}
      </Link>
    ))}
  </nav>
)
