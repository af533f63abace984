/** Tabbed views. */
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components"

interface TabsProps {
  readonly label: string
  readonly tabs: ReadonlyArray<{
    readonly id: string
    readonly title: React.ReactNode
    readonly content: React.ReactNode
  }>
  readonly selected?: string
  readonly onSelect?: (id: string) => void
}

export const Tabs = ({ label, tabs, selected, onSelect }: TabsProps) => (
  <AriaTabs
    {...(selected === undefined ? {} : { selectedKey: selected })}
    {...(onSelect === undefined ? {} : { onSelectionChange: (key) => onSelect(String(key)) })}
  >
    <TabList aria-label={label} className="tabs-list">
      {tabs.map(({ id, title }) => (
        <Tab key={id} id={id} className="tab">
          {title}
        </Tab>
      ))}
    </TabList>
    {tabs.map(({ id, content }) => (
      <TabPanel key={id} id={id}>
        {content}
      </TabPanel>
    ))}
  </AriaTabs>
)
