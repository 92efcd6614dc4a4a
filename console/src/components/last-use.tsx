// When something was last used, and where that is not known: the same words wherever it is asked (docs/last-used.md).
import { NativeSelect } from '@mantine/core'
import { Instant } from './instant.tsx'
import classes from './last-use.module.css'
import { UNUSED, type Unused, unusedText } from './unused-times.ts'

const UNKNOWN = {
  nothing_recorded: 'Not known: no decisions recorded',
  not_recorded_so_long: 'Not known for so long',
  read_by_conditions: 'Not known: conditions read roles',
  role_not_in_policy: 'Not known: not in the policy',
} as const

interface LastUseProps {
  /** undefined: none is known */
  readonly at: string | null | undefined
  readonly unknown: keyof typeof UNKNOWN | null | undefined
}

export function LastUse({ at, unknown }: LastUseProps) {
  return (
    <>
      {at == null ? unknown ? '' : 'No use known' : <Instant value={at} />}
      {unknown && <div className={classes.dim}>{UNKNOWN[unknown]}</div>}
    </>
  )
}

interface KnownUsesProps {
  readonly uses: { readonly known_since: string | null; readonly dropped: number }
}

/** How far the uses are known that are shown, or that lists are filtered by. */
export function KnownUses({ uses: { known_since: since, dropped } }: KnownUsesProps) {
  return (
    <p className={classes.known}>
      {since === null ? (
        'It isn’t known what was used: no decisions are recorded here.'
      ) : (
        <>
          Used means that a recorded decision allowed it. Decisions are known since <Instant value={since} />
          {dropped === 0 ? '' : `, without ${dropped} that couldn’t be recorded`}; those of PDPs that record elsewhere
          aren’t.
        </>
      )}
    </p>
  )
}

interface UseFilterProps {
  readonly value: Unused | undefined
  readonly onChange: (unused: Unused | undefined) => void
}

export function UseFilter({ value, onChange }: UseFilterProps) {
  return (
    <NativeSelect
      size="xs"
      aria-label="Use"
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(UNUSED.find((each) => each === currentTarget.value))}
      data={[{ value: '', label: 'Used or not' }, ...UNUSED.map((each) => ({ value: each, label: unusedText(each) }))]}
    />
  )
}
