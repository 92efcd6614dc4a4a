// The open environment, with the list of all of them, which is loaded when it is wanted.
import { lazy, Suspense, useState } from 'react'
import { EnvironmentButton } from './environment-button.tsx'

const load = () => import('./environment-menu.tsx')
const EnvironmentMenu = lazy(load)

export function EnvironmentSwitcher() {
  const [isWanted, setWanted] = useState(false)
  const prepare = () => void load()
  const button = <EnvironmentButton onPointerEnter={prepare} onFocus={prepare} onClick={() => setWanted(true)} />
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <EnvironmentMenu />
    </Suspense>
  )
}
