// The fields of a user, for the form that makes one and the one that changes it.
import type { Field } from '../../components/object-draft.ts'

export const USER_KEY: Field = {
  name: 'key',
  label: 'Key',
  placeholder: 'ana@example.com',
  description: "The identifier your app uses. Can't be changed later.",
  isRequired: true,
}

export const USER_FIELDS: readonly Field[] = [
  { name: 'first_name', label: 'First name' },
  { name: 'last_name', label: 'Last name' },
  { name: 'email', label: 'Email' },
  {
    name: 'attributes',
    label: 'Attributes',
    description: 'A JSON object. Conditions can use it.',
    placeholder: '{"department": "finance"}',
    isObject: true,
  },
]
