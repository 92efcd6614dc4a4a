// The routes that pages hang on: the root, and the environment of an address, which needs a session. A page adds its
// own below `environmentRoute`, and says in `staticData` how the navigation shows it.
import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { linkFailure } from './api/one-time-link.ts'
import { loadSession } from './api/session.ts'
import { NotFoundPage } from './components/not-found-page.tsx'
import { PageFailure } from './components/page-failure.tsx'
import { FirstPage } from './shell/first-page.tsx'
import { HomePage } from './shell/home-page.tsx'
import { Root } from './shell/root.tsx'
import { Shell } from './shell/shell.tsx'

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: PageFailure,
})

/** Without a session the sign-in page, which leads back here. @throws a redirect */
export async function needSession({ location }: { readonly location: { readonly href: string } }): Promise<void> {
  await linkFailure() // a link signs in before anything is asked
  const state = await loadSession()
  if (state.is === 'signed-out') throw redirect({ to: '/sign-in', search: { to: location.href } })
}

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: needSession,
  component: HomePage,
})

export const environmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '$project/$environment',
  beforeLoad: needSession,
  component: Shell,
  notFoundComponent: NotFoundPage,
})

/** The address of an environment alone: its first page. */
export const environmentIndexRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/',
  component: FirstPage,
})
