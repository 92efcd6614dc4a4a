// The tables on disk and the indexes over objects. A change here changes the disk format: raise FORMAT, write an ADR and an upgrade test.
// Every table is a named LMDB database, because clearing the unnamed one aborts the process. Keys are built in src/store/encode.ts.
import { type Database, type DatabaseOptions, open, type RootDatabase } from 'lmdb'
import type { LogId } from '../log/change.ts'
import { pathEntries, readBy } from '../model/condition-reads.ts'
import { ZerohopError } from '../model/errors.ts'
import { DATA_BYTES_MAX } from '../model/limits.ts'
import { type Kind, type Objects, partKey, type RoleAssignment } from '../model/objects.ts'

/** Number of the disk format; a folder of another number is refused (DATA_FOREIGN). */
export const FORMAT = 1

/** How a kind is written in keys. A number is never given to another kind. */
export const KIND_NUMBERS: Readonly<Record<Kind, number>> = {
  resource: 1,
  role: 2,
  user: 3,
  tenant: 4,
  role_assignment: 5,
  membership: 6,
  resource_role: 7,
  relation: 8,
  action_group: 9,
  condition_set: 10,
  set_rule: 11,
  resource_instance: 12,
  relationship_tuple: 13,
  user_invite: 14,
  proxy_config: 15,
  built_in: 16,
  group: 17,
  organization: 128,
  project: 129,
  environment: 130,
  api_key: 131,
  pdp_config: 132,
  deleted_environment: 133,
}

/** An index lists objects of one kind under values that the object itself names. */
interface IndexDefinition<K extends Kind> {
  readonly kind: K
  readonly values: (object: Objects[K]) => readonly string[]
}

const index = <K extends Kind>(kind: K, values: (object: Objects[K]) => readonly string[]): IndexDefinition<K> => ({
  kind,
  values,
})

/** The resource type of `type:key`. */
const typeOf = (instance: string): string => instance.slice(0, instance.indexOf(':'))

/** The one value under which an index lists every object of its kind: a page deep in it skips six bytes a row, not the objects. */
export const EVERY = '*'
const every = (): readonly string[] => [EVERY]

/** The name of an index is written in its keys: a renamed index is a new format. */
export const INDEXES = {
  every_user: index('user', every),
  every_tenant: index('tenant', every),
  every_assignment: index('role_assignment', every),
  every_instance: index('resource_instance', every),
  every_tuple: index('relationship_tuple', every),
  assignments_of_user: index('role_assignment', (assignment) => [assignment.user]),
  /** of a tenant role under its key, of a role on instances under `resource/role` */
  assignments_of_role: index('role_assignment', ({ role, resource_instance: instance }) => [
    instance === null ? role : `${typeOf(instance)}/${role}`,
  ]),
  assignments_of_tenant: index('role_assignment', (assignment) => [assignment.tenant]),
  /** tenant roles only */
  assignments_of_user_in_tenant: index('role_assignment', ({ user, tenant, resource_instance: instance }) =>
    instance === null ? [`${user}/${tenant}`] : [],
  ),
  /** as assignments_of_role, then the tenant */
  assignments_of_role_in_tenant: index('role_assignment', ({ role, tenant, resource_instance: instance }) => [
    instance === null ? `${role}/${tenant}` : `${typeOf(instance)}/${role}/${tenant}`,
  ]),
  instance_assignments_of_user_in_tenant: index('role_assignment', ({ user, tenant, resource_instance: instance }) =>
    instance === null ? [] : [`${user}/${tenant}`],
  ),
  assignments_of_user_on_instance: index('role_assignment', ({ user, resource_instance: instance }) =>
    instance === null ? [] : [`${user}/${instance}`],
  ),
  /** tenant roles only; says whether a user still stands in users_of_role */
  assignments_of_user_with_role: index('role_assignment', ({ user, role, resource_instance: instance }) =>
    instance === null ? [`${user}/${role}`] : [],
  ),
  /** each user once who has the tenant role anywhere; kept by REFERENCES */
  users_of_role: index('user', () => []),
  memberships_of_user: index('membership', (membership) => [membership.user]),
  memberships_of_tenant: index('membership', (membership) => [membership.tenant]),
  roles_with_parent: index('role', (role) => role.extends),
  roles_on_resource: index('role', (role) => [
    ...new Set(role.permissions.map((permission) => permission.slice(0, permission.indexOf(':')))),
  ]),
  assignments_on_instance: index('role_assignment', ({ resource_instance: instance }) =>
    instance === null ? [] : [instance],
  ),
  assignments_on_resource: index('role_assignment', ({ resource_instance: instance }) =>
    instance === null ? [] : [typeOf(instance)],
  ),
  resource_roles_named: index('resource_role', ({ role }) => [role]),
  resource_roles_of_resource: index('resource_role', (role) => [role.resource]),
  resource_roles_with_parent: index('resource_role', (role) =>
    role.extends.map((parent) => partKey(role.resource, parent)),
  ),
  resource_roles_linked_by: index('resource_role', (role) =>
    (role.granted_to?.users_with_role ?? []).map((rule) => partKey(role.resource, rule.linked_by_relation)),
  ),
  resource_roles_derived_from: index('resource_role', (role) =>
    (role.granted_to?.users_with_role ?? []).map((rule) => `${rule.on_resource}/${rule.role}`),
  ),
  relations_named: index('relation', ({ relation }) => [relation]),
  groups_named: index('group', ({ instance }) => [instance]),
  groups_of_resource: index('group', ({ resource }) => [resource]),
  groups_of_tenant: index('group', ({ tenant }) => [tenant]),
  relations_of_resource: index('relation', (relation) => [relation.resource]),
  relations_from_subject: index('relation', (relation) => [relation.subject_resource]),
  action_groups_of_resource: index('action_group', (group) => [group.resource]),
  sets_on_resource: index('condition_set', (set) => (set.resource === null ? [] : [set.resource])),
  /** under what the conditions read: `type/attribute`, and `type` where they follow keys of instances */
  sets_reading: index('condition_set', readBy),
  /** under the paths that the conditions read, and as often as there are (pathEntries) */
  sets_by_path: index('condition_set', pathEntries),
  sets_with_parent: index('condition_set', (set) => (set.parent === null ? [] : [set.parent])),
  rules_of_user_set: index('set_rule', (rule) => [rule.user_set]),
  rules_of_resource_set: index('set_rule', (rule) => [rule.resource_set]),
  rules_of_permission: index('set_rule', (rule) => [rule.permission]),
  instances_of_resource: index('resource_instance', (instance) => [instance.resource]),
  instances_of_tenant: index('resource_instance', (instance) => [instance.tenant]),
  tuples_of_subject: index('relationship_tuple', (tuple) => [tuple.subject]),
  tuples_of_object: index('relationship_tuple', (tuple) => [tuple.object]),
  tuples_of_tenant: index('relationship_tuple', (tuple) => [tuple.tenant]),
  tuples_of_relation: index('relationship_tuple', (tuple) => [`${typeOf(tuple.object)}/${tuple.relation}`]),
  invites_of_role: index('user_invite', ({ role, resource_instance: instance }) => [
    instance === null ? role : `${typeOf(instance)}/${role}`,
  ]),
  invites_on_instance: index('user_invite', ({ resource_instance: instance }) => (instance === null ? [] : [instance])),
  invites_of_tenant: index('user_invite', ({ tenant }) => [tenant]),
  environments_of_project: index('environment', (environment) => [environment.project]),
  keys_of_environment: index('api_key', (key) => (key.environment_id === null ? [] : [key.environment_id])),
  pdp_configs_of_environment: index('pdp_config', (config) => [config.environment_id]),
  keys_of_project: index('api_key', (key) => (key.project_id === null ? [] : [key.project_id])),
  deleted_environments_of_key: index('deleted_environment', (environment) => environment.key_hashes),
} as const

/**
 * Indexes that list objects which others name. A user must be put before the assignments that name it, and go after them. Drafts do not
 * know these indexes: they are for lists.
 */
export const REFERENCES = {
  users_of_role: {
    of: 'role_assignment',
    to: 'user',
    /** the value, the key of the object to list, and where those stand that list the same */
    entry: ({ user, role, resource_instance: instance }: RoleAssignment) =>
      instance === null ? { value: role, key: user, same: `${user}/${role}` } : undefined,
    sameIndex: 'assignments_of_user_with_role',
  },
} as const

/** Kinds whose objects nobody asks for by id. */
export const WITHOUT_IDS: ReadonlySet<Kind> = new Set<Kind>(['role_assignment', 'membership'])

export type IndexName = keyof typeof INDEXES
export type IndexKind<I extends IndexName> = (typeof INDEXES)[I]['kind']

/** Where a log stands, one record a log: everything that the next commit needs to know. */
export interface Head {
  /** how the log is written in keys */
  readonly number: number
  /** 64 random hex digits: the chain at revision 0 */
  readonly lineage: string
  readonly revision: number
  readonly chain: string
  /** first revision whose entry still has its changes; absent: 1. Before it nobody can follow deltas (retention.ts) */
  readonly deltasFrom?: number
  /** first revision whose entry is still there; absent: 1 */
  readonly historyFrom?: number
  /** place in the creation order of the next new object */
  readonly next: number
  /** objects of each kind */
  readonly counts: Readonly<Partial<Record<Kind, number>>>
}

type Keyed<V> = Database<V, Uint8Array>

export interface Tables {
  readonly root: RootDatabase
  /** `format` and `next_log` */
  readonly meta: Database<string | number, string>
  /** log id → where it stands */
  readonly heads: Database<Head, string>
  /** log, kind, place in the creation order → object; the table of a kind */
  objects(kind: Kind): Keyed<Objects[Kind]>
  readonly objectTables: readonly Keyed<Objects[Kind]>[]
  /** the same table, each object as the JSON that it is stored as */
  texts(kind: Kind): Keyed<string>
  /** log, kind, key → place */
  readonly keys: Keyed<Uint8Array>
  /** log, kind, id → place */
  readonly ids: Keyed<Uint8Array>
  /** log, index, value → places, ascending */
  readonly indexes: Keyed<Uint8Array>
  /** log, revision → chain and entry */
  readonly log: Keyed<Uint8Array>
  /** SHA-256 of the secret of an API key, also of one that died with its environment → its organization */
  readonly hashes: Database<LogId, string>
  /** id of an API key → its sealed secret */
  readonly secrets: Keyed<Uint8Array>
}

/** Nobody else on the machine may read the data. lmdb knows this option, its types do not. */
const FOR_ITS_OWNER = { permissionsMode: 0o600 }

/** How a folder is opened: `create` makes the tables in an empty one. */
export type OpenMode = 'create' | 'write' | 'read'

/**
 * Opens the tables of a folder.
 * @throws DATA_FOREIGN when the folder holds other data or another format; else what LMDB throws
 */
export function openTables(folder: string, mode: OpenMode): Tables {
  const create = mode === 'create'
  const root = open({
    ...FOR_ITS_OWNER,
    path: folder,
    noSubdir: false,
    readOnly: mode === 'read',
    encoding: 'json',
    overlappingSync: false, // visible to readers only when it is on disk
    mapSize: DATA_BYTES_MAX,
    maxDbs: 32,
  })
  const foreign = (got: string | number) => new ZerohopError('DATA_FOREIGN', { path: folder, got, want: FORMAT })
  const table = <V, K extends string | Uint8Array>(name: string, rest: TableOptions): Database<V, K> => {
    const opened = root.openDB<V, K>({ name, create, ...rest } as TableOptions & { name: string }) as
      | Database<V, K>
      | undefined
    if (opened === undefined) throw foreign('unknown')
    return opened
  }
  try {
    const meta: Tables['meta'] = table('meta', { encoding: 'json' })
    if (create) meta.putSync('format', FORMAT)
    const format = meta.get('format')
    if (format !== FORMAT) throw foreign(format ?? 'unknown')
    const keyed = { keyEncoding: 'binary', encoding: 'binary' } as const
    const objectTable = <V>(name: string, encoding: 'json' | 'string'): Keyed<V> => table(name, { ...keyed, encoding })
    const shared = objectTable<Objects[Kind]>('objects', 'json')
    const own = new Map(
      OWN_TABLES.map((kind): [Kind, Keyed<Objects[Kind]>] => [kind, objectTable(`objects_${kind}`, 'json')]),
    )
    const texts = new Map(
      OWN_TABLES.map((kind): [Kind, Keyed<string>] => [kind, objectTable(`objects_${kind}`, 'string')]),
    )
    const sharedTexts = objectTable<string>('objects', 'string')
    return {
      root,
      meta,
      heads: table('heads', { encoding: 'json' }),
      objects: (kind) => own.get(kind) ?? shared,
      objectTables: [shared, ...own.values()],
      texts: (kind) => texts.get(kind) ?? sharedTexts,
      keys: table('keys', keyed),
      ids: table('ids', keyed),
      indexes: table('indexes', { ...keyed, dupSort: true }),
      log: table('log', { ...keyed, compression: { threshold: COMPRESS_BYTES_MIN } }),
      hashes: table('hashes', { encoding: 'string' }),
      secrets: table('secrets', keyed),
    }
  } catch (error) {
    void root.close()
    throw error
  }
}

/**
 * Kinds of which there may be very many have a table of their own, where a new object is the last one: pages that are only appended to
 * fill up, while in the middle of a table each that is split stays half empty.
 */
const OWN_TABLES = ['user', 'membership', 'role_assignment', 'resource_instance', 'relationship_tuple'] as const

/** Bytes of a log entry from which it is compressed: a bulk call writes the same field names a thousand times. */
const COMPRESS_BYTES_MIN = 4_096

/** lmdb knows `create`, its types do not. */
type TableOptions = DatabaseOptions & { readonly create?: boolean }
