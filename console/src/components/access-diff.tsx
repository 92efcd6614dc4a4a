// Who gains and who loses access: by a revision, or by what a plan would write. First what the policy says more or
// less, whoever has which role, then the people.
import { VisuallyHidden } from '@mantine/core'
import {
  BY_POLICY,
  conditionalText,
  flipText,
  groupText,
  isCounted,
  isNobody,
  keptRulesText,
  keptText,
  MAY_CHANGE,
  NOT_COUNTED,
  overridableText,
  type PolicyLine,
  policyLines,
  sideText,
  widestFirst,
} from 'zerohop/change-words'
import type { components } from 'zerohop/client'
import { useEnvironmentPath } from '../api/environments.ts'
import classes from './access-diff.module.css'
import { Icon } from './icon.tsx'
import { TextWithInstants } from './instant.tsx'
import { TextLink } from './links.tsx'
import { LongList } from './long-list.tsx'

type Diff = components['schemas']['AccessDiff']
type Side = Diff['access']['gained']

const SIGNS = { lost: '−', gained: '+', changed: '~' } as const
const WORDS = { lost: 'No longer', gained: 'Now', changed: 'Otherwise' } as const

interface AccessDiffProps {
  readonly diff: Diff
  /** in the place of a diff that is empty */
  readonly nothing: string
  /** the revision at which a name opens in Why; without it names are no links */
  readonly whyAt?: number
}

export function AccessDiff({ diff, nothing, whyAt }: AccessDiffProps) {
  const { policy, access } = diff
  const lines = policyLines(policy)
  const conditional = access.conditional.toSorted((left, right) => right.users - left.users)
  const [kept, keptRules] = [keptText(access), keptRulesText(policy)]
  const isEmpty =
    lines.length === 0 &&
    kept === undefined &&
    keptRules === undefined &&
    [access.gained, access.lost].every(isNobody) &&
    conditional.length === 0 &&
    access.overridable.length === 0
  return (
    <div className={classes.diff}>
      {!isCounted(diff) && (
        <p className={classes.warning}>
          <Icon name="triangleAlert" size={14} />
          {NOT_COUNTED}
        </p>
      )}
      {isEmpty && isCounted(diff) && <p className={classes.nothing}>{nothing}</p>}
      <SideView verb="lose" side={access.lost} whyAt={whyAt} />
      <SideView verb="gain" side={access.gained} whyAt={whyAt} />
      {kept && <p className={classes.nothing}>{kept}</p>}
      {keptRules && <p className={classes.nothing}>{keptRules}</p>}
      {conditional.length > 0 && (
        <section>
          <h3>{MAY_CHANGE}</h3>
          <LongList label={MAY_CHANGE} items={conditional} itemKey={conditionalText} className={classes.lines}>
            {conditionalText}
          </LongList>
        </section>
      )}
      {lines.length > 0 && (
        <section>
          <h3>{BY_POLICY}</h3>
          <LongList
            label={BY_POLICY}
            items={lines}
            itemKey={({ is, text }) => `${is} ${text}`}
            className={classes.lines}
          >
            {(line) => <PolicyLineView line={line} />}
          </LongList>
        </section>
      )}
      {access.overridable.map((rule) => (
        <p key={overridableText(rule)} className={classes.warning}>
          <Icon name="triangleAlert" size={14} />
          {overridableText(rule)}
        </p>
      ))}
    </div>
  )
}

function PolicyLineView({ line: { is, text } }: { readonly line: PolicyLine }) {
  return (
    <span className={classes.line}>
      <span className={classes.sign} data-is={is} aria-hidden="true">
        {SIGNS[is]}
      </span>
      <VisuallyHidden>{WORDS[is]}: </VisuallyHidden>
      <span>{text}</span>
    </span>
  )
}

interface SideProps {
  readonly verb: 'gain' | 'lose'
  readonly side: Side
  readonly whyAt: number | undefined
}

function SideView({ verb, side, whyAt }: SideProps) {
  const path = useEnvironmentPath()
  if (isNobody(side)) return null
  const title = sideText(verb, side)
  const names = side.first.length + (side.next ? 1 : 0)
  return (
    <section className={classes.side} data-verb={verb} aria-label={verb === 'gain' ? 'Gains access' : 'Loses access'}>
      <h3>
        <Icon name={verb === 'gain' ? 'plus' : 'minus'} size={14} />
        {title}
      </h3>
      <LongList
        label={title}
        items={widestFirst(side.groups)}
        itemKey={groupText}
        more={side.more_groups}
        className={classes.lines}
      >
        {groupText}
      </LongList>
      {names > 0 && (
        <details className={classes.names}>
          <summary>{side.next ? `Show the first ${side.first.length} permissions` : 'Show each permission'}</summary>
          <LongList label={`${title}: each permission`} items={side.first} itemKey={flipText} className={classes.lines}>
            {(flip) =>
              whyAt === undefined ? (
                <TextWithInstants text={flipText(flip)} />
              ) : (
                <TextLink
                  to="/$project/$environment/why"
                  params={{ project: path.p, environment: path.e }}
                  search={{
                    user: flip.user,
                    action: flip.action,
                    resource: flip.resource.key ? `${flip.resource.type}:${flip.resource.key}` : flip.resource.type,
                    tenant: flip.tenant,
                    at: String(whyAt),
                  }}
                >
                  <TextWithInstants text={flipText(flip)} />
                </TextLink>
              )
            }
          </LongList>
        </details>
      )}
    </section>
  )
}
