/** Links from one entry page of this server to the others. */
import { useTexts } from "../texts/language.tsx"

/** `to` is the other entry page. */
export const SiteLinks = ({ to }: { readonly to: "/" | "/host" }) => {
  const { site } = useTexts()
  return (
    <footer className="page page-narrow">
      <nav className="row" aria-label={site.links}>
        <a href={to}>{to === "/" ? site.join : site.host}</a>
        <a href="/docs">{site.docs}</a>
        <a href="/v1/docs">{site.reference}</a>
      </nav>
    </footer>
  )
}
