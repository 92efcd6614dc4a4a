// What a tenant sees of its environment: its own objects, and the policy by which roles are named. Whoever acts for a
// tenant reads through this view and writes through it too, so no route and no rule has to think of other tenants.
import type { IndexName, KindName, KindOfIndex, Objects, SearchedKind } from '../../kinds/index.ts'
import type { LogId, Position } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { membershipKey } from '../../model/objects.ts'
import { INDEXES } from '../../store/indexes.ts'
import type {
  Placed,
  PlaceRange,
  Places,
  Range,
  Search,
  Span,
  SpanPlace,
  StoredView,
  TenantRole,
  ValueRange,
  View,
  Walk,
  Wanted,
} from '../../store/view.ts'

type Test<K extends KindName> = (object: Objects[K], tenant: string, view: View) => boolean

const isInTenant = (object: { readonly tenant: string }, tenant: string): boolean => object.tenant === tenant
const isPolicy = (): boolean => true

/** Which objects of each kind a tenant sees; `null`: none. A kind that is not here does not compile. */
const SEEN: { readonly [K in KindName]: Test<K> | null } = {
  tenant: ({ key }, tenant) => key === tenant,
  user: ({ key }, tenant, view) => view.get('membership', membershipKey(tenant, key)) !== undefined,
  membership: isInTenant,
  role_assignment: isInTenant,
  user_invite: isInTenant,
  tenant_role: isInTenant,
  resource_instance: isInTenant,
  access_request: ({ tenant_id }, tenant, view) => view.get('tenant', tenant)?.id === tenant_id,
  relationship_tuple: isInTenant,
  group: isInTenant,
  role: isPolicy,
  resource_role: isPolicy,
  resource: isPolicy,
  relation: null,
  action_group: null,
  condition_set: null,
  set_rule: null,
  built_in: null,
  applied_object: null,
  proposal: null,
  sync: null,
  directory_user: null,
  directory_group: null,
  directory_member: null,
  group_rule: null,
  proxy_config: null,
  organization: null,
  project: null,
  environment: null,
  deleted_environment: null,
  api_key: null,
  pdp_config: null,
}

/** True when the object is one of the tenant, or of the policy that it sees. */
export function isSeenBy<K extends KindName>(view: View, tenant: string, kind: K, object: Objects[K]): boolean {
  const test: Test<K> | null = SEEN[kind]
  return test?.(object, tenant, view) ?? false
}

/** What a tenant makes and removes: all else is not its own to change. */
export const MADE: ReadonlySet<KindName> = new Set<KindName>([
  'membership',
  'role_assignment',
  'user_invite',
  'tenant_role',
  'access_request',
])

/** Indexes whose value ends with the key of a tenant, which has no slash: all that is under it is of that tenant. */
const BY_TENANT: ReadonlySet<IndexName> = new Set<IndexName>([
  'memberships_of_tenant',
  'roles_of_tenant',
  'assignments_of_tenant',
  'invites_of_tenant',
  'assignments_of_role_in_tenant',
  'assignments_of_user_in_tenant',
  'instance_assignments_of_user_in_tenant',
])

/**
 * What use cases see that are carried out for a tenant, which is named by its key. Objects of others are as if they were
 * not there, and of users, whom tenants share, no attributes are seen: they are the environment's.
 */
export class TenantView implements View {
  readonly log: LogId
  readonly position: Position
  protected readonly tenant: string
  readonly #view: View

  constructor(view: View, tenant: string) {
    this.#view = view
    this.tenant = tenant
    this.log = view.log
    this.position = view.position
  }

  writtenAt(): number | undefined {
    return this.#view.writtenAt()
  }

  get<K extends KindName>(kind: K, key: string): Objects[K] | undefined {
    return this.seen(kind, this.#view.get(kind, key))
  }

  find<K extends KindName>(kind: K, ref: string): Objects[K] | undefined {
    return this.seen(kind, this.#view.find(kind, ref))
  }

  require<K extends KindName>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K] {
    const found = this.find(kind, ref)
    if (found !== undefined) return found
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
  }

  /** What a tenant cannot make is missing, whether another tenant has it or not. */
  refuse(kind: KindName, key: string): void {
    if (!MADE.has(kind)) throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref: key })
    this.#view.refuse(kind, key)
  }

  /** Of the whole environment: limits are its limits. */
  count(kind: KindName): number {
    return this.#view.count(kind)
  }

  *list<K extends KindName>(kind: K, range: Range = {}): Iterable<Objects[K]> {
    yield* this.#page(kind, this.#view.list(kind), range)
  }

  *by<I extends IndexName>(index: I, value: string, range: Range = {}): Iterable<Objects[KindOfIndex<I>]> {
    const kind: KindOfIndex<I> = INDEXES[index].kind
    if (this.isOwn(index, value)) yield* this.#page(kind, this.#view.by(index, value, range), {})
    else yield* this.#page(kind, this.#view.by(index, value), range)
  }

  countBy(index: IndexName, value: string): number {
    if (this.isOwn(index, value)) return this.#view.countBy(index, value)
    let count = 0
    for (const _ of this.by(index, value)) count++
    return count
  }

  other(log: LogId): View {
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'log', ref: log })
  }

  /** True when nothing of another tenant is under the value. */
  protected isOwn(index: IndexName, value: string): boolean {
    if (!BY_TENANT.has(index)) return false
    return value === this.tenant || value.endsWith(`/${this.tenant}`)
  }

  *#page<K extends KindName>(kind: K, all: Iterable<Objects[K]>, { offset = 0, limit }: Range): Iterable<Objects[K]> {
    let [skip, left] = [offset, limit ?? Number.POSITIVE_INFINITY]
    if (left === 0) return
    for (const one of all) {
      const object = this.seen(kind, one)
      if (object === undefined || skip-- > 0) continue
      yield object
      if (--left === 0) return
    }
  }

  /** The object as the tenant sees it, if it does. */
  protected seen<K extends KindName>(kind: K, object: Objects[K] | undefined): Objects[K] | undefined {
    if (object === undefined || !isSeenBy(this.#view, this.tenant, kind, object)) return undefined
    if (kind !== 'user') return object
    const { claims: _, ...user } = object as Objects['user']
    return { ...user, attributes: {} } as Objects['user'] as Objects[K]
  }
}

/** What the routes of a tenant see: as above, and counts are of what is seen. */
export class StoredTenantView extends TenantView implements StoredView {
  readonly #stored: StoredView

  constructor(view: StoredView, tenant: string) {
    super(view, tenant)
    this.#stored = view
  }

  override count(kind: KindName): number {
    let count = 0
    for (const _ of this.list(kind)) count++
    return count
  }

  without(kind: KindName, places: Places): StoredView {
    return new StoredTenantView(this.#stored.without(kind, places), this.tenant)
  }

  *listPlaced<K extends KindName>(kind: K, { after, ...range }: PlaceRange = {}): Iterable<Placed<Objects[K]>> {
    yield* this.#placed(kind, this.#stored.listPlaced(kind, behind(after)), range)
  }

  *byPlaced<I extends IndexName>(
    index: I,
    value: string,
    range: PlaceRange = {},
  ): Iterable<Placed<Objects[KindOfIndex<I>]>> {
    const kind: KindOfIndex<I> = INDEXES[index].kind
    if (this.isOwn(index, value)) yield* this.#placed(kind, this.#stored.byPlaced(index, value, range), {})
    else yield* this.#placed(kind, this.#stored.byPlaced(index, value, behind(range.after)), range)
  }

  *#placed<K extends KindName>(
    kind: K,
    all: Iterable<Placed<Objects[K]>>,
    { offset = 0, limit = Number.POSITIVE_INFINITY }: Range,
  ): Iterable<Placed<Objects[K]>> {
    let [skip, left] = [offset, limit]
    if (left === 0) return
    for (const { place, object: one } of all) {
      const object = this.seen(kind, one)
      if (object === undefined || skip-- > 0) continue
      yield { place, object }
      if (--left === 0) return
    }
  }

  placesIn(
    span: Span,
    { offset = 0, limit = Number.POSITIVE_INFINITY, after }: Range & { readonly after?: SpanPlace } = {},
  ): number[] {
    const { kind } = INDEXES[span.index]
    const all = this.#stored.placesIn(span, after === undefined ? {} : { after })
    const own = all.filter((place) => this.at(kind, place) !== undefined)
    return own.slice(offset, offset + limit)
  }

  countIn(span: Span): number {
    return this.placesIn(span).length
  }

  placesUnder(values: ValueRange, { limit = Number.POSITIVE_INFINITY }: Pick<Range, 'limit'> = {}): number[] {
    const { kind } = INDEXES[values.index]
    const own = this.#stored.placesUnder(values).filter((place) => this.at(kind, place) !== undefined)
    return own.slice(0, limit)
  }

  countUnder(values: ValueRange, limit?: number): number {
    return this.placesUnder(values, limit === undefined ? {} : { limit }).length
  }

  walk<K extends KindName>(kind: K, values: ValueRange): Walk<Objects[K]> {
    const walk = this.#stored.walk(kind, values)
    const next = (): Objects[K] | undefined => {
      for (let one = walk.next(); one !== undefined; one = walk.next()) {
        const object = this.seen(kind, one)
        if (object !== undefined) return object
      }
      return undefined
    }
    return { revision: walk.revision, next, close: () => walk.close() }
  }

  at<K extends KindName>(kind: K, place: number): Objects[K] | undefined {
    return this.seen(kind, this.#stored.at(kind, place))
  }

  findPlace(kind: KindName, key: string): number | undefined {
    return this.get(kind, key) === undefined ? undefined : this.#stored.findPlace(kind, key)
  }

  tenantRoles(user: string): readonly TenantRole[] {
    return this.#stored.tenantRoles(user).filter(({ tenant }) => tenant === this.tenant)
  }

  search<K extends SearchedKind>(kind: K, wanted: Wanted): Search<Objects[K]> {
    const search = this.#stored.search(kind, wanted)
    return {
      next: (most) => search.next(most)?.filter((place) => this.seen(kind, search.read(place)) !== undefined),
      read: (place) => {
        const object = search.read(place)
        const seen = this.seen(kind, object)
        if (seen === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref: object.key })
        return seen
      },
      findPlace: (of, key) => (this.get(of, key) === undefined ? undefined : search.findPlace(of, key)),
      close: () => search.close(),
    }
  }
}

const behind = (after: number | undefined): PlaceRange => (after === undefined ? {} : { after })
