// The lines about what may change: one for each permission and pair of conditions, with the users and tenants for whom
// that is so.
import type { ConditionalChange } from '../../model/access-diff.ts'
import { CONDITIONAL_FIRST_MAX, CONDITIONAL_LINES_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import type { Objects } from './objects.ts'

/** When a permission is allowed before and after, as text; `name` tells different pairs with the same text apart. */
export interface LineTexts {
  readonly name: string
  texts(): readonly [before: string, after: string]
}

interface Line {
  readonly permission: number
  readonly texts: readonly [before: string, after: string]
  readonly users: Set<number>
  readonly tenants: Set<number>
}

export class ConditionalLines {
  readonly #objects: Objects
  /** by permission and the name of the pair */
  readonly #lines = new Map<number, Map<string, Line>>()
  #count = 0
  /** permissions about which not everything was looked at */
  readonly #open = new Set<number>()
  /** false when there are more lines than the limit allows */
  complete = true

  constructor(objects: Objects) {
    this.#objects = objects
  }

  add(permission: number, pair: LineTexts, users: Iterable<number>, tenants: Iterable<number>): void {
    let lines = this.#lines.get(permission)
    if (lines === undefined) {
      lines = new Map()
      this.#lines.set(permission, lines)
    }
    let line = lines.get(pair.name)
    if (line === undefined) {
      if (this.#count >= CONDITIONAL_LINES_MAX) {
        this.complete = false
        return
      }
      line = { permission, texts: pair.texts(), users: new Set(), tenants: new Set() }
      lines.set(pair.name, line)
      this.#count++
    }
    for (const user of users) line.users.add(user)
    for (const tenant of tenants) line.tenants.add(tenant)
  }

  /** Says that not everything was looked at about the permission. */
  leaveOpen(permission: number): void {
    this.complete = false
    this.#open.add(permission)
  }

  /** Sorted by resource, action and conditions. */
  changes(): ConditionalChange[] {
    const { permissions, users, tenants } = this.#objects
    const lines = [...this.#lines.values()].flatMap((ofPermission) => [...ofPermission.values()])
    const found = lines.map(({ permission, texts: [before, after], ...who }): ConditionalChange => {
      const [resource = '', action = ''] = permissions.key(permission).split(':')
      return {
        resource,
        action,
        before,
        after,
        tenants: who.tenants.size,
        first_tenants: first(who.tenants, (tenant) => tenants.key(tenant)),
        users: who.users.size,
        first: first(who.users, (user) => users.key(user)),
        complete: !this.#open.has(permission),
      }
    })
    return found.sort(
      (left, right) =>
        compareText(left.resource, right.resource) ||
        compareText(left.action, right.action) ||
        compareText(left.before, right.before) ||
        compareText(left.after, right.after) ||
        compareText(left.first[0] ?? '', right.first[0] ?? ''),
    )
  }
}

/** The first by key. */
function first(numbers: ReadonlySet<number>, keyOf: (number: number) => string): string[] {
  let found: string[] = []
  for (const number of numbers) {
    found.push(keyOf(number))
    if (found.length >= SORTED_AT) found = found.sort(compareText).slice(0, CONDITIONAL_FIRST_MAX)
  }
  return found.sort(compareText).slice(0, CONDITIONAL_FIRST_MAX)
}
const SORTED_AT = 1_000
