// A tenant role.
import type { JsonObject, Named } from '../model/objects.ts'
import type { RoleGiving } from './giving.ts'
import type { Kind } from './kind.ts'
import { text, texts } from './wire-values.ts'

export interface V1Role {
  readonly settings: JsonObject | null
  readonly attributes: JsonObject | null
}

/** A tenant role. `permissions` are `resource:action`, `extends` are role keys. */
export interface Role extends Named, RoleGiving {
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
  readonly attributes: JsonObject | null
  readonly v1?: V1Role
}

export interface RolePolicy {
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
}

export const role = {
  number: 2,
  newerNumbers: { times: 67 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    roles_with_parent: (role) => role.extends,
    roles_with_approver: ({ requestable }) => requestable?.approvers ?? [],
    roles_on_resource: (role) => [
      ...new Set(role.permissions.map((permission) => permission.slice(0, permission.indexOf(':')))),
    ],
  },
  projection: {
    code: 2,
    project: ({ permissions, extends: parents }) => ({ permissions, extends: parents }),
    write: (value, key) => [key, value.permissions, value.extends],
    read: ([, key, permissions, parents]) => ({
      op: 'put',
      kind: 'role',
      key: text(key),
      value: { permissions: texts(permissions), extends: texts(parents) },
    }),
  },
  inFiles: { section: 'roles', isFact: false, key: 'own' },
} as const satisfies Kind<'role', Role, RolePolicy>
