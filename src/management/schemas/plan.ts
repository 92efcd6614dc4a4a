// Plans in the API: what is sent and what is answered at /v2/projects/{p}/envs/{e}/plan and …/apply. The part about
// access is src/model/access-diff.ts.

import { AccessDiff } from '../../model/access-diff.ts'
import {
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  mapOf,
  maybe,
  membersOf,
  named,
  nullable,
  open,
  type Static,
  schemaOf,
  Text,
  type TSchema,
} from '../../model/json-schema.ts'
import { PLAN_CHANGES_MAX, PLAN_ENTRIES_MAX, POLICY_FILES_MAX, POLICY_PROBLEMS_MAX } from '../../model/limits.ts'
import type { Json } from '../../model/objects.ts'
import { POLICY_KINDS, type PolicyKind } from '../../model/policy-kinds.ts'
import { ActionGroupCreate, ActionGroupUpdate } from './action-groups.ts'
import { ConditionSetCreate, ConditionSetUpdate } from './condition-sets.ts'
import { InstanceCreate, InstanceUpdate } from './instances.ts'
import { Moved, PolicyFile } from './policy-file.ts'
import { RelationCreate, RelationUpdate } from './relations.ts'
import { ResourceRoleCreate, ResourceRoleUpdate } from './resource-roles.ts'
import {
  ActionCreate,
  ActionUpdate,
  AttributeCreate,
  AttributeUpdate,
  ResourceCreate,
  ResourceUpdate,
} from './resources.ts'
import { RoleAssignmentCreate } from './role-assignments.ts'
import { RoleCreate, RoleUpdate } from './roles.ts'
import { Attributes, Count, Time } from './schema-parts.ts'
import { SetRuleCreate } from './set-rules.ts'
import { TenantCreate, TenantUpdate } from './tenants.ts'
import { TupleCreate } from './tuples.ts'
import { UserCreate, UserUpdate } from './users.ts'

const Kind = enumOf(...POLICY_KINDS)
const key = described(
  Text,
  'for a part of a resource type: `resource/part`; for an object without a key of its own: the key that a plan shows',
)

const SentChange = named(
  'PlannedChange',
  closed({
    op: enumOf('create', 'update', 'delete'),
    kind: Kind,
    key,
    value: maybe(described(Attributes, 'the body of the single write, without the key; omitted for a delete')),
  }),
)
export type SentChange = Static<typeof SentChange>

const attribute = { create: AttributeCreate, update: AttributeUpdate }

/** The body of the single write, by kind. What only connects others is made and deleted. */
export const BODIES: Readonly<Record<PolicyKind, { readonly create: TSchema; readonly update?: TSchema }>> = {
  user_attribute: attribute,
  tenant_attribute: attribute,
  resource: { create: ResourceCreate, update: ResourceUpdate },
  action: { create: ActionCreate, update: ActionUpdate },
  attribute,
  action_group: { create: ActionGroupCreate, update: ActionGroupUpdate },
  relation: { create: RelationCreate, update: RelationUpdate },
  resource_role: { create: ResourceRoleCreate, update: ResourceRoleUpdate },
  role: { create: RoleCreate, update: RoleUpdate },
  condition_set: { create: ConditionSetCreate, update: ConditionSetUpdate },
  set_rule: { create: SetRuleCreate },
  tenant: { create: TenantCreate, update: TenantUpdate },
  user: { create: UserCreate, update: UserUpdate },
  membership: { create: closed({ user: Text, tenant: Text }) },
  resource_instance: { create: InstanceCreate, update: InstanceUpdate },
  relationship_tuple: { create: TupleCreate },
  role_assignment: { create: RoleAssignmentCreate },
}

const what = {
  policy: maybe(PolicyFile),
  changes: maybe(described(listOf(SentChange, PLAN_CHANGES_MAX), 'instead of a policy: the writes, in this order')),
  prune: maybe(described(Flag, 'also delete objects removed from the policy')),
  cascade: maybe(
    described(Flag, 'also delete facts that the policy does not manage, if objects that they need are deleted'),
  ),
}

export const page = maybe(described(Text, '`next` of an answer: the page of changed access after it'))

export const PlanRequest = named('PlanRequest', closed({ ...what, page }))
export type PlanRequest = Static<typeof PlanRequest>

const PolicyText = closed({
  name: described(Text, 'name of the file in problems, such as its path'),
  text: described(Text, 'YAML or JSON'),
})

export const PolicyTexts = named(
  'PolicyTexts',
  closed({
    files: described(listOf(PolicyText, POLICY_FILES_MAX), 'files that together are one policy'),
    prune: what.prune,
  }),
)
export type PolicyTexts = Static<typeof PolicyTexts>

const PlaceInFile = open({
  file: Text,
  line: described(Count, 'starts at 1'),
  column: described(Count, 'starts at 1, in UTF-16 code units'),
  length: described(Count, 'number of characters that the problem is about'),
})

export const CheckedPolicy = named(
  'CheckedPolicy',
  open({
    policy: described(
      nullable(PolicyFile),
      'all files as one policy, for `plan` and `apply`; null if there are errors',
    ),
    problems: described(
      listOf(
        open({
          severity: enumOf('error', 'warning'),
          message: Text,
          place: PlaceInFile,
          related: maybe(open({ place: PlaceInFile, message: Text })),
        }),
      ),
      `errors, or when there are none warnings; the first ${POLICY_PROBLEMS_MAX.toLocaleString('en-US')}`,
    ),
  }),
)
export type CheckedPolicy = Static<typeof CheckedPolicy>

export const Fingerprints = mapOf(nullable(Text))

/** What the caller saw of a plan and agreed to. */
export const agreed = {
  fingerprints: maybe(
    described(Fingerprints, '`fingerprints` of a plan. The request is refused if one of its objects changed since'),
  ),
  expected: maybe(
    described(AccessDiff, '`policy` and `access` of a plan. The request is refused if more access would change'),
  ),
  force: maybe(described(Flag, 'apply even if more access changes than expected')),
}

export const ApplyRequest = named('ApplyRequest', closed({ ...what, ...agreed }))
export type ApplyRequest = Static<typeof ApplyRequest>

const AnyJson = schemaOf<Json>({})

const Entry = named(
  'PlanEntry',
  open({
    op: enumOf('create', 'update', 'delete', 'move'),
    kind: Kind,
    key,
    fields: described(mapOf(listOf(AnyJson)), 'each field that changes: value before and after; null for the default'),
  }),
)

const Counted = listOf(open({ kind: Text, count: Count }))

const Outside = named(
  'PlanOutside',
  open({
    kind: Kind,
    key: Text,
    by: described(nullable(Text), 'name or id of the API key, name of the user, or the operation of the command line'),
    revision: described(nullable(Count), 'null if the change is older than a plan looks back'),
    at: nullable(Time),
  }),
)

export const Plan = named(
  'Plan',
  open({
    revision: described(Count, 'revision of the environment that was compared; after `apply`, the new revision'),
    changes: described(listOf(Entry), `objects that change, the first ${PLAN_ENTRIES_MAX.toLocaleString('en-US')}`),
    more: described(Count, 'number of further objects that change'),
    ...membersOf(AccessDiff, 'policy', 'access'),
    fingerprints: described(
      Fingerprints,
      'fingerprints of the objects that change, before the change; null for new objects',
    ),
    cascade: described(Counted, 'facts that are also deleted although the policy does not manage them'),
    carried: described(Counted, 'facts that move with a moved object'),
    outside: described(listOf(Outside), 'objects that others changed since this policy was last applied'),
    suggested: described(
      listOf(Moved),
      'a delete and a create that look like a renamed object: if so, add it to `moved`',
    ),
  }),
)
export type Plan = Static<typeof Plan>
