// The command palette: goes to a page, or to what is found by name, with the keyboard alone.
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Modal.layer.css'
import { Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useState } from 'react'
import { useFocusBack } from '../components/dialog-focus.ts'
import { Icon } from '../components/icon.tsx'
import classes from './command-palette.module.css'
import { type PaletteItem, usePaletteGroups } from './palette-items.ts'

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
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const groups = usePaletteGroups(typed, search)
  const items = groups.flatMap((group) => group.items)
  // the first one unless another was chosen: Enter goes there
  const at = Math.max(
    items.findIndex(({ id }) => id === chosen),
    0,
  )
  const open = (item: PaletteItem | undefined) => {
    if (item === undefined) return
    onClose()
    item.open()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) return open(items[at])
    const next = items[(at + step + items.length) % items.length]
    choose(next?.id)
    if (next !== undefined) document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
  }
  const current = items[at]
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
      <div role="status">{items.length === 0 && <p className={classes.nothing}>No results</p>}</div>
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
