// Which users, or which instances of a type, condition sets match: each set by itself, whatever the rules are that use
// it. The kernel evaluates the sets as in a check (D6: set rules), in the order of keys, with bounded work for a page.
import { Table, Verdict } from '../../../assembly/limits.ts'
import { LISTING_WORK_MAX } from '../../model/limits.ts'
import { Evaluator } from '../decide/evaluator.ts'
import type { Sent } from '../decide/required-attributes.ts'
import { resolveTenant } from '../decide/tenant-of-check.ts'
import type { Image } from '../image.ts'
import { findInstance, findPermission, findSymbol } from '../look-up.ts'
import { instancesInTenant, instancesOfType, instanceTenant } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { inOrder } from '../records/tables.ts'
import { type PageQuery, scan } from './list-keys.ts'

/** Sets of one kind, all used by set rules of one permission, so that what they read of a request is known. */
export interface AskedSets {
  readonly of: 'users' | 'instances'
  /** keys of condition sets */
  readonly sets: readonly string[]
  /** the permission whose rules use the sets */
  readonly type: string
  readonly action: string
  /** of instances: the user who is asked about */
  readonly user: string | undefined
  /** of users the tenant of the check; of instances, which are each in their own, only those of this one */
  readonly tenant: string | undefined
  /** of users: the key of the instance, when one is named */
  readonly key: string | undefined
  readonly sent: Sent | undefined
  /** only what some of the sets match and others do not */
  readonly onlyDifferent: boolean
}

export interface SetMatch {
  readonly key: string
  /** in the order of the sets; undecided when the conditions exceed the work of a check */
  readonly verdicts: readonly Verdict[]
}

export interface SetMatches {
  readonly matches: readonly SetMatch[]
  /** users or instances that were looked at */
  readonly examined: number
  /** the key after which the next page begins; undefined on the last page */
  readonly next: string | undefined
}

/** One page. It may be short without being the last: it ends when it has looked at enough. */
export function setMatches(image: Image, asked: AskedSets, page: PageQuery): SetMatches {
  return image.inside(({ kernel, required }) => {
    const evaluator = new Evaluator(kernel, required, asked.sent, LISTING_WORK_MAX)
    const truth = asked.of === 'users' ? ofUsers(evaluator, asked) : ofInstances(evaluator, asked)
    const sets = asked.sets.map((key) => findSymbol(kernel, 'condition_set', key))
    const known = new Map<string, readonly Verdict[]>()
    let examined = 0
    const isShown = (record: number): boolean => {
      examined++
      const verdicts = sets.map((set) => truth.of(set, record))
      const [first] = verdicts
      const isSame = verdicts.every((verdict) => verdict === first)
      if (isSame && (first === Verdict.Deny || asked.onlyDifferent)) return false
      known.set(truth.nameOf(record), verdicts)
      return true
    }
    const { keys, next } = scan(evaluator, truth.records(page.after ?? ''), page.limit, isShown, (_, record) =>
      truth.nameOf(record),
    )
    return { matches: keys.map((key) => ({ key, verdicts: known.get(key) ?? [] })), examined, next }
  }, undefined)
}

/** How the records of a table are asked about. */
interface Truth {
  of(set: number, record: number): Verdict
  nameOf(record: number): string
  /** in key order, those behind a key */
  records(after: string): Iterable<number>
}

function ofUsers(evaluator: Evaluator, asked: AskedSets): Truth {
  const { kernel } = evaluator
  const { type, key, tenant } = asked
  const instance = findInstance(kernel, type, key)
  const within = findSymbol(kernel, 'tenant', resolveTenant(kernel, tenant, instance))
  const permission = findPermission(kernel, type, asked.action)
  return {
    of: (set, user) => evaluator.evaluateSide(set, user, within, permission, instance, key),
    nameOf: (user) => principalKey(kernel, user),
    records: (after) => inOrder(kernel, Table.Users, after),
  }
}

function ofInstances(evaluator: Evaluator, asked: AskedSets): Truth {
  const { kernel } = evaluator
  const { type, tenant, user = '' } = asked
  const typeId = findSymbol(kernel, 'resource', type)
  const [userId, permission] = [findSymbol(kernel, 'user', user), findPermission(kernel, type, asked.action)]
  const within = tenant === undefined ? undefined : findSymbol(kernel, 'tenant', tenant)
  return {
    of: (set, instance) => evaluator.evaluateSide(set, userId, instanceTenant(kernel, instance), permission, instance),
    nameOf: (instance) => evaluator.keyOf(instance),
    records: (after) => {
      const from = `${type}:${after}`
      return within === undefined
        ? instancesOfType(kernel, typeId, from)
        : instancesInTenant(kernel, { type: typeId, tenant: within }, from)
    },
  }
}
