// Below the matrix: on which condition access rules give the permission of the cell, with the way to each rule.
import { useQuery } from '@tanstack/react-query'
import { useEnvironmentPath } from '../../api/environments.ts'
import { TextLink } from '../../components/links.tsx'
import type { Conditions } from '../conditions/condition-model.ts'
import { setQuery } from '../conditions/condition-queries.ts'
import { describeConditions } from '../conditions/conditions-in-words.ts'
import type { AccessRule } from './access-rules.ts'
import classes from './matrix.module.css'

/** Rules of one cell that are named. */
const SHOWN = 3

export function CellRules({ rules }: { readonly rules: readonly AccessRule[] }) {
  if (rules.length === 0) return null
  return (
    <ul className={classes.rules} aria-label="Access rules of this cell">
      {rules.slice(0, SHOWN).map((rule) => (
        <li key={`${rule.role} ${rule.set}`}>
          <RuleOfCell rule={rule} />
        </li>
      ))}
      {rules.length > SHOWN && <li>and {rules.length - SHOWN} more</li>}
    </ul>
  )
}

function RuleOfCell({ rule: { permission, set } }: { readonly rule: AccessRule }) {
  const { p: project, e: environment } = useEnvironmentPath()
  if (set !== undefined) return <SetOfRule set={set} />
  return (
    <>
      On every {permission.split(':')[0]}, without a condition (
      <TextLink to="/$project/$environment/conditions" params={{ project, environment }} search={{ tab: 'rules' }}>
        access rules
      </TextLink>
      )
    </>
  )
}

function SetOfRule({ set }: { readonly set: string }) {
  const path = useEnvironmentPath()
  const found = useQuery(setQuery(path, set)).data
  const condition = found && describeConditions(found.conditions as Conditions)
  return (
    <>
      If{' '}
      <TextLink to="/$project/$environment/conditions/$set" params={{ project: path.p, environment: path.e, set }}>
        {set}
      </TextLink>
      {condition && `: ${condition}`}
      {found?.parent && `, and ${found.parent}`}
    </>
  )
}
