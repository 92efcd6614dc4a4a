// The types that declare the attributes of users and tenants: a policy has them as resources, management one attribute
// at a time.
import type { AttributeType } from '../../src/model/objects.ts'
import type { Operation, World } from './world.ts'

export const isBuiltIn = (key: string): boolean => key === '__user' || key === '__tenant'

/** One call of management: an attribute that goes (without a type), that comes, or that gets another type. */
export interface AttributeStep {
  readonly op: 'create' | 'update' | 'delete'
  readonly resource: string
  readonly attribute: string
  readonly as: AttributeType | undefined
}

/** The steps that write a built-in type, given what exists now. */
export function attributeSteps(
  { policy }: World,
  [op, , object]: Extract<Operation, readonly [unknown, 'resource', unknown]>,
): AttributeStep[] {
  const { key: resource } = object
  const before = policy.resource.get(resource)?.attributes ?? {}
  const after: Readonly<Record<string, AttributeType>> = op === 'put' ? (object.attributes ?? {}) : {}
  const gone = Object.keys(before).filter((attribute) => !Object.hasOwn(after, attribute))
  const changed = Object.entries(after).filter(([attribute, as]) => before[attribute] !== as)
  return [
    ...gone.map((attribute) => ({ op: 'delete', resource, attribute, as: undefined }) as const),
    ...changed.map(([attribute, as]) => {
      return { op: Object.hasOwn(before, attribute) ? 'update' : 'create', resource, attribute, as } as const
    }),
  ]
}
