/** Tabbed views. */
import { useState } from "react"
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components"

interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: ReadonlyArray<{
    readonly id: Id
    readonly title: React.ReactNode
    readonly content: React.ReactNode
  }>
  readonly selected?: Id
  readonly onSelect?: (id: Id) => void
  /** Whether a tab keeps what was typed, chosen and scrolled in it while another is shown. Needs `selected`. */
  readonly keeps?: boolean
}

export const Tabs = <Id extends string>({ label, tabs, selected, onSelect, keeps = false }: TabsProps<Id>) => {
  const [shown, note] = useState<ReadonlyArray<Id>>([])
  if (selected !== undefined && !shown.includes(selected)) note([...shown, selected])
  return (
    <AriaTabs
      className="tabs"
      {...(selected === undefined ? {} : { selectedKey: selected })}
      onSelectionChange={(key) => {
        const found = tabs.find(({ id }) => id === key)
        if (found !== undefined) onSelect?.(found.id)
      }}
    >
      <TabList aria-label={label} className="tabs-list">
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-content" shouldForceMount={keeps && shown.includes(id)}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
