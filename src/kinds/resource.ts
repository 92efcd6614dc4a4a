// A resource type with its actions and declared attributes.
import type { AttributeType, JsonObject, Named, Stored } from '../model/objects.ts'
import { fields, type StoredFields } from './fields.ts'
import type { Kind } from './kind.ts'
import { readAttributes, text, texts, writeAttributes } from './wire-values.ts'

/**
 * What the first API version says of an object and this one has no other place for: its writes set it, and fields
 * `v1compat_…` of the second one; absent where neither did. It bears on no decision.
 */
export interface V1Resource {
  readonly path: string | null
  /** kind of the resource, such as `rest`; null when it was the key */
  readonly type: string | null
  readonly name: string | null
}
export interface V1Action {
  readonly path: string | null
  readonly name: string | null
}

/** What an action is to tenants (D18). */
export const offerFields = fields({
  grantable: { form: 'flag', about: 'whether roles of tenants may have the permission; default: false' },
})

/** An action of a resource type; `key` is unique within the resource. */
export interface Action extends Named, StoredFields<typeof offerFields> {
  readonly attributes: JsonObject | null
  readonly v1?: V1Action
}

/** A declared attribute of a resource type; `key` is unique within the resource. */
export interface AttributeDefinition extends Stored {
  readonly type: AttributeType
  readonly description: string | null
}

/**
 * A resource type with its parts: the parts are written with it, so that one object is one change. Lists are in
 * creation order.
 */
export interface Resource extends Named {
  readonly urn: string | null
  readonly type_attributes: JsonObject | null
  readonly actions: readonly Action[]
  readonly attributes: readonly AttributeDefinition[]
  readonly v1?: V1Resource
}

export interface ResourcePolicy {
  readonly actions: readonly string[]
  /** declared attributes and their types: comparing with a `time` compares instants (D9: how values compare) */
  readonly attributes?: Readonly<Record<string, AttributeType>>
}

/** The part of a resource type, or of a built-in one, that decisions read. */
export function projectResource({ actions, attributes }: Resource): ResourcePolicy {
  const types = attributes.map(({ key, type }) => [key, type] as const)
  return {
    actions: actions.map(({ key }) => key),
    ...(types.length === 0 ? {} : { attributes: Object.fromEntries(types) }),
  }
}

export const resource = {
  number: 1,
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: {
    code: 1,
    project: projectResource,
    write: ({ actions, attributes }, key) => [key, actions, ...writeAttributes(attributes)],
    read: ([, key, actions, attributes]) => ({
      op: 'put',
      kind: 'resource',
      key: text(key),
      value: { actions: texts(actions), ...readAttributes(attributes) } as ResourcePolicy,
    }),
  },
  inFiles: { section: 'resources', isFact: false, key: 'own' },
} as const satisfies Kind<'resource', Resource, ResourcePolicy>
