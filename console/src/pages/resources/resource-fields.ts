// The fields of a resource type and of its parts, for the forms that make and change them.
import { EVERYBODY_WARNING, GRANTABLE_ABOUT, TENANTS_ABOUT } from '../../components/holder-words.ts'
import type { Field } from '../../components/object-draft.ts'
import type { Resource } from './resource-queries.ts'

const ATTRIBUTE_TYPES = ['string', 'number', 'bool', 'time', 'array', 'json', 'object', 'object_array'] as const

const keyField = (placeholder: string, of: string): Field => ({
  name: 'key',
  label: 'Key',
  placeholder,
  description: `The identifier your app uses for the ${of}. Can't be changed later.`,
  isRequired: true,
})
const NAME: Field = { name: 'name', label: 'Name', description: 'Display name. Defaults to the key.' }
const DESCRIPTION: Field = { name: 'description', label: 'Description' }

export const NEW_RESOURCE: readonly Field[] = [keyField('document', 'type'), NAME, DESCRIPTION]
export const RESOURCE_FIELDS: readonly Field[] = [
  NAME,
  DESCRIPTION,
  { name: 'urn', label: 'URN', description: 'Free text, such as where it is in your system.' },
  {
    name: 'type_attributes',
    label: 'Type attributes',
    description: 'A JSON object about the type itself. For attributes of its instances, see the Attributes tab.',
    isObject: true,
  },
]

const GIVING: readonly Field[] = [
  {
    name: 'default_duration',
    label: 'Default duration',
    placeholder: 'No end',
    description: 'Applies when no end is set, such as 8h or 7d.',
    isDuration: true,
  },
  {
    name: 'max_duration',
    label: 'Maximum duration',
    placeholder: 'No end',
    description: 'The longest an assignment can last.',
    isDuration: true,
  },
  { name: 'everybody', label: 'Can be given to everyone', description: EVERYBODY_WARNING, isFlag: true },
  { name: 'assignable_by_tenants', label: 'Can be assigned by tenants', description: TENANTS_ABOUT, isFlag: true },
]

/** How a role can be requested: members of `requestable`, beside each other as a form has them. */
const REQUESTS: readonly Field[] = [
  {
    name: 'is_requestable',
    label: 'Can be requested',
    description: 'Users ask for the role for a time, and approvers decide on the page Requests.',
    isFlag: true,
  },
  {
    name: 'request_longest',
    label: 'Longest time when requested',
    placeholder: '4h',
    description: 'Requested access always ends.',
    isDuration: true,
  },
  {
    name: 'request_approvers',
    label: 'Approvers',
    placeholder: 'document/owner, team-lead',
    description: 'Comma-separated: roles on the same instance, or in its tenant. Their holders decide.',
  },
  {
    name: 'request_everybody',
    label: 'Every user can request it',
    description: 'Else users of the tenant.',
    isFlag: true,
  },
  { name: 'request_without_reason', label: 'A reason is optional', isFlag: true },
  {
    name: 'request_auto',
    label: 'Given at once',
    description: 'For emergencies: no one approves. Approvers can revoke it.',
    isFlag: true,
  },
]

export const ACTION_FIELDS: readonly Field[] = [
  NAME,
  DESCRIPTION,
  { name: 'grantable', label: 'Can be granted by tenants', description: GRANTABLE_ABOUT, isFlag: true },
]
export const NEW_ACTION: readonly Field[] = [keyField('read', 'action'), ...ACTION_FIELDS]

export const ATTRIBUTE_FIELDS: readonly Field[] = [
  { name: 'type', label: 'Type', options: ATTRIBUTE_TYPES, isRequired: true },
  DESCRIPTION,
]
export const NEW_ATTRIBUTE: readonly Field[] = [keyField('amount', 'attribute'), ...ATTRIBUTE_FIELDS]

export const NEW_RELATION: readonly Field[] = [keyField('parent', 'relation'), NAME, DESCRIPTION]

/** @param role the key of the role that is changed: it does not extend itself */
export function roleFields({ actions, roles }: Resource, role?: string): readonly Field[] {
  const others = Object.keys(roles).filter((key) => key !== role)
  return [
    NAME,
    DESCRIPTION,
    { name: 'permissions', label: 'Permissions', choices: Object.keys(actions) },
    {
      name: 'extends',
      label: 'Extends',
      description: 'Roles whose permissions this role inherits.',
      choices: others,
    },
    ...GIVING,
    ...REQUESTS,
  ]
}
export const newRole = (resource: Resource): readonly Field[] => [keyField('owner', 'role'), ...roleFields(resource)]
