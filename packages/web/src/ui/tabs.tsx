/** Tabbed views. */
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
}

export const Tabs = <Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) => (
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
      <TabPanel key={id} id={id} className="tab-content">
        {content}
      </TabPanel>
    ))}
  </AriaTabs>
)
