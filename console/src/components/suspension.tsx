// Whether a user is suspended, until or from when, and why: as a line in lists of users, and as a notice on the page of
// one. Times are those of the reader, whose time zone is named.
import type { components } from 'zerohop/client'
import { endedAt, startsAfter } from './grant-times.tsx'
import { Icon } from './icon.tsx'
import { Instant } from './instant.tsx'
import classes from './suspension.module.css'

export type Suspension = components['schemas']['Suspension']
export type SuspensionState = 'in_force' | 'scheduled' | 'ended'

export function findSuspensionState(suspension: Suspension): SuspensionState {
  const now = Date.now()
  if (endedAt(suspension, now)) return 'ended'
  return startsAfter(suspension, now) ? 'scheduled' : 'in_force'
}

/** `Suspended until …`, `Suspension starts …, ends …` or `Suspension ended …` */
export function SuspensionTimes(suspension: Suspension) {
  const { valid_from: from, valid_until: until } = suspension
  const end = until !== undefined && <Instant value={until} hasZone />
  const state = findSuspensionState(suspension)
  if (state === 'ended') return <>Suspension ended {end}</>
  if (state === 'in_force') return <>Suspended{end && <> until {end}</>}</>
  return (
    <>
      Suspension starts <Instant value={from!} hasZone />
      {end && <>, ends {end}</>}
    </>
  )
}

/** Below the key of a user, while the suspension is in force or is still to come. */
export function SuspensionLine({ suspension }: { readonly suspension: Suspension | undefined }) {
  if (suspension === undefined) return null
  const state = findSuspensionState(suspension)
  if (state === 'ended') return null
  return (
    <span className={classes.line} data-state={state}>
      <Icon name="ban" size={12} />
      <span>
        <SuspensionTimes {...suspension} />
        <span className={classes.reason}> · {suspension.reason}</span>
      </span>
    </span>
  )
}
