/** The parts of a page, each at an address of its own. */
import { Link } from "wouter"

interface Parts {
  readonly parts: ReadonlyArray<readonly [part: string, title: string]>
  /** The part that is shown. */
  readonly now: string
}

/** The shown part as a region with its title for a name. */
export const PartSection = ({ parts, now, children }: Parts & { readonly children: React.ReactNode }) => (
  <section className="stack" aria-label={parts.find(([part]) => part === now)?.[1]}>
    {children}
  </section>
)

export const PartLinks = ({
  label,
  base,
  parts,
  now,
}: Parts & {
  readonly label: string
  readonly base: string
}) => (
  <nav className="tabs-nav" aria-label={label}>
    {parts.map(([part, title]) => (
      <Link key={part} to={`${base}/${part}`} {...(part === now ? { "aria-current": "page" as const } : {})}>
        {title}
      </Link>
    ))}
  </nav>
)
