// Leaves out the objects that changes name, but that decisions read the same of in both images: a renamed user, tenant
// or set costs nothing. Roles and types are compared where they are followed.

import { objectAt, textAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findSymbol } from '../look-up.ts'
import {
  conditionSetJson,
  conditionSetKey,
  conditionSetKind,
  conditionSetParent,
  conditionSetResource,
} from '../records/condition-set.ts'
import { instanceTenant } from '../records/instance.ts'
import { principalAttributes } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import type { Changed } from './changed.ts'
import type { Questions } from './questions.ts'
import { SIDES, type SideNumber, type Twins } from './twins.ts'

/** The changed objects for which decisions read something other than before. */
export function reallyChanged(questions: Questions, changed: Changed): Changed {
  const { users, tenants, instances, sides } = questions
  const serializeAttributes = (side: SideNumber, id: number): string => {
    const { kernel } = sides[side]
    return JSON.stringify(objectAt(kernel, principalAttributes(kernel, id)) ?? {})
  }
  const serializeInstance = (side: SideNumber, id: number): string => {
    const tenant = tenants.of(side, instanceTenant(sides[side].kernel, id))
    return `${tenant} ${serializeAttributes(side, id)}`
  }
  const differing = (keys: ReadonlySet<string>, twins: Twins, textOf: (side: SideNumber, id: number) => string) =>
    new Set([...keys].filter((key) => differs(twins, key, textOf)))
  return {
    ...changed,
    users: differing(changed.users, users, serializeAttributes),
    tenants: differing(changed.tenants, tenants, serializeAttributes),
    instances: differing(changed.instances, instances, serializeInstance),
    sets: new Set(
      [...changed.sets].filter((key) => serializeSet(sides[0].kernel, key) !== serializeSet(sides[1].kernel, key)),
    ),
  }
}

/** Whether an object is in one image only, or says something else there. One that is in neither does not count. */
function differs(twins: Twins, key: string, textOf: (side: SideNumber, id: number) => string): boolean {
  const number = twins.named(key)
  if (number === undefined) return false
  if (!twins.areBoth(number)) return true
  const [before, after] = SIDES.map((side) => textOf(side, twins.id(side, number)))
  return before !== after
}

/** What a set says, as text. */
function serializeSet(kernel: Kernel, key: string): string {
  const set = findSymbol(kernel, 'condition_set', key)
  if (set === 0) return ''
  const [resource, parent] = [conditionSetResource(kernel, set), conditionSetParent(kernel, set)]
  return JSON.stringify([
    conditionSetKind(kernel, set),
    resource === 0 ? null : resourceKey(kernel, resource),
    parent === 0 ? null : conditionSetKey(kernel, parent),
    textAt(kernel, conditionSetJson(kernel, set)),
  ])
}
