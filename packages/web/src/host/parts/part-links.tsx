/** Parts of a page, each with its own address. */
import { Link } from "wouter"

interface Parts {
  readonly parts: ReadonlyArray<readonly [part: string, title: string]>
  /** Name of the shown part. */
  readonly now: string
}

/** The shown part as a region named by its title. */
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

/** The list of a page's parts, and the one that is shown. */
export const PartsPage = (
  props: Parts & {
    readonly label: string
    readonly base: string
    readonly children: React.ReactNode
  },
) => (
  <div className="parts">
    <PartLinks {...props} />
    <PartSection parts={props.parts} now={props.now}>
      {props.children}
    </PartSection>
  </div>
)
