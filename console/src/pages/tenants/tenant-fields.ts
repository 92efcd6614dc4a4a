// The fields of a tenant, for the form that makes one and the one that changes it.
import type { Field } from '../../components/object-draft.ts'

export const TENANT_KEY: Field = {
  name: 'key',
  label: 'Key',
  placeholder: 'acme',
  description: "The identifier your app uses. Can't be changed later.",
  isRequired: true,
}

export const TENANT_FIELDS: readonly Field[] = [
  { name: 'name', label: 'Name' },
  { name: 'description', label: 'Description' },
  {
    name: 'attributes',
    label: 'Attributes',
    description: 'A JSON object. Conditions can use it.',
    placeholder: '{"plan": "business"}',
    isObject: true,
  },
]
