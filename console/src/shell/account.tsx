// Who is signed in, with a menu that is loaded when it is wanted.
import { Suspense, useState } from 'react'
import { lazyPart } from '../components/lazy-part.ts'
import { AccountButton } from './account-button.tsx'

const menu = lazyPart(() => import('./account-menu.tsx'), AccountButton)

export function Account() {
  const [isWanted, setWanted] = useState(false)
  const button = <AccountButton onPointerEnter={menu.prepare} onFocus={menu.prepare} onClick={() => setWanted(true)} />
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <menu.Part />
    </Suspense>
  )
}
