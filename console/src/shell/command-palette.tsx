// The command palette: goes to a page, or to what is found by name, with the keyboard alone.
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Modal.layer.css'
import { Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useFocusBack } from '../components/dialog-focus.ts'
import { Icon } from '../components/icon.tsx'
import classes from './command-palette.module.css'
import { type PaletteItem, usePaletteResults } from './palette-items.ts'

/** After the last key stroke, before the server is asked. */
const PAUSE_MS = 120

interface CommandPaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export default function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  useFocusBack(isOpen)
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      lockScroll={false}
      returnFocus={false}
      padding={0}
      size={560}
      yOffset="12vh"
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Go to">
        <Modal.Body>
          <Palette onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, choose] = useState<string>()
  // Enter was pressed, maybe before the server answered about what was typed
  const [isOpening, setOpening] = useState(false)
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const { groups, isFirstKnown } = usePaletteResults(typed, search)
  const items = groups.flatMap((group) => group.items)
  const chosenAt = items.findIndex(({ id }) => id === chosen)
  // Enter opens the item that was chosen, or else the first one; none while it is not known which is the first
  const current = items[chosenAt] ?? (isFirstKnown ? items[0] : undefined)
  const open = (item: PaletteItem) => {
    onClose()
    item.open()
  }
  const move = (step: 1 | -1) => {
    const at = current === undefined ? -1 : items.indexOf(current)
    const next = at === -1 && step === -1 ? items.at(-1) : items[(at + step + items.length) % items.length]
    choose(next?.id)
    if (next !== undefined) document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') setOpening(true)
    else if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else return
    event.preventDefault()
  }
  useEffect(() => {
    if (!isOpening || !(isFirstKnown || current !== undefined)) return
    setOpening(false)
    if (current !== undefined) open(current)
  })
  return (
    <div>
      <TextInput
        size="md"
        variant="unstyled"
        onKeyDown={onKeyDown}
        role="combobox"
        aria-label="Go to a page, a user, a role"
        aria-expanded="true"
        aria-controls={LIST}
        aria-activedescendant={current === undefined ? undefined : optionId(current)}
        placeholder="Go to a page, a user, a role"
        leftSection={<Icon name="search" />}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          choose(undefined)
          setOpening(false)
        }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        className={classes.input}
      />
      <div role="listbox" id={LIST} aria-label="Results" className={classes.options}>
        {groups.map(({ title, items: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset
          <div key={title} role="group" aria-label={title}>
            <div className={classes.title} aria-hidden="true">
              {title}
            </div>
            {own.map((item) => (
              <PaletteOption key={item.id} item={item} isChosen={item === current} onOpen={() => open(item)} />
            ))}
          </div>
        ))}
      </div>
      <div role="status">{items.length === 0 && isFirstKnown && <p className={classes.nothing}>No results</p>}</div>
    </div>
  )
}

interface PaletteOptionProps {
  readonly item: PaletteItem
  readonly isChosen: boolean
  readonly onOpen: () => void
}

/** The focus stays in the field: an option is reached by the arrow keys. */
function PaletteOption({ item, isChosen, onOpen }: PaletteOptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the option
    <div role="option" id={optionId(item)} aria-selected={isChosen} className={classes.option} onClick={onOpen}>
      <Icon name={item.icon} />
      <span className={classes.label}>{item.label}</span>
      <span className={classes.about}>{item.about}</span>
    </div>
  )
}

const LIST = 'palette-options'
const optionId = ({ id }: PaletteItem): string => `palette-${id}`
