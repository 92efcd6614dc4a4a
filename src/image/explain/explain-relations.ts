// Why roles on an instance allow or deny (D5: roles derived over relations), with one path over relations from the
// assigned role to the role that has the permission.
import { GOAL_BYTES, Goal, Grant, Instance, Role, Verdict, WORK } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { rolesOf } from '../read-records.ts'
import { pathTo } from './explain-roles.ts'
import type { Because, RebacCode } from './explanation.ts'

interface Asked {
  readonly user: number
  readonly tenant: number
  readonly permission: number
  readonly instance: number
}
interface Named {
  readonly tenant: string
  readonly permission: string
}

export function explainRelations(
  kernel: Kernel,
  { user, tenant, permission, instance }: Asked,
  named: Named,
): { code: RebacCode; because: Because[] } {
  const deny = (code: RebacCode) => ({ code, because: [] })
  if (instance === 0) return deny('no_such_instance')
  if (kernel.word(instance + Instance.Tenant) !== tenant) return deny('instance_in_other_tenant')
  switch (kernel.calls.decideRelated(user, tenant, permission, instance)) {
    case Verdict.Allow:
      return { code: 'allow', because: [pathOver(kernel, { user, tenant, permission, instance }, named)] }
    case Verdict.Undecided:
      return deny('undecided')
    default:
      return deny(
        kernel.calls.decideRelated(user, tenant, 0, instance) === Verdict.Deny ? 'no_graph_roles' : 'no_permission',
      )
  }
}

/**
 * The path from an assigned role to a role on the instance, as the search that has just allowed left it in the work
 * area.
 */
function pathOver(kernel: Kernel, { user, permission, instance }: Asked, { tenant, permission: name }: Named): Because {
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
