// What a policy file says of the regular fields of an object: those that differ from their defaults. An export writes
// them, and a plan compares them, so that both always know the same fields.
import { defaultValue, type Field, fieldValue, presentFields, printInFile } from '../../kinds/fields.ts'
import { type RoleGiving, roleGivingFields } from '../../kinds/giving.ts'
import { findFields, KIND_NAMES, type KINDS, type KindName, type Objects, type TableKind } from '../../kinds/index.ts'
import { type Action, offerFields } from '../../kinds/resource.ts'
import type { Json } from '../../model/objects.ts'
import { type ConnectingFact, isPart, isPolicyKind } from '../rules/kinds-in-files.ts'
import type { PolicyFile } from '../schemas/policy-file.ts'

const isInFiles = ({ form, inFiles }: Field): boolean =>
  inFiles !== false && form !== 'own' && form !== 'resource' && form !== 'part'

/** Listed once for each kind, because an export reads every object. */
const FIELDS = new Map<KindName, readonly (readonly [string, Field])[]>(
  KIND_NAMES.map((kind) => [kind, Object.entries(findFields(kind) ?? {}).filter(([, field]) => isInFiles(field))]),
)

/**
 * The fields that differ from their defaults, in the order of the table: no nulls, no empty attributes, and no name that
 * is the key. Fields of the form `own` are not among them.
 */
export const fieldsInFile = <K extends TableKind>(kind: K, object: Objects[K]): { readonly [name: string]: Json } =>
  addFields({}, kind, object)

function addFields<T extends object, K extends TableKind>(to: T, kind: K, object: Objects[K]): T {
  const fields = FIELDS.get(kind) ?? []
  if (fields.length === 0) return to // as of most objects that an export reads
  const key = shortKey(kind, object.key)
  for (const [name, field] of fields) {
    const value = fieldValue(object as object as { readonly [name: string]: unknown }, name, field, key)
    if (!isDefault(value, defaultValue(field, key)))
      (to as { [name: string]: unknown })[name] = printInFile(field, value)
  }
  return to
}

/** How a role is given, in a file. */
export const givingInFile = (role: RoleGiving): RoleGiving => presentFields(roleGivingFields, role) as RoleGiving

/** What an action is to tenants, in a file. */
export const offerInFile = (action: Action): Pick<Action, 'grantable'> => presentFields(offerFields, action)

type ConnectionInFile<K extends ConnectingFact> = NonNullable<
  PolicyFile[(typeof KINDS)[K]['inFiles']['section']]
>[number]

/** What an object connects, in a file: the tenant of a tuple is that of its instances. */
const CONNECTED: { readonly [K in ConnectingFact]: (object: Objects[K]) => ConnectionInFile<K> } = {
  membership: ({ user, tenant }) => ({ user, tenant }),
  relationship_tuple: ({ subject, relation, object }) => ({ subject, relation, object }),
  role_assignment: ({ user, role, tenant, resource_instance }) =>
    resource_instance === null ? { user, role, tenant } : { user, role, tenant, resource_instance },
}

/** An object of a list whose objects connect others: what it connects, and its fields that differ from their defaults. */
export const connectionInFile = <K extends ConnectingFact>(kind: K, object: Objects[K]): ConnectionInFile<K> =>
  addFields(CONNECTED[kind](object), kind, object)

/** The key of a part without its resource type. */
const shortKey = (kind: KindName, key: string): string =>
  isPolicyKind(kind) && isPart(kind) ? key.slice(key.indexOf('/') + 1) : key

/** An empty object is the default of attributes that are never null. */
const isDefault = (value: unknown, unsent: unknown): boolean =>
  value === unsent || (typeof unsent === 'object' && unsent !== null && Object.keys(value as object).length === 0)
