// What starts or ends by itself beside roles, which have a list: suspensions of users, with what each of them gives or
// denies, and relations. Nothing here knows the page.
import type { components } from 'zerohop/client'

type Plan = components['schemas']['Plan']
type Turn = NonNullable<Plan['turns']>[number]

export interface UpcomingTurn {
  readonly id: string
  readonly at: string
  readonly is: 'starts' | 'ends'
  /** whose suspension it is; undefined for a relation */
  readonly user: string | undefined
  /** of the user, or of the relation */
  readonly key: string
  /** what the user can do from then on, or no longer: `read invoice:18 in acme` */
  readonly access: readonly string[]
}

/** @param access who gains and loses access by all that starts or ends */
export function listTurns(turns: readonly Turn[], access: Plan['access']): readonly UpcomingTurn[] {
  return turns.flatMap((turn): UpcomingTurn[] => {
    const { at, is, kind, key } = turn
    const id = `${kind} ${key} ${is} ${at}`
    if (kind === 'suspension') {
      const { first } = is === 'starts' ? access.lost : access.gained
      const flips = first.filter(({ user, since }) => user === key && since && Date.parse(since) === Date.parse(at))
      return [{ id, at, is, user: key, key, access: flips.map(whatText) }]
    }
    if (kind !== 'relationship_tuple') return []
    return [{ id, at, is, user: undefined, key, access: [] }]
  })
}

const whatText = ({ action, resource: { type, key }, tenant }: Plan['access']['lost']['first'][number]): string =>
  `${action} ${key ? `${type}:${key}` : type} in ${tenant}`
