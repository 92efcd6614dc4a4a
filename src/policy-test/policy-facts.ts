// The facts of a test of a policy, as types that name no package: they stand in the declarations of the library, also in
// those for `require`. Their form is that of the policy file (`Facts` in test-file.ts), which judges what is sent.
import type { JsonObject } from '../model/objects.ts'

export interface PolicyFacts {
  readonly tenants?: readonly {
    readonly key: string
    readonly name?: string
    readonly description?: string
    readonly attributes?: JsonObject
  }[]
  readonly users?: readonly {
    readonly key: string
    readonly email?: string
    readonly first_name?: string
    readonly last_name?: string
    readonly attributes?: JsonObject
  }[]
  /** users who belong to a tenant without a role in it */
  readonly memberships?: readonly { readonly user: string; readonly tenant: string }[]
  readonly resource_instances?: readonly {
    /** key of the resource type */
    readonly resource: string
    readonly key: string
    readonly tenant: string
    readonly attributes?: JsonObject
  }[]
  /** `subject` and `object` are `type:key` */
  readonly relationship_tuples?: readonly {
    readonly subject: string
    readonly relation: string
    readonly object: string
    readonly tenant?: string
  }[]
  readonly role_assignments?: readonly {
    readonly user: string
    readonly role: string
    /** without it that of the instance, else `default` */
    readonly tenant?: string
    /** `type:key` */
    readonly resource_instance?: string
  }[]
}
