/** Heading of a page. After a navigation it takes the focus, so that a screen reader begins there. */
import { useEffect, useRef } from "react"

let isFirstPage = true

export const PageTitle = ({ children }: { readonly children: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = children
  }, [children])
  useEffect(() => {
    if (isFirstPage) isFirstPage = false
    else heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
