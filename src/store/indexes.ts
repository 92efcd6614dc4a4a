// The indexes over objects: under which values each object is listed. A change here changes the disk format, as in
// src/store/tables.ts. Does not import LMDB: use cases and the declarations of the package name indexes.
import { type IndexName, KIND_NAMES, KINDS, type KindName, type KindOfIndex, type Objects } from '../kinds/index.ts'
import type { IndexValues } from '../kinds/kind.ts'
import type { RoleAssignment } from '../kinds/role-assignment.ts'
import { EVERYBODY } from '../model/keys.ts'

/** What an index lists: objects of one kind, under values that each names. */
interface IndexDefinition<K extends KindName> {
  readonly kind: K
  readonly values: IndexValues<Objects[K]>
}

/** Every index of every kind. The name of an index is part of its keys: renaming an index changes the disk format. */
export const INDEXES = Object.fromEntries(
  KIND_NAMES.flatMap((kind) => Object.entries(KINDS[kind].indexes).map(([name, values]) => [name, { kind, values }])),
) as unknown as { readonly [I in IndexName]: IndexDefinition<KindOfIndex<I>> }

/**
 * Indexes that list objects which other objects name. A user must be put before the assignments that name it, and
 * deleted after them. Drafts do not have these indexes: they are for lists.
 */
export const REFERENCES = {
  users_of_role: {
    of: 'role_assignment',
    to: 'user',
    /** the value, the key of the object to list, and the index that tells whether another assignment lists it too */
    entry: ({ user, role, resource_instance: instance }: RoleAssignment) =>
      instance === null && user !== EVERYBODY ? { value: role, key: user, same: `${user}/${role}` } : undefined,
    sameIndex: 'assignments_of_user_with_role',
  },
} as const
