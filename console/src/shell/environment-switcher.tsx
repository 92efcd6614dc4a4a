// The open environment, with the list of all of them, which is loaded when it is wanted.
import { Suspense, useState } from 'react'
import { lazyPart } from '../components/lazy-part.ts'
import { EnvironmentButton } from './environment-button.tsx'

const menu = lazyPart(() => import('./environment-menu.tsx'), EnvironmentButton)

export function EnvironmentSwitcher() {
  const [isWanted, setWanted] = useState(false)
  const button = (
    <EnvironmentButton onPointerEnter={menu.prepare} onFocus={menu.prepare} onClick={() => setWanted(true)} />
  )
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <menu.Part />
    </Suspense>
  )
}
