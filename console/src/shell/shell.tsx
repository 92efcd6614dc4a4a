// The frame of every page of an environment: navigation at the left, or behind a button where there is no room for it.
import { UnstyledButton } from '@mantine/core'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useEnvironment, useEnvironmentPath } from '../api/environments.ts'
import { useSessionState } from '../api/use-session.ts'
import { Icon } from '../components/icon.tsx'
import { lazyPart } from '../components/lazy-part.ts'
import { rememberEnvironment } from './last-environment.ts'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette-button.tsx'
import classes from './shell.module.css'
import { UnknownEnvironment } from './unknown-environment.tsx'

const navigation = lazyPart(() => import('./mobile-navigation.tsx'))

export function Shell() {
  return useSessionState().is === 'signed-out' ? <SignedOut /> : <SignedIn />
}

/** Leads to the sign-in page, and from there back here. */
function SignedOut() {
  const navigate = useNavigate()
  const { href } = useLocation()
  const [to] = useState(href) // the address changes on the way
  useEffect(() => void navigate({ to: '/sign-in', search: { to }, replace: true }), [navigate, to])
  return null
}

function SignedIn() {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [wasMenuOpen, setWasMenuOpen] = useState(false)
  const { p, e } = useEnvironmentPath()
  const environment = useEnvironment()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const closeMenu = () => setMenuOpen(false)
  const search = () => {
    setMenuOpen(false)
    setPaletteOpen(true)
  }
  useEffect(() => {
    if (environment.isSuccess) rememberEnvironment({ p, e })
  }, [environment.isSuccess, p, e])

  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <aside className={classes.sidebar}>
        <Navigation onSearch={search} />
      </aside>
      <div className={classes.bar}>
        <UnstyledButton
          className={classes.menu}
          aria-label="Open navigation"
          aria-expanded={isMenuOpen}
          onClick={() => {
            setMenuOpen(true)
            setWasMenuOpen(true)
          }}
        >
          <Icon name="menu" size={18} />
        </UnstyledButton>
        <span className={classes.place}>
          {p} / {environment.data?.name ?? e}
        </span>
      </div>
      <Palette isOpen={isPaletteOpen} onChange={setPaletteOpen} />
      {wasMenuOpen && (
        <Suspense>
          <navigation.Part isOpen={isMenuOpen} onClose={closeMenu} onSearch={search} />
        </Suspense>
      )}
      <main id="content" tabIndex={-1} className={classes.main}>
        {environment.isError && environment.data === undefined ? (
          <UnknownEnvironment error={environment.error} onRetry={() => void environment.refetch()} />
        ) : (
          // a page begins anew in another environment
          <Outlet key={`${p}/${e}`} />
        )}
      </main>
    </div>
  )
}
