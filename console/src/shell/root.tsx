// What is there on every page: the page itself, notifications, the notice that the server is away, and the dialog that
// asks to sign in again. What most visits never show is loaded when it is shown.
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useSessionState } from '../api/use-session.ts'
import { ConnectionNotice } from './connection-notice.tsx'

const ExpiredSession = lazy(() => import('./expired-session.tsx'))
const Notices = lazy(() => import('./notices.tsx'))

export function Root() {
  const isExpired = useSessionState().is === 'expired'
  return (
    <>
      <ConnectionNotice />
      <Outlet />
      <Suspense>
        <Notices />
      </Suspense>
      {isExpired && (
        <Suspense>
          <ExpiredSession />
        </Suspense>
      )}
    </>
  )
}
