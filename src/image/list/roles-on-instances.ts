// The instances on which a user has a role (D5: roles derived over relations), in key order for listings. They are found
// from the assigned roles downwards; of a user who has roles on very many instances that would take too long at once:
// then a listing searches each instance for roles, one after the other.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { LISTING_WALK_MAX, PERMISSIONS_WALK_MAX } from '../../model/limits.ts'
import { findRolesOn, type InstanceRoles, walkInstanceRoles } from '../decide/effective-roles.ts'
import type { Evaluator } from '../decide/evaluator.ts'
import { ownAlone } from '../records/everybody.ts'
import { instanceTenant, instanceType } from '../records/instance.ts'
import { hasResourceRoles } from '../records/role.ts'
import { records } from '../records/tables.ts'

const NONE: readonly number[] = []
/** The work of following a tuple or a role. */
const STEP_WORK = 4

export class RolesOnInstances {
  readonly #evaluator: Evaluator
  readonly #user: number
  readonly #isShared: (tenant: number) => boolean
  readonly #found: InstanceRoles | undefined
  #byType: ReadonlyMap<number, readonly number[]> | undefined

  /**
   * @param walkMax as PERMISSIONS_WALK_MAX
   * @param isShared in which tenants the roles of everybody count too (D16); default: in none
   */
  constructor(
    evaluator: Evaluator,
    user: number,
    walkMax = PERMISSIONS_WALK_MAX,
    isShared: (tenant: number) => boolean = () => false,
  ) {
    this.#evaluator = evaluator
    this.#user = user
    this.#isShared = isShared
    const { kernel } = evaluator
    const isWanted = (instance: number) => isShared(instanceTenant(kernel, instance))
    const walked = walkInstanceRoles(kernel, user, walkMax, { withEverybody: true, isWanted })
    const isTooMany = walked === undefined || 2 * walked.rolesByInstance.size > walkMax
    this.#found = isTooMany ? undefined : walked.rolesByInstance
    evaluator.left -= STEP_WORK * (walkMax - (walked?.left ?? 0))
  }

  /** The types of these instances; of others, too, when the instances are not known. */
  listTypes(): number[] {
    const { kernel } = this.#evaluator
    if (this.#found === undefined)
      return [...records(kernel, Table.Resources)].filter((type) => hasResourceRoles(kernel, type))
    return [...this.#instances(this.#found).keys()]
  }

  /** The instances of the type in any order; undefined when they are not known: each must be asked about. */
  listOf(type: number): readonly number[] | undefined {
    return this.#found && (this.#instances(this.#found).get(type) ?? NONE)
  }

  /** Records of the roles that the user has on the instance. @throws UNDECIDED */
  on(instance: number): readonly number[] {
    if (this.#found !== undefined) return this.#found.get(instance) ?? NONE
    const evaluator = this.#evaluator
    const { kernel } = evaluator
    const withEverybody = this.#isShared(instanceTenant(kernel, instance))
    const hasRole = () => evaluator.hasRoleOn(this.#user, instance)
    if (!(withEverybody ? hasRole() : ownAlone(kernel, hasRole))) return NONE
    const roles = findRolesOn(kernel, this.#user, instance, LISTING_WALK_MAX, { withEverybody })
    if (roles === undefined) throw evaluator.undecidedRoles(this.#user, instance)
    return roles
  }

  #instances(found: InstanceRoles): ReadonlyMap<number, readonly number[]> {
    this.#byType ??= groupByType(this.#evaluator.kernel, found)
    return this.#byType
  }
}

function groupByType(kernel: Kernel, found: InstanceRoles): Map<number, number[]> {
  const byType = new Map<number, number[]>()
  for (const instance of found.keys()) {
    const type = instanceType(kernel, instance)
    const known = byType.get(type)
    if (known === undefined) byType.set(type, [instance])
    else known.push(instance)
  }
  return byType
}
