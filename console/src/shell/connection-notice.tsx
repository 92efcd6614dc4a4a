// Says that the server does not answer. It goes away by itself: the server is asked again until it does.
import { Loader } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { isServerAway, subscribeToConnection } from '../api/connection.ts'
import classes from './connection-notice.module.css'

export function ConnectionNotice() {
  const isAway = useSyncExternalStore(subscribeToConnection, isServerAway)
  return (
    <div role="status" className={isAway ? classes.notice : undefined}>
      {isAway && (
        <>
          <Loader size={12} color="currentColor" />
          Can't reach the server. Trying again. Nothing you typed is lost.
        </>
      )}
    </div>
  )
}
