// The objects of a revision that shall be reverted, with what stands in the way of each.
import '@mantine/core/styles/Checkbox.layer.css'
import '@mantine/core/styles/InlineInput.layer.css'
import { Button, Checkbox } from '@mantine/core'
import { conflictText, objectText } from 'zerohop/change-words'
import { Icon } from '../../components/icon.tsx'
import { LongList } from '../../components/long-list.tsx'
import classes from './history.module.css'
import type { RevertPlan, Revision } from './history-queries.ts'
import { objectName, type RevertSearch } from './revert-search.ts'

type Conflict = RevertPlan['conflicts'][number]

interface RevertObjectsProps {
  readonly changes: Revision['changes']
  readonly conflicts: readonly Conflict[]
  readonly search: RevertSearch
  readonly onChange: (search: RevertSearch) => void
}

export function RevertObjects({ changes, conflicts, search, onChange }: RevertObjectsProps) {
  const { without = [], cascade } = search
  const leave = (names: readonly string[]) => onChange({ ...search, without: [...new Set([...without, ...names])] })
  const take = (name: string) => {
    const left = without.filter((each) => each !== name)
    onChange({ ...(cascade ? { cascade } : {}), ...(left.length > 0 ? { without: left } : {}) })
  }
  const byName = Map.groupBy(conflicts, objectName)
  const inTheWay = [...byName.keys()].filter((name) => changes.some((change) => objectName(change) === name))
  const others = conflicts.filter((conflict) => !inTheWay.includes(objectName(conflict)))
  if (changes.length < 2 && conflicts.length === 0 && without.length === 0 && !cascade) return null
  return (
    <fieldset className={classes.fieldset}>
      <legend>What to revert</legend>
      {/* what is in the way comes first, wherever it is in the revision */}
      <LongList
        label="Objects of the revision"
        items={changes.toSorted((left, right) => rank(right) - rank(left))}
        itemKey={objectName}
        className={classes.objects}
      >
        {(change) => {
          const name = objectName(change)
          return (
            <>
              <Checkbox
                size="xs"
                label={objectText(change)}
                checked={!without.includes(name)}
                onChange={({ currentTarget }) => (currentTarget.checked ? take(name) : leave([name]))}
              />
              {byName.get(name)?.map((conflict) => (
                <ConflictLine key={conflict.what} conflict={conflict} />
              ))}
            </>
          )
        }}
      </LongList>
      {others.map((conflict) => (
        <ConflictLine key={`${objectName(conflict)} ${conflict.what}`} conflict={conflict} />
      ))}
      {inTheWay.length > 0 && inTheWay.length < changes.length - without.length && (
        <Button variant="default" mt={8} onClick={() => leave(inTheWay)}>
          Skip conflicting objects
        </Button>
      )}
      {(cascade || conflicts.some(({ reason }) => reason === 'used')) && (
        <Checkbox
          size="xs"
          className={classes.cascade}
          label="Also change or delete objects that were built on it since"
          checked={cascade === true}
          onChange={({ currentTarget }) => {
            const { cascade: _, ...others } = search
            onChange(currentTarget.checked ? { ...others, cascade: true } : others)
          }}
        />
      )}
    </fieldset>
  )

  function rank(change: Revision['changes'][number]): number {
    return byName.has(objectName(change)) ? 1 : 0
  }
}

function ConflictLine({ conflict }: { readonly conflict: Conflict }) {
  return (
    <p className={classes.conflict}>
      <Icon name="triangleAlert" size={14} />
      {conflictText(conflict)}
    </p>
  )
}
