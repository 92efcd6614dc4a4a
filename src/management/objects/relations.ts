// Relations between instances: stored on the type of the object, `subject_resource` is the type of the other end (D5:
// roles on instances). A relation never changes its types: in the map of a resource type, one with another subject type
// is a new relation, and takes the place of the old one.
import { relationFields } from '../../kinds/relation.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { RELATIONS_MAX } from '../../model/limits.ts'
import { partKey } from '../../model/objects.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint } from '../../store/view.ts'
import { type Collection, create, erase, type Merge, makePartWrites } from '../rules/collection.ts'
import { BODY } from '../rules/fields.ts'
import { fieldRules } from '../rules/settle-fields.ts'
import type { RelationUpdate } from '../schemas/relations.ts'
import { afterRelation } from './cascade-schema.ts'

type RelationFields = Omit<RelationUpdate, 'key'>

export const relations: Collection<'relation', RelationFields> = {
  kind: 'relation',
  limit: RELATIONS_MAX,
  ...fieldRules(relationFields, {
    subject_resource: { unsent: '', settle: (sent, _current, context) => requireSubject(sent, context) },
  }),
  removed: (view, relation, mint) => afterRelation(view, relation, mint),
}

/** The type that the relation comes from: fixed when it is created. @throws RELATION_FIXED */
function requireSubject(
  { subject_resource: sent }: RelationFields,
  { view, key, path, stored }: Merge<'relation'>,
): string {
  const have = stored?.subject_resource
  if (have !== undefined && (sent === undefined || sent === null)) return have
  const at = [...path, 'subject_resource']
  const want = view.require('resource', sent ?? '', at).key
  if (have === undefined || have === want) return want
  throw new ZerohopError('RELATION_FIXED', { relation: key, have, want }, { path: at })
}

export const {
  create: createRelation,
  update: updateRelation,
  replace: replaceRelation,
  remove: deleteRelation,
} = makePartWrites(relations, 'relation')

/**
 * Applies the map `relations` of a resource, from relation to subject type: relations that are missing in it, or have
 * another subject type, are deleted.
 */
export function writeRelations(draft: Draft, of: string, sent: Readonly<Record<string, string>>, mint: Mint): void {
  const subjects = new Map<string, string>()
  for (const [key, ref] of Object.entries(sent)) {
    const path = [...BODY, 'relations', key]
    subjects.set(requireKey('relation', key, path), draft.require('resource', ref, path).key)
  }
  for (const { relation, subject_resource } of [...draft.by('relations_of_resource', of)]) {
    if (subjects.get(relation) !== subject_resource)
      draft.take(erase(relations, draft, { ref: relation }, mint, { of }))
  }
  for (const [key, subject_resource] of subjects) {
    if (draft.get('relation', partKey(of, key))) continue
    const path = [...BODY, 'relations', key]
    draft.take(create(relations, draft, { key, subject_resource }, mint, { of, path, keyPath: path }))
  }
}
