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
import { ActionGroupCreate, ActionGroupUpdate } from '../action-groups/schema.ts'
import { ConditionSetCreate, ConditionSetUpdate } from '../condition-sets/schema.ts'
import { InstanceCreate, InstanceUpdate } from '../instances/schema.ts'
import { Moved, PolicyFile } from '../policy-file/schema.ts'
import { RelationCreate, RelationUpdate } from '../relations/schema.ts'
import { ResourceRoleCreate, ResourceRoleUpdate } from '../resource-roles/schema.ts'
import {
  ActionCreate,
  ActionUpdate,
  AttributeCreate,
  AttributeUpdate,
  ResourceCreate,
  ResourceUpdate,
} from '../resources/schema.ts'
import { RoleAssignmentCreate } from '../role-assignments/schema.ts'
import { RoleCreate, RoleUpdate } from '../roles/schema.ts'
import { Attributes, Count, Time } from '../schema-parts.ts'
import { SetRuleCreate } from '../set-rules/schema.ts'
import { TenantCreate, TenantUpdate } from '../tenants/schema.ts'
import { TupleCreate } from '../tuples/schema.ts'
import { UserCreate, UserUpdate } from '../users/schema.ts'

const Kind = enumOf(...POLICY_KINDS)
const key = described(Text, 'of a part `resource/part`; of what only connects others, the key that a plan shows')

const SentChange = named(
  'PlannedChange',
  closed({
    op: enumOf('create', 'update', 'delete'),
    kind: Kind,
    key,
    value: maybe(described(Attributes, 'the body of the single write, without the key; none for a delete')),
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
  changes: maybe(
    described(listOf(SentChange, PLAN_CHANGES_MAX), 'instead of a policy: what shall be written, in this order'),
  ),
  prune: maybe(described(Flag, 'also delete objects removed from the policy')),
  cascade: maybe(
    described(Flag, 'also delete facts that the policy does not manage, where objects they need are deleted'),
  ),
}

export const page = maybe(described(Text, '`next` of an answer: the page of changed access after it'))

export const PlanRequest = named('PlanRequest', closed({ ...what, page }))
export type PlanRequest = Static<typeof PlanRequest>

const PolicyText = closed({
  name: described(Text, 'how problems name the file, such as its path'),
  text: described(Text, 'YAML or JSON'),
})

export const PolicyTexts = named(
  'PolicyTexts',
  closed({ files: described(listOf(PolicyText, POLICY_FILES_MAX), 'together one policy'), prune: what.prune }),
)
export type PolicyTexts = Static<typeof PolicyTexts>

const PlaceInFile = open({
  file: Text,
  line: described(Count, 'from 1'),
  column: described(Count, 'from 1, in UTF-16 code units'),
  length: described(Count, 'characters of the line that are meant'),
})

export const CheckedPolicy = named(
  'CheckedPolicy',
  open({
    policy: described(nullable(PolicyFile), 'all files as one policy, for `plan` and `apply`; null with an error'),
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
  fingerprints: maybe(described(Fingerprints, 'those of a plan: refused when one of its objects changed since')),
  expected: maybe(
    described(AccessDiff, '`policy` and `access` of a plan: refused when more access would change than that'),
  ),
  force: maybe(described(Flag, 'also when more access changes than expected')),
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
    fields: described(
      mapOf(listOf(AnyJson)),
      'each field that changes: before and after, null where it has its default',
    ),
  }),
)

const Counted = listOf(open({ kind: Text, count: Count }))

const Outside = named(
  'PlanOutside',
  open({
    kind: Kind,
    key: Text,
    by: described(nullable(Text), 'name or id of the API key, name of the user, or the operation of the command line'),
    revision: described(nullable(Count), 'null when it is further back than a plan looks'),
    at: nullable(Time),
  }),
)

export const Plan = named(
  'Plan',
  open({
    revision: described(Count, 'of the environment that it was compared with; after `apply` the new one'),
    changes: described(listOf(Entry), `objects that change, the first ${PLAN_ENTRIES_MAX.toLocaleString('en-US')}`),
    more: described(Count, 'objects that change besides'),
    ...membersOf(AccessDiff, 'policy', 'access'),
    fingerprints: described(Fingerprints, 'of the objects that change, as they are; null where there is none'),
    cascade: described(Counted, 'facts that are also deleted and that the policy does not manage'),
    carried: described(Counted, 'facts that move with a moved object'),
    outside: described(listOf(Outside), 'objects that others changed since this policy was last applied'),
    suggested: described(listOf(Moved), 'deletes and creates that look like one object with another key: say `moved`'),
  }),
)
export type Plan = Static<typeof Plan>
