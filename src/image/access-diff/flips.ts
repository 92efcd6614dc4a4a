// The flips that an access diff found: counted, grouped and paged as docs/access-diff.md says. Numbers are those of
// twins; texts are read for what is shown only.
import type {
  AccessChange,
  AccessFlip,
  AccessGroup,
  AccessSource,
  Lifecycle,
  RenamedAccess,
} from '../../model/access-diff.ts'
import { ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { ACCESS_FLIPS_MAX, ACCESS_GROUPS_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { type Bucket, type Buckets, countUsers, pickFlips, toAreaNumber } from './flip-buckets.ts'
import type { Meter } from './meter.ts'
import { keyOn, type Objects } from './objects.ts'
import { takeRenamed } from './renamed-flips.ts'
import type { Renames } from './renames.ts'
import { compareSources } from './side.ts'

export type Direction = 'gained' | 'lost'

/** A question by the numbers of twins; no instance on a type. */
export interface AskedNumbers {
  readonly user: number
  readonly permission: number
  readonly tenant: number
  readonly instance: number | undefined
}

/** What is asked for of a direction. */
export interface Page {
  readonly first: number
  /** a cursor; ignored when it is of the other direction */
  readonly after: string | undefined
}

/** A bucket of users of one permission in one tenant, with the texts that order it. */
interface Named extends Bucket {
  readonly resource: string
  readonly action: string
  readonly tenantKey: string
}

const LIFECYCLES: readonly (Lifecycle | undefined)[] = [
  undefined,
  'new_user',
  'deleted_user',
  'new_tenant',
  'deleted_tenant',
  'new_instance',
  'deleted_instance',
]

export class Flips {
  readonly #objects: Objects
  readonly #meter: Meter
  readonly #buckets: Record<Direction, Buckets> = { gained: new Map(), lost: new Map() }
  readonly #sources: AccessSource[] = []
  readonly #sourceNumbers = new Map<string | AccessSource, number>()
  #count = 0

  constructor(objects: Objects, meter: Meter) {
    this.#objects = objects
    this.#meter = meter
  }

  add(direction: Direction, { user, permission, tenant, instance }: AskedNumbers, because: AccessSource): void {
    if (++this.#count > ACCESS_FLIPS_MAX) this.#meter.stop()
    const source = this.#numberSource(because)
    const lifecycle = this.#lifecycle(user, tenant, instance)
    const area = toAreaNumber(permission, tenant)
    const buckets = this.#buckets[direction]
    let inArea = buckets.get(area)
    if (inArea === undefined) {
      inArea = new Map()
      buckets.set(area, inArea)
    }
    const name = source * LIFECYCLES.length + LIFECYCLES.indexOf(lifecycle)
    let bucket = inArea.get(name)
    if (bucket === undefined) {
      bucket = { source, permission, tenant, lifecycle, users: [], instances: undefined }
      inArea.set(name, bucket)
    }
    if (instance !== undefined && bucket.instances === undefined)
      bucket.instances = Array.from({ length: bucket.users.length })
    bucket.users.push(user)
    bucket.instances?.push(instance)
  }

  /** Equal sources have one number; most come as the same object. */
  #numberSource(because: AccessSource): number {
    const known = this.#sourceNumbers.get(because)
    if (known !== undefined) return known
    const name = JSON.stringify([because.kind, because.role, because.user_set, because.resource_set])
    const number = this.#sourceNumbers.get(name) ?? this.#sources.push(because) - 1
    this.#sourceNumbers.set(name, number)
    this.#sourceNumbers.set(because, number)
    return number
  }

  #lifecycle(user: number, tenant: number, instance: number | undefined): Lifecycle | undefined {
    const { users, tenants, instances } = this.#objects
    const ofUser = users.lacking(user)
    const isUser = ofUser !== undefined && users.key(user) !== EVERYBODY // everybody is neither new nor deleted
    if (isUser) return /* canary: new-users */ ofUser === 0 ? 'new_user' : 'deleted_user'
    const ofTenant = tenants.lacking(tenant)
    if (ofTenant !== undefined) return ofTenant === 0 ? 'new_tenant' : 'deleted_tenant'
    const ofInstance = instance === undefined ? undefined : instances.lacking(instance)
    if (ofInstance !== undefined) return ofInstance === 0 ? 'new_instance' : 'deleted_instance'
    return undefined
  }

  /** Marks those for which conditions that read the time are enough: they are in groups of their own. */
  markConditions(isByCondition: (direction: Direction, asked: AskedNumbers) => boolean): void {
    for (const direction of ['gained', 'lost'] as const) {
      for (const inArea of this.#buckets[direction].values()) {
        for (const [name, bucket] of [...inArea]) {
          const { permission, tenant, users, instances } = bucket
          const [marked, others]: [number[], number[]] = [[], []]
          for (const [at, user] of users.entries()) {
            const asked = { user, permission, tenant, instance: instances?.[at] }
            ;(isByCondition(direction, asked) ? marked : others).push(at)
          }
          if (marked.length === 0) continue
          inArea.set(-1 - name, { ...pickFlips(bucket, marked), by: 'condition' })
          if (others.length === 0) inArea.delete(name)
          else inArea.set(name, pickFlips(bucket, others))
        }
      }
    }
  }

  /** Takes out what only has another name. Returns how much that was. */
  takeRenamed(renames: Renames): RenamedAccess {
    return takeRenamed(this.#buckets, this.#objects, renames)
  }

  /** What is known of one direction. @throws INPUT_INVALID for a cursor that no page gave */
  change(direction: Direction, complete: boolean, page: Page): AccessChange {
    const buckets = [...this.#buckets[direction].values()].flatMap((inArea) =>
      [...inArea.values()].map((bucket) => this.#named(bucket)),
    )
    const users = new Set<number>()
    let decisions = 0
    for (const bucket of buckets) {
      decisions += bucket.users.length
      for (const user of bucket.users) users.add(user)
    }
    const everyone = this.#objects.users.named(EVERYBODY)
    const groups = buckets.sort((left, right) => this.#inOrderOfGroups(left, right))
    const shown = groups.slice(0, ACCESS_GROUPS_MAX).map((bucket) => this.#group(bucket, everyone))
    const { first, next } = this.#page(direction, buckets, page)
    const more_groups = groups.length - shown.length
    return { ...countUsers(users, everyone), decisions, complete, groups: shown, more_groups, first, next }
  }

  #named(bucket: Bucket): Named {
    const [resource, action] = this.#objects.permissions.key(bucket.permission).split(':') as [string, string]
    return { ...bucket, resource, action, tenantKey: this.#objects.tenants.key(bucket.tenant) }
  }

  #inOrderOfGroups(left: Named, right: Named): number {
    return (
      compareSources(this.#sources[left.source]!, this.#sources[right.source]!) ||
      compareAreas(left, right) ||
      LIFECYCLES.indexOf(left.lifecycle) - LIFECYCLES.indexOf(right.lifecycle) ||
      Number(left.by !== undefined) - Number(right.by !== undefined)
    )
  }

  #group(
    { source, resource, action, tenantKey, lifecycle, by, users }: Named,
    everyone: number | undefined,
  ): AccessGroup {
    return {
      source: this.#sources[source]!,
      resource,
      action,
      tenant: tenantKey,
      ...(lifecycle === undefined ? {} : { lifecycle }),
      ...(by === undefined ? {} : { by }),
      ...countUsers(new Set(users), everyone),
      decisions: users.length,
    }
  }

  #page(direction: Direction, buckets: readonly Named[], { first: limit, after }: Page) {
    const start = after === undefined ? undefined : decodeCursor(after, direction)
    const first: AccessFlip[] = []
    for (const area of groupByArea(buckets)) {
      const order = start === undefined ? 1 : compareAreas(area[0]!, start)
      if (order < 0) continue
      for (const flip of this.#listFlips(area)) {
        if (order === 0 && compareInArea(flip, start!) <= 0) continue
        if (first.length === limit) return { first, next: encodeCursor(direction, first[limit - 1]!) }
        first.push(flip)
      }
    }
    return { first, next: null }
  }

  /** The flips of one permission in one tenant, in their order. */
  *#listFlips(area: readonly Named[]): Iterable<AccessFlip> {
    const { users } = this.#objects
    const flips = area.flatMap((bucket) =>
      bucket.users.map((user, at) => ({ bucket, user: users.key(user), instance: bucket.instances?.[at] })),
    )
    const findKey = (instance: number | undefined) =>
      instance === undefined ? undefined : keyOn(this.#objects, instance)
    flips.sort(
      (left, right) =>
        compareText(left.user, right.user) || compareText(findKey(left.instance) ?? '', findKey(right.instance) ?? ''),
    )
    for (const { bucket, user, instance } of flips) {
      const { resource: type, action, tenantKey, source, lifecycle, by } = bucket
      const key = findKey(instance)
      yield {
        user,
        action,
        resource: key === undefined ? { type } : { type, key },
        tenant: tenantKey,
        because: this.#sources[source]!,
        ...(lifecycle === undefined ? {} : { lifecycle }),
        ...(by === undefined ? {} : { by }),
      }
    }
  }
}

/** One permission in one tenant. */
interface Area {
  readonly resource: string
  readonly action: string
  readonly tenantKey: string
}

const compareAreas = (left: Area, right: Area): number =>
  compareText(left.resource, right.resource) ||
  compareText(left.action, right.action) ||
  compareText(left.tenantKey, right.tenantKey)

function groupByArea(buckets: readonly Named[]): Named[][] {
  const areas: Named[][] = []
  for (const bucket of buckets.toSorted(compareAreas)) {
    const last = areas.at(-1)
    if (last !== undefined && compareAreas(last[0]!, bucket) === 0) last.push(bucket)
    else areas.push([bucket])
  }
  return areas
}

/** Where a page ended. */
interface Cursor extends Area {
  readonly user: string
  readonly key: string
}

function compareInArea({ user, resource }: AccessFlip, cursor: Cursor): number {
  return compareText(user, cursor.user) || compareText(resource.key ?? '', cursor.key)
}

function encodeCursor(
  direction: Direction,
  { resource: { type, key = '' }, action, tenant, user }: AccessFlip,
): string {
  return Buffer.from(JSON.stringify([direction, type, action, tenant, user, key])).toString('base64url')
}

/** @throws INPUT_INVALID */
function decodeCursor(text: string, direction: Direction): Cursor | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    parts = undefined
  }
  if (!Array.isArray(parts) || parts.length !== 6 || !parts.every((part) => typeof part === 'string'))
    throw new ZerohopError('INPUT_INVALID', { reason: 'the cursor is not one of an access diff' })
  const [of, resource, action, tenantKey, user, key] = parts as [string, string, string, string, string, string]
  return of === direction ? { resource, action, tenantKey, user, key } : undefined
}
