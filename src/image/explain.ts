// The same question again, with its reasons: which roles, through which extensions and derivations; for a deny, what is missing
// (contract §5.3 codes). Slower than a check and never on its path. D2 is decided here as in the check.
import { GOAL_BYTES, Goal, Grant, Instance, Party, Role, Table, Verdict, WORK } from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { DEFAULT_TENANT } from '../model/keys.ts'
import { parentsOf, permissionsOf, rolesOf, tenantGrantsOf } from './read.ts'

type Unknown = 'no_such_resource' | 'no_such_action' | 'no_such_tenant' | 'user_not_synced'

/** Why roles in the tenant allow or do not; the words of the contract's `debug`. */
export type RbacCode = Unknown | 'allow' | 'no_user_roles' | 'no_role_in_tenant' | 'no_permission'

/** Why roles on the instance allow or do not; `undecided` where a limit was met. */
export type RebacCode =
  | Unknown
  | 'allow'
  | 'no_such_instance'
  | 'instance_in_other_tenant'
  | 'no_graph_roles'
  | 'no_permission'
  | 'undecided'

/** One reason: the assigned role, and how it comes to have the permission. */
export interface Because {
  readonly source: 'rbac' | 'rebac'
  /** the role assigned to the user */
  readonly role: string
  readonly tenant: string
  /** `type:key` on which the role is assigned; absent for a role in the tenant */
  readonly resource_instance?: string
  /** `resource:action` */
  readonly permission: string
  /**
   * from the assigned role to the one that has the permission attached: through what roles extend (names of roles), for roles on instances
   * through what is derived from them (`type:key#role`)
   */
  readonly path: readonly string[]
}

/** The answer of `explain`. `because` has every assigned role in the tenant that allows, and one path over relations. */
export interface Explanation {
  readonly allow: boolean
  readonly revision: number
  /** the tenant of D2 */
  readonly tenant: string
  readonly code: RbacCode
  readonly rebac: RebacCode
  readonly because: readonly Because[]
  /** roles assigned in the tenant */
  readonly roles: readonly string[]
}

export interface Question {
  readonly user: string
  readonly action: string
  readonly type: string
  /** undefined: that of the stored instance, else `default` (D2) */
  readonly tenant: string | undefined
  readonly key?: string | undefined
}

interface Ids {
  readonly user: number
  readonly tenant: number
  readonly permission: number
  readonly instance: number
}

/** Answers the question from the kernel's own tables (D1–D5). */
export function explainQuestion(kernel: Kernel, revision: number, question: Question): Explanation {
  const instance = instanceId(kernel, question)
  const tenant = tenantOf(kernel, question, instance)
  const asked = { ...question, tenant, permission: `${question.type}:${question.action}` }
  const found = { ...ids(kernel, asked), instance }
  const unknown = unknownName(kernel, question.type, found)
  if (unknown !== undefined) {
    return { allow: false, revision, tenant, code: unknown, rebac: unknown, because: [], roles: [] }
  }
  const rbac = explainRoles(kernel, found, asked)
  const rebac = explainRelations(kernel, found, asked)
  const because = [...rbac.because, ...rebac.because]
  return { allow: because.length > 0, revision, tenant, code: rbac.code, rebac: rebac.code, because, roles: rbac.roles }
}

/** The tenant of D2, by its key. */
export function tenantOf(kernel: Kernel, question: Pick<Question, 'tenant'>, instance: number): string {
  if (question.tenant !== undefined) return question.tenant
  return instance === 0 ? DEFAULT_TENANT : kernel.key(kernel.word(instance + Instance.Tenant), Party.Key)
}

/** The id of the stored instance that the question names, or 0. */
export function instanceId(kernel: Kernel, { type, key }: Pick<Question, 'type' | 'key'>): number {
  const length = key === undefined ? -1 : kernel.writePair(type, key)
  return length > 0 ? kernel.calls.find(Table.Instances, length) : 0
}

interface Asked {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly tenant: string
  readonly permission: string
}

function ids(kernel: Kernel, { user, action, type, tenant }: Asked): Omit<Ids, 'instance'> {
  const pair = kernel.writePair(type, action)
  const permission = pair > 0 ? kernel.calls.findPermission(pair) : 0
  return { permission, tenant: symbol(kernel, Table.Tenants, tenant), user: symbol(kernel, Table.Users, user) }
}

function symbol(kernel: Kernel, table: Table, key: string): number {
  const length = kernel.writeKey(key)
  return length > 0 ? kernel.calls.find(table, length) : 0
}

function unknownName(kernel: Kernel, type: string, { permission, tenant, user }: Ids): Unknown | undefined {
  if (symbol(kernel, Table.Resources, type) === 0) return 'no_such_resource'
  if (permission === 0) return 'no_such_action'
  if (tenant === 0) return 'no_such_tenant'
  return user === 0 ? 'user_not_synced' : undefined
}

/** D4 */
function explainRoles(kernel: Kernel, { user, tenant, permission }: Ids, asked: Asked) {
  const deny = (code: RbacCode, roles: readonly string[] = []) => ({ code, roles, because: [] as Because[] })
  if (tenantGrantsOf(kernel, user).length === 0) return deny('no_user_roles')
  const grant = kernel.calls.grantOf(user, tenant)
  if (grant === 0) return deny('no_role_in_tenant')
  const held = rolesOf(kernel, kernel.word(grant + Grant.Roles))
  const name = (role: number): string => kernel.key(role, Role.Key)
  const because = held
    .filter((role) => kernel.calls.holds(role, permission) === 1)
    .map(
      (role): Because => ({
        source: 'rbac',
        role: name(role),
        tenant: asked.tenant,
        permission: asked.permission,
        path: pathTo(kernel, role, asked.permission).map(name),
      }),
    )
  const roles = held.map(name).sort()
  return because.length === 0 ? deny('no_permission', roles) : { code: 'allow' as const, roles, because }
}

/** The shortest way over `extends` from a role to one that has the permission attached. */
function pathTo(kernel: Kernel, from: number, permission: string): number[] {
  const before = new Map<number, number>([[from, 0]])
  for (const role of before.keys()) {
    if (permissionsOf(kernel, role).includes(permission)) {
      const path: number[] = []
      for (let at = role; at !== 0; at = before.get(at)!) path.unshift(at)
      return path
    }
    for (const parent of parentsOf(kernel, role)) if (!before.has(parent)) before.set(parent, role)
  }
  return [from]
}

/** D5 */
function explainRelations(
  kernel: Kernel,
  { user, tenant, permission, instance }: Ids,
  asked: Asked,
): { code: RebacCode; because: Because[] } {
  const deny = (code: RebacCode) => ({ code, because: [] })
  if (instance === 0) return deny('no_such_instance')
  if (kernel.word(instance + Instance.Tenant) !== tenant) return deny('instance_in_other_tenant')
  switch (kernel.calls.decideRelated(user, tenant, permission, instance)) {
    case Verdict.Allow:
      return { code: 'allow', because: [pathOver(kernel, { user, tenant, permission, instance }, asked)] }
    case Verdict.Undecided:
      return deny('undecided')
    default:
      return deny(
        kernel.calls.decideRelated(user, tenant, 0, instance) === Verdict.Deny ? 'no_graph_roles' : 'no_permission',
      )
  }
}

/** The way from a held role to one on the asked instance, as the search that just allowed has left it in the work area. */
function pathOver(kernel: Kernel, { user, permission, instance }: Ids, { tenant, permission: name }: Asked): Because {
  const steps: [instance: number, role: number][] = []
  for (let number = kernel.calls.goalMet(); number !== 0; ) {
    const goal = WORK + (number - 1) * GOAL_BYTES
    steps.push([kernel.word(goal + Goal.Instance), kernel.word(goal + Goal.Role)])
    number = kernel.word(goal + Goal.From)
  }
  if (steps.length === 0) {
    const grant = kernel.calls.grantOf(user, instance)
    const held = rolesOf(kernel, kernel.word(grant + Grant.Roles))
    steps.push([instance, held.find((role) => kernel.calls.holds(role, permission) === 1)!])
  }
  const keyOf = (at: number): string => kernel.key(at, Instance.Key)
  const bare = (role: number): string => kernel.key(role, Role.Key).replace(/^.*\//, '')
  const extended = pathTo(kernel, steps.at(-1)![1], name).slice(1)
  return {
    source: 'rebac',
    role: bare(steps[0]![1]),
    tenant,
    resource_instance: keyOf(steps[0]![0]),
    permission: name,
    path: [...steps, ...extended.map((role) => [instance, role] as const)].map(
      ([at, role]) => `${keyOf(at)}#${bare(role)}`,
    ),
  }
}
