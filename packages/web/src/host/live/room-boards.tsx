/** Rooms with their people, who can be dragged between rooms, also by keyboard, or selected and moved with a button. */

import { GripVertical } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { Button as DragButton, GridList, GridListItem, isTextDropItem, useDragAndDrop } from "react-aria-components"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { LongList } from "../../ui/long-list.tsx"

export interface Board {
  readonly id: string
  readonly name: string
  readonly people: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

interface Props {
  readonly boards: ReadonlyArray<Board>
  readonly onMove: (personId: string, boardId: string) => void
}

/** Distinguishes people from other things dragged onto a page. */
const TYPE = "gathercue/person"

/** Rows shown at first, and added with each press of the button: a room may hold everybody. */
const ROWS = 50

const OneBoard = ({
  board,
  chosen,
  onChoose,
  onMove,
}: {
  readonly board: Board
  readonly chosen: string | undefined
  readonly onChoose: (personId: string) => void
} & Pick<Props, "onMove">) => {
  const { host, showMore } = useConsoleTexts()
  const [count, raise] = useState(ROWS)
  const list = useRef<HTMLDivElement>(null)
  const left = board.people.length - count
  const more = () => {
    raise(count + ROWS)
    // The button disappears with the last rows, and would take the focus with it.
    if (left <= ROWS) list.current?.focus()
  }
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ [TYPE]: String(key) })),
    acceptedDragTypes: [TYPE],
    getDropOperation: () => "move",
    onRootDrop: ({ items }) => {
      for (const item of items) if (isTextDropItem(item)) void item.getText(TYPE).then((id) => onMove(id, board.id))
    },
  })
  return (
    <div className="room-box">
      <h3>
        {board.name} ({board.people.length})
      </h3>
      <GridList
        ref={list}
        aria-label={board.name}
        items={board.people.slice(0, count)}
        selectionMode="single"
        selectedKeys={board.people.some(({ id }) => id === chosen) && chosen !== undefined ? [chosen] : []}
        onSelectionChange={(keys) => {
          const [key] = keys === "all" ? [] : [...keys]
          if (key !== undefined) onChoose(String(key))
        }}
        dragAndDropHooks={dragAndDropHooks}
        renderEmptyState={() => <p className="quiet">{host.emptyRoom}</p>}
      >
        {({ id, name }) => (
          <GridListItem id={id} textValue={name} className="person option">
            <DragButton slot="drag" className="button button-quiet" aria-label={host.drag(name)}>
              <GripVertical />
            </DragButton>
            <span className="person-name">{name}</span>
          </GridListItem>
        )}
      </GridList>
      {left > 0 ? (
        <Button aria-label={`${showMore(left)}: ${board.name}`} onPress={more}>
          {showMore(left)}
        </Button>
      ) : null}
    </div>
  )
}

export const RoomBoards = ({ boards, onMove }: Props) => {
  const { host, live } = useConsoleTexts()
  const [chosen, choose] = useState<string | undefined>(undefined)
  const [aim, take] = useState<string | undefined>(undefined)
  const person = boards.flatMap(({ people }) => people).find(({ id }) => id === chosen)
  const target = boards.find(({ id }) => id === aim) ?? boards[0]
  const rooms = useRef<HTMLDivElement>(null)
  const pressed = useRef<HTMLElement | null>(null)
  useEffect(() => {
    // A room that gains a person grows, and would push the pressed button out of the window.
    const observer = new ResizeObserver(() => {
      if (pressed.current === document.activeElement) pressed.current?.scrollIntoView({ block: "nearest" })
      pressed.current = null
    })
    if (rooms.current !== null) observer.observe(rooms.current)
    return () => observer.disconnect()
  }, [])
  const press = (personId: string, boardId: string, button: Element): void => {
    if (button instanceof HTMLElement) pressed.current = button
    onMove(personId, boardId)
  }
  return (
    <>
      <div ref={rooms}>
        <LongList label={live.rooms} items={boards} idOf={({ id }) => id} className="split">
          {(board) => <OneBoard board={board} chosen={chosen} onChoose={choose} onMove={onMove} />}
        </LongList>
      </div>
      {person === undefined || target === undefined ? (
        <p className="quiet">{host.moveHint}</p>
      ) : (
        <div className="row text-form">
          <Choice
            label={host.moveTo(person.name)}
            options={boards.map(({ id, name }) => [id, name] as const)}
            value={target.id}
            onChange={take}
          />
          <Button onPress={(event) => press(person.id, target.id, event.target)}>{host.move}</Button>
        </div>
      )}
    </>
  )
}
