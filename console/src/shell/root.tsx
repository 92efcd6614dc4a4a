// What is there on every page: the page itself, notifications, the notice that the server is away, and the dialog that
// asks to sign in again. What most visits never show is loaded when it is shown.
import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useIsReasonMissing } from '../api/reason.ts'
import { useSessionState } from '../api/use-session.ts'
import { lazyPart } from '../components/lazy-part.ts'
import { ConnectionNotice } from './connection-notice.tsx'

const expiredSession = lazyPart(() => import('./expired-session.tsx'))
const reasonDialog = lazyPart(() => import('./reason-dialog.tsx'))
const notices = lazyPart(() => import('./notices.tsx'))

export function Root() {
  const isExpired = useSessionState().is === 'expired'
  const isReasonMissing = useIsReasonMissing()
  return (
    <>
      <ConnectionNotice />
      <Outlet />
      <Suspense>
        <notices.Part />
      </Suspense>
      {isReasonMissing && (
        <Suspense>
          <reasonDialog.Part />
        </Suspense>
      )}
      {isExpired && (
        <Suspense>
          <expiredSession.Part />
        </Suspense>
      )}
    </>
  )
}
