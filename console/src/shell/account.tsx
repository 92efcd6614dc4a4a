// Who is signed in, with a menu that is loaded when it is wanted.
import { lazy, Suspense, useState } from 'react'
import { AccountButton } from './account-button.tsx'

const load = () => import('./account-menu.tsx')
const AccountMenu = lazy(load)

export function Account() {
  const [isWanted, setWanted] = useState(false)
  const prepare = () => void load()
  const button = <AccountButton onPointerEnter={prepare} onFocus={prepare} onClick={() => setWanted(true)} />
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  )
}
