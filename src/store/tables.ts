// The tables on disk and the indexes over objects. A change here changes the disk format: raise FORMAT, write an ADR and an upgrade test.
import type { Kind, Objects } from '../model/objects.ts'

/** Number of the disk format; a folder of another number is refused (DATA_FOREIGN). */
export const FORMAT = 1

/** An index lists objects of one kind under values that the object itself names. */
interface IndexDefinition<K extends Kind> {
  readonly kind: K
  readonly values: (object: Objects[K]) => readonly string[]
}

const index = <K extends Kind>(kind: K, values: (object: Objects[K]) => readonly string[]): IndexDefinition<K> => ({
  kind,
  values,
})

export const INDEXES = {
  assignments_of_user: index('role_assignment', (assignment) => [assignment.user]),
  assignments_of_role: index('role_assignment', (assignment) => [assignment.role]),
  assignments_of_tenant: index('role_assignment', (assignment) => [assignment.tenant]),
  memberships_of_user: index('membership', (membership) => [membership.user]),
  memberships_of_tenant: index('membership', (membership) => [membership.tenant]),
  roles_with_parent: index('role', (role) => role.extends),
  environments_of_project: index('environment', (environment) => [environment.project]),
  keys_of_environment: index('api_key', (key) => (key.environment_id === null ? [] : [key.environment_id])),
  pdp_configs_of_environment: index('pdp_config', (config) => [config.environment_id]),
} as const

export type IndexName = keyof typeof INDEXES
export type IndexKind<I extends IndexName> = (typeof INDEXES)[I]['kind']
