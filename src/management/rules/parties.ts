// Who is one and the same where someone else has to approve. Two accounts of one person cannot be told apart, nor two keys
// that someone else handed out.
import type { ApiKey } from '../../kinds/api-key.ts'
import type { Party } from '../../kinds/proposal.ts'
import type { Actor } from '../../log/change.ts'
import { MADE_BY_MAX } from '../../model/limits.ts'
import type { View } from '../../store/view.ts'
import { actorId, actorName } from './actor.ts'

/**
 * The person or key of a write.
 * @param control the log of the organization
 */
export function findParty(control: View, by: Actor): Party {
  const { api_key_id, user } = by
  const id = actorId(by)
  const made: Pick<ApiKey, 'made_by'> | undefined =
    api_key_id === null ? undefined : control.find('api_key', api_key_id)
  return {
    api_key_id,
    ...(user === undefined ? {} : { user }),
    ids: id === null ? [] : [id, ...(made?.made_by ?? [])],
    name: actorName(control, by),
  }
}

/** What a key remembers of who makes it: rotation keeps the id, so a chain of keys has each once. */
export const listMakers = ({ ids }: Pick<Party, 'ids'>): Pick<ApiKey, 'made_by'> =>
  ids.length === 0 ? {} : { made_by: ids.slice(0, MADE_BY_MAX) }

/**
 * True for the same person, the same key, and a key and whoever made it: that one knew the secret. All commands of the
 * operator are one party.
 */
export function isSameParty(one: Party, other: Party): boolean {
  const [first] = one.ids
  const [second] = other.ids
  if (first === undefined || second === undefined) return first === second
  return other.ids.includes(first) || one.ids.includes(second)
}
