// Where a fact is from, where another than a person says it: a sync, or the directory. Nothing for what was made by hand.
import type { components } from 'zerohop/client'
import { Tag } from './tag.tsx'

type Claims = components['schemas']['RoleAssignment']['claims']
const HAND = 'hand'

const sourceText = (by: string): string =>
  by === HAND ? 'added by hand' : by === 'directory' ? 'from the directory' : `from sync ${by}`

/** Whether it can be removed here. */
export const isByHand = (claims: Claims): boolean => claims === undefined || claims.some(({ by }) => by === HAND)
/** Whether it is still there when it was removed here. */
export const isFromOthers = (claims: Claims): boolean => claims?.some(({ by }) => by !== HAND) ?? false

export function Sources({ claims = [] }: { readonly claims?: Claims }) {
  return claims.map(({ by }) => (
    <span key={by}>
      {' '}
      <Tag>{sourceText(by)}</Tag>
    </span>
  ))
}
