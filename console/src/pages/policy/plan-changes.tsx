// The changes of a plan, object by object and field by field, in the words of the policy file.
import { Text } from '@mantine/core'
import type { components } from 'zerohop/client'
import classes from './policy-page.module.css'

type Changes = components['schemas']['Plan']['changes']

const WORDS = { create: 'is made', update: 'changes', delete: 'is deleted', move: 'moves' } as const
const SHOWN = 200

interface PlanChangesProps {
  readonly changes: Changes
  readonly more: number
}

export function PlanChanges({ changes, more }: PlanChangesProps) {
  const hidden = more + Math.max(0, changes.length - SHOWN)
  return (
    <ul className={classes.changes}>
      {changes.slice(0, SHOWN).map(({ op, kind, key, fields }) => (
        <li key={`${kind}:${key}`}>
          <div className={classes.changeHead}>
            <h3>
              {kind.replaceAll('_', ' ')} {key}
            </h3>
            <span>{WORDS[op]}</span>
          </div>
          {op === 'update' && (
            <ul className={classes.difference}>
              {Object.entries(fields).flatMap(([name, [before, after]]) =>
                linesOf(name, before, after).map((line) => <li key={line}>{line}</li>),
              )}
            </ul>
          )}
        </li>
      ))}
      {hidden > 0 && <li>and {hidden} more</li>}
    </ul>
  )
}

/** Lists as what is added and taken, everything else as before and after. */
function linesOf(name: string, before: unknown, after: unknown): readonly string[] {
  const [from, to] = [before ?? [], after ?? []]
  if (!(Array.isArray(before) || Array.isArray(after)) || !isTexts(from) || !isTexts(to))
    return [`${name}: ${textOf(before)} → ${textOf(after)}`]
  const added = to.filter((each) => !from.includes(each))
  const taken = from.filter((each) => !to.includes(each))
  return [...added.map((each) => `+ ${each}`), ...taken.map((each) => `− ${each}`)]
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const textOf = (value: unknown): string =>
  value === null || value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)

interface CascadeProps {
  readonly counts: readonly { readonly kind: string; readonly count: number }[]
}

/** What goes along with deletes. */
export function Cascade({ counts }: CascadeProps) {
  if (counts.length === 0) return null
  const text = counts
    .map(({ kind, count }) => `${count} ${kind.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`)
    .join(', ')
  return (
    <Text size="sm" mt="sm">
      Deleted along with it: {text}.
    </Text>
  )
}
