// The types of questions about one policy: what `zerohop types` prints as `Policy` is a type argument here. Without one
// every name is a string. Types alone: nothing here exists when a program runs.
import type { PermissionFilter, ResourcesQuery } from './pdp-listings.ts'
import type { Action, Attributes, Check, FilterOptions, Resource } from './request.ts'

/** What a policy names, as types; `zerohop types` prints one. */
export interface PolicyTypes {
  readonly resources: { readonly [type: string]: ResourceTypes }
  readonly tenants: string
  /** roles in tenants */
  readonly roles: string
  readonly userAttributes: Attributes
}

/** What a resource type names, as types. */
export interface ResourceTypes {
  readonly actions: string
  readonly attributes: Attributes
  readonly relations: string
  /** roles on instances */
  readonly roles: string
}

type ResourceParts = Exclude<Resource, string>
type ActionParts = Exclude<Action, string>

/** The keys of resource types. */
export type TypeOf<P extends PolicyTypes> = keyof P['resources'] & string

/** The actions of a resource type. */
export type ActionOf<P extends PolicyTypes, T extends TypeOf<P>> = P['resources'][T]['actions']

/** The relations of a resource type. */
export type RelationOf<P extends PolicyTypes, T extends TypeOf<P>> = P['resources'][T]['relations']

/** The user of a check; `null` where no one is signed in. */
export type UserIn<P extends PolicyTypes> =
  | string
  | { readonly key: string; readonly attributes?: P['userAttributes'] | null }
  | null

/** An action of a resource of type `T`, with what else is sent of it. */
export interface ActionObject<P extends PolicyTypes, T extends TypeOf<P>> extends Omit<ActionParts, 'key'> {
  readonly key: ActionOf<P, T>
}

/** A resource of type `T`, with what else is sent of it. */
export interface ResourceObject<P extends PolicyTypes, T extends TypeOf<P>>
  extends Omit<ResourceParts, 'type' | 'tenant' | 'attributes' | 'relations'> {
  readonly type: T
  readonly tenant?: P['tenants'] | null
  readonly attributes?: P['resources'][T]['attributes'] | null
  readonly relations?: { readonly [R in RelationOf<P, T>]?: readonly string[] } | null
}

// An editor shows the name of a type that has one. Methods that are called with an action and a resource spell these
// two out, so that it shows the actions and the types of the policy.

/** The action of a check about a resource of type `T`. */
export type ActionIn<P extends PolicyTypes, T extends TypeOf<P>> = ActionOf<P, T> | ActionObject<P, T>

/** A resource type, one of its instances, or either with what else is sent of it. */
export type ResourceIn<P extends PolicyTypes, T extends TypeOf<P>> = T | `${T}:${string}` | ResourceObject<P, T>

/** One check of a bulk check, about a resource of any type. */
export type CheckIn<P extends PolicyTypes> = {
  [T in TypeOf<P>]: Omit<Check, 'user' | 'action' | 'resource'> & {
    readonly user: UserIn<P>
    readonly action: ActionIn<P, T>
    readonly resource: ResourceIn<P, T>
  }
}[TypeOf<P>]

/** For which rows a filter is made. */
export type FilterOptionsIn<P extends PolicyTypes> = Omit<FilterOptions, 'tenant'> & { readonly tenant: P['tenants'] }

/** Which instances of type `T` to list. */
export type ResourcesQueryIn<P extends PolicyTypes, T extends TypeOf<P>> = Omit<
  ResourcesQuery,
  'tenant' | 'attributes'
> & {
  readonly tenant?: P['tenants'] | null
  readonly attributes?: P['resources'][T]['attributes'] | null
}

/** Which permissions of a user to list. */
export type PermissionFilterIn<P extends PolicyTypes, T extends TypeOf<P>> = Omit<
  PermissionFilter,
  'tenants' | 'resourceTypes'
> & {
  readonly tenants?: readonly P['tenants'][] | null
  readonly resourceTypes?: readonly (T | '__tenant')[] | null
}
