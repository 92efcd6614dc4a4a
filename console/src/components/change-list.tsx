// Objects that a revision changed, or that a plan would change, field by field, deletions first. A word and a sign say
// what happens to each, a colour only repeats it.
import { type ChangedObject, fieldTexts, inReadingOrder, keyText, kindText } from 'zerohop/change-words'
import classes from './change-list.module.css'
import { TextWithInstants } from './instant.tsx'
import { LongList } from './long-list.tsx'

const SIGNS = { delete: '−', move: '›', update: '~', create: '+' } as const
const DONE = { delete: 'Deleted', move: 'Moved', update: 'Changed', create: 'Created' } as const
const PLANNED = { delete: 'Delete', move: 'Move', update: 'Change', create: 'Create' } as const

interface ChangeListProps {
  readonly label: string
  readonly changes: readonly ChangedObject[]
  /** objects that change besides */
  readonly more?: number
  /** they are not made yet */
  readonly isPlan?: boolean
  /** in the place of Created, Changed … */
  readonly words?: Readonly<Record<ChangedObject['op'], string>>
}

export function ChangeList({ label, changes, more = 0, isPlan = false, words: own }: ChangeListProps) {
  const words = own ?? (isPlan ? PLANNED : DONE)
  return (
    <LongList label={label} items={inReadingOrder(changes)} itemKey={nameOf} more={more} className={classes.list}>
      {(change) => (
        <>
          <div className={classes.object}>
            <span className={classes.sign} data-op={change.op} aria-hidden="true">
              {SIGNS[change.op]}
            </span>
            <span className={classes.op}>{words[change.op]}</span>
            <span className={classes.kind}>{kindText(change.kind)}</span>
            <span className={classes.key}>{keyText(change.kind, change.key)}</span>
          </div>
          <Fields change={change} />
        </>
      )}
    </LongList>
  )
}

function Fields({ change }: { readonly change: ChangedObject }) {
  const fields = fieldTexts(change)
  if (fields.length === 0) return null
  return (
    <dl className={classes.fields}>
      {fields.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <TextWithInstants text={text} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const nameOf = ({ kind, key }: ChangedObject): string => `${kind}:${key}`
