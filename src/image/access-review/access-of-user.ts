// Which roles a user has somewhere, and which actions it is allowed somewhere, without where that is: what lines say
// (lines-of-user.ts), in less work. What many users have in common is found once.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AccessLine } from '../../model/access-line.ts'
import { LISTING_WALK_MAX, LISTING_WHOLE_WORK_MAX } from '../../model/limits.ts'
import type { Inside } from '../access-diff/side.ts'
import { walkInstanceRoles } from '../decide/effective-roles.ts'
import { Evaluator } from '../decide/evaluator.ts'
import { eachGrantOfUser, grantRoleSet, grantScope, roleSetRoles } from '../records/grant.ts'
import { permissionKey, permissionResource } from '../records/permission.ts'
import { resourceKey } from '../records/resource.ts'
import { permissionIdsOfRole, roleType } from '../records/role.ts'
import { symbolTable } from '../records/symbol.ts'
import { LinesByRules, type Rule } from './lines-by-rules.ts'
import { LINE_WORK } from './lines-of-user.ts'

/** What is found of a user; the lists are filled anew for the next one. */
interface Found {
  readonly work: number
  /** false when the user has more than is looked at, or something could not be decided */
  readonly isWhole: boolean
}

/** Numbers of one user, each once. */
class Distinct {
  readonly list: number[] = []
  /** the last user who had a number */
  readonly #users = new Map<number, number>()
  #user = 0

  begin(user: number): void {
    this.list.length = 0
    this.#user = user
  }

  has(number: number): boolean {
    return this.#users.get(number) === this.#user
  }

  add(number: number): void {
    if (this.has(number)) return
    this.#users.set(number, this.#user)
    this.list.push(number)
  }
}

export class AccessOfUser {
  readonly #kernel: Kernel
  readonly #evaluator: Evaluator
  readonly #rules: LinesByRules
  readonly #roles = new Distinct()
  readonly #allowed = new Distinct()
  readonly #conditional = new Distinct()
  /** the roles of a role set, and what a role gives */
  readonly #rolesOfSet = new Map<number, readonly number[]>()
  readonly #permissionsOfRole = new Map<number, readonly number[]>()

  constructor({ kernel, required }: Inside) {
    this.#kernel = kernel
    this.#evaluator = new Evaluator(kernel, required, undefined, LISTING_WHOLE_WORK_MAX)
    const permission = (id: number) => {
      const record = kernel.calls.permissionRecord(id)
      const type = permissionResource(kernel, record)
      const resource = resourceKey(kernel, type)
      return { id, type, resource, action: permissionKey(kernel, record).slice(resource.length + 1) }
    }
    const everything = { kernel, filter: {}, tenant: undefined, instance: undefined, permission }
    this.#rules = new LinesByRules(everything, this.#evaluator, required)
  }

  /** Records of the roles that the user has in tenants, and on instances, assigned or over relations. */
  rolesOf(user: number): Found & { readonly roles: readonly number[] } {
    const kernel = this.#kernel
    const roles = this.#roles
    roles.begin(user)
    let [grants, onInstances] = [0, 0]
    for (const grant of eachGrantOfUser(kernel, user)) {
      grants++
      if (symbolTable(kernel, grantScope(kernel, grant)) !== Table.Tenants) onInstances++
      else for (const role of this.#listRoles(grantRoleSet(kernel, grant))) roles.add(role)
    }
    const walk = onInstances === 0 ? undefined : walkInstanceRoles(kernel, user, LISTING_WALK_MAX)
    for (const held of walk?.rolesByInstance.values() ?? []) for (const role of held) roles.add(role)
    const work = LINE_WORK * (1 + grants + (walk?.rolesByInstance.size ?? 0))
    return { roles: roles.list, work, isWhole: onInstances === 0 || walk !== undefined }
  }

  /** Ids of the permissions that the user is allowed somewhere, and of others that depend on what is sent. */
  permissionsOf(
    user: number,
  ): Found & { readonly allowed: readonly number[]; readonly conditional: readonly number[] } {
    const { roles, work, ...held } = this.rolesOf(user)
    const [allowed, conditional] = [this.#allowed, this.#conditional]
    allowed.begin(user)
    conditional.begin(user)
    for (const role of roles) for (const id of this.#listPermissions(role)) allowed.add(id)
    this.#evaluator.left = LISTING_WHOLE_WORK_MAX
    let { isWhole } = held
    const isOpen = ({ permission }: Rule) => !allowed.has(permission.id)
    for (const { rule, outcome } of this.#rules.outcomes(user, isOpen)) {
      const note = (access: AccessLine['access'] | undefined): void => {
        if (access === 'allowed') allowed.add(rule.permission.id)
        else if (access === 'conditional') conditional.add(rule.permission.id)
        else if (access === 'undecided') isWhole = false
      }
      note(outcome.onType?.access)
      for (const { access } of outcome.onInstances) note(access)
    }
    if (this.#evaluator.left < 0) isWhole = false
    const spent = LISTING_WHOLE_WORK_MAX - this.#evaluator.left + this.#rules.takeShared()
    const others = conditional.list.filter((id) => !allowed.has(id))
    return { allowed: allowed.list, conditional: others, isWhole, work: work + spent }
  }

  #listRoles(set: number): readonly number[] {
    const known = this.#rolesOfSet.get(set) ?? roleSetRoles(this.#kernel, set)
    this.#rolesOfSet.set(set, known)
    return known
  }

  /** A role on instances gives permissions of their type alone. */
  #listPermissions(role: number): readonly number[] {
    let known = this.#permissionsOfRole.get(role)
    if (known === undefined) {
      const kernel = this.#kernel
      const type = roleType(kernel, role)
      const isOfType = (id: number) => permissionResource(kernel, kernel.calls.permissionRecord(id)) === type
      const ids = permissionIdsOfRole(kernel, role)
      known = type === 0 ? ids : ids.filter(isOfType)
      this.#permissionsOfRole.set(role, known)
    }
    return known
  }
}
