// Opens the command palette, as Ctrl+K does on every page. The palette itself is loaded when it is wanted.
import { UnstyledButton } from '@mantine/core'
import { Suspense, useEffect, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { lazyPart } from '../components/lazy-part.ts'
import classes from './navigation.module.css'

const palette = lazyPart(() => import('./command-palette.tsx'))
const isMac = navigator.platform.startsWith('Mac')

export function PaletteButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <UnstyledButton className={classes.search} onClick={onClick} onPointerEnter={palette.prepare}>
      <Icon name="search" size={14} />
      <span>Go to</span>
      <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
    </UnstyledButton>
  )
}

interface PaletteProps {
  readonly isOpen: boolean
  readonly onChange: (isOpen: boolean) => void
}

/** The palette, and the keys that open it. */
export function Palette({ isOpen, onChange }: PaletteProps) {
  const [wasOpen, setWasOpen] = useState(false)
  if (isOpen && !wasOpen) setWasOpen(true)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      onChange(true)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [onChange])
  if (!wasOpen) return null
  return (
    <Suspense>
      <palette.Part isOpen={isOpen} onClose={() => onChange(false)} />
    </Suspense>
  )
}
