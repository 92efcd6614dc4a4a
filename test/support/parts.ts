// A question of the definition in the forms that images take.
import { toRelations } from '../../src/pdp/request.ts'
import type { Request } from '../reference/request.ts'

/** The arguments of `check` and `explain`. */
export const toParts = ({ user, action, resource, sent }: Request) =>
  [
    user,
    action,
    resource.type,
    resource.tenant,
    resource.key,
    sent,
    toRelations(resource.relations),
    resource.isRow ?? false,
  ] as const

/** What a listing is about. */
export const toAbout = ({ resource: { type, key, tenant, relations, isRow }, sent }: Request) => {
  return { type, key, tenant, sent, relations: toRelations(relations), isRow }
}
