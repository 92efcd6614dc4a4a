// The fields of an instance, for the form that makes one and the one that changes it.
import type { Field } from '../../components/object-draft.ts'

export const INSTANCE_KEY: Field = {
  name: 'key',
  label: 'Key',
  placeholder: 'plan',
  description: "The identifier your app uses, without the type. Can't be changed later.",
  isRequired: true,
}

export const INSTANCE_FIELDS: readonly Field[] = [
  {
    name: 'attributes',
    label: 'Attributes',
    description: 'A JSON object. Conditions can use it.',
    placeholder: '{"amount": 120}',
    isObject: true,
  },
]
