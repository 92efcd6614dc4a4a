// The instances of a type that a listing of one user has to look at, in key order: all of some tenants, and of the others
// those on which the user may hold a role. So a page costs what the user may see, however many other tenants there are.
import type { Kernel } from '../../kernel/kernel.ts'
import { compareText } from '../../model/text-order.ts'
import { instancesInTenant, instanceTenant, readInstanceKey } from '../records/instance.ts'

export interface Candidates {
  /** a resource type */
  readonly type: number
  /** all of their instances */
  readonly tenants: ReadonlySet<number>
  /** instances of the type in other tenants, and in these, in any order */
  readonly held: Iterable<number>
}

/** An instance that comes next of its list, and the rest of that list. */
interface Head {
  readonly key: string
  readonly instance: number
  readonly rest: Iterator<number>
}

/** From behind a key (`type:key`) on, each once. */
export function candidatesInOrder(
  kernel: Kernel,
  { type, tenants, held }: Candidates,
  after: string,
): Iterable<number> {
  const lists: Iterable<number>[] = [...tenants].map((tenant) => instancesInTenant(kernel, { type, tenant }, after))
  const others: [key: string, instance: number][] = []
  for (const instance of held) {
    if (tenants.has(instanceTenant(kernel, instance))) continue
    const key = readInstanceKey(kernel, instance)
    if (compareText(key, after) > 0) others.push([key, instance])
  }
  if (others.length > 0) lists.push(others.sort(([left], [right]) => compareText(left, right)).map(([, at]) => at))
  return lists.length === 1 ? lists[0]! : merge(kernel, lists)
}

/** Lists of instances that are each in key order, as one. */
function* merge(kernel: Kernel, lists: readonly Iterable<number>[]): Iterable<number> {
  const readHead = (rest: Iterator<number>): Head | undefined => {
    const { value, done } = rest.next()
    return done ? undefined : { key: readInstanceKey(kernel, value), instance: value, rest }
  }
  // The next one is at the end.
  const heads = lists.map((list) => readHead(list[Symbol.iterator]())).filter((head) => head !== undefined)
  heads.sort((left, right) => compareText(right.key, left.key))
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    yield head.instance
    const next = readHead(head.rest)
    if (next !== undefined) heads.splice(findPlace(heads, next.key), 0, next)
  }
}

/** Where a key belongs among heads, from the last one to the first. */
function findPlace(heads: readonly Head[], key: string): number {
  let low = 0
  let high = heads.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareText(heads[middle]!.key, key) > 0) low = middle + 1
    else high = middle
  }
  return low
}
