// How a role differs: what it gains and loses, line by line, with a sign and a word for each.
import { formatSeconds } from 'zerohop/durations'
import { type AboutDifference, compareRoles } from './draft.ts'
import type { Role, RoleAbout } from './policy.ts'
import classes from './policy-page.module.css'
import { describeRequestable } from './requestable.ts'

interface RoleDifferenceProps {
  readonly before: Role | null
  readonly after: Role | null
}

/** Lines that are shown of one role. */
const LINES_MAX = 200

const ABOUT_WORDS: Readonly<Record<keyof RoleAbout, string>> = {
  name: 'Name',
  description: 'Description',
  default_duration: 'Default duration',
  max_duration: 'Maximum duration',
  everybody: 'Can be given to everyone',
  assignable_by_tenants: 'Can be assigned by tenants',
  requestable: 'Can be requested',
  extendable: 'Can be extended by tenants',
}

function aboutLines(about: AboutDifference): readonly string[] {
  const text = (value: RoleAbout[keyof RoleAbout]) => {
    if (value !== null && typeof value === 'object') return describeRequestable(value)
    if (value === true) return 'yes'
    return typeof value === 'number' ? formatSeconds(value) : (value ?? 'none')
  }
  return Object.entries(about).map(
    ([name, [before, after]]) => `${ABOUT_WORDS[name as keyof RoleAbout]}: ${text(before)} → ${text(after)}`,
  )
}

export function RoleDifference({ before, after }: RoleDifferenceProps) {
  const { about, gained, lost, extended, noLongerExtended } = compareRoles(before, after)
  if (after === null) return <p className={classes.removed}>The role is deleted.</p>
  const lines = [
    ...(before === null ? [{ sign: '+', text: 'The role is new' }] : []),
    ...aboutLines(about).map((text) => ({ sign: '~', text })),
    ...extended.map((key) => ({ sign: '+', text: `Extends ${key}` })),
    ...noLongerExtended.map((key) => ({ sign: '−', text: `No longer extends ${key}` })),
    ...gained.map((permission) => ({ sign: '+', text: permission })),
    ...lost.map((permission) => ({ sign: '−', text: permission })),
  ]
  return (
    <ul className={classes.difference}>
      {lines.slice(0, LINES_MAX).map(({ sign, text }) => (
        <li key={`${sign}${text}`} data-sign={sign}>
          <span aria-hidden="true">{sign}</span>
          <span>
            {text}
            {sign === '−' && text.includes(':') ? <span className={classes.word}> removed</span> : null}
          </span>
        </li>
      ))}
      {lines.length > LINES_MAX && <li>and {lines.length - LINES_MAX} more</li>}
    </ul>
  )
}
