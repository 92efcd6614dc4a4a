// The definition of access on request (docs/access-requests.md), plain and slow: a world in which users ask for roles,
// and what each step makes of it. It shares nothing with the engine; times are in ms.

const WEEK = 7 * 24 * 3_600_000

export interface RefRole {
  readonly key: string
  by: 'members' | 'everybody'
  approvers: string[]
  /** seconds */
  most: number
  auto: boolean
  /** the tenant whose role it is (D18) */
  readonly own?: string
}
export interface RefRequest {
  readonly id: number
  readonly made: number
  readonly user: string
  readonly role: string
  readonly tenant: string
  readonly seconds?: number
  readonly until?: number
  state: 'pending' | 'approved' | 'denied' | 'cancelled' | 'revoked' | 'superseded'
  end?: number
  before?: number | undefined
  auto?: boolean
}
export interface RefGrant {
  until: number
  /** the request that it comes from */
  from: number | undefined
}
/** What came of a step: nothing to say, or the code of the refusal. */
export type Outcome = 'ok' | string

export class RefWorld {
  now = 0
  readonly users = new Map<string, { suspended: boolean }>()
  readonly tenants = new Set<string>()
  /** every role; those that can be asked for have a rule */
  readonly roles = new Map<string, RefRole | null>()
  /** user/role/tenant → grant; one that has ended stays until it is written again */
  readonly grants = new Map<string, RefGrant>()
  /** user/tenant: users who were put into a tenant */
  readonly members = new Set<string>()
  readonly requests: RefRequest[] = []
  /** the permissions of each role */
  readonly gives = new Map<string, readonly string[]>()

  static key = (user: string, role: string, tenant: string): string => `${user}/${role}/${tenant}`

  inForce(user: string, role: string, tenant: string): boolean {
    const grant = this.grants.get(RefWorld.key(user, role, tenant))
    return grant !== undefined && this.now < grant.until
  }

  isMember(user: string, tenant: string): boolean {
    if (this.members.has(`${user}/${tenant}`)) return true
    return [...this.grants.keys()].some((key) => key.startsWith(`${user}/`) && key.endsWith(`/${tenant}`))
  }

  state(request: RefRequest): string {
    if (request.state === 'pending' && this.now >= request.made + WEEK) return 'expired'
    if (request.state === 'approved' && this.now >= request.end!) return 'ended'
    return request.state
  }

  #acts(user: string): Outcome {
    const found = this.users.get(user)
    if (found === undefined) return 'OBJECT_NOT_FOUND'
    return found.suspended ? 'REQUEST_REFUSED' : 'ok'
  }

  #approves(user: string, request: RefRequest): boolean {
    if (user === request.user) return false
    const approvers = this.roles.get(request.role)?.approvers ?? []
    return approvers.some((role) => this.inForce(user, role, request.tenant))
  }

  /** Whether the user has all that the role gives, by roles in the tenant: who approves a role of a tenant assigns it. */
  #hasAll(user: string, role: string, tenant: string): boolean {
    const held = [...this.roles.keys()].filter((one) => this.inForce(user, one, tenant))
    const has = new Set(held.flatMap((one) => this.gives.get(one) ?? []))
    return (this.gives.get(role) ?? []).every((permission) => has.has(permission))
  }

  /** Nobody offers the permission any more: roles of tenants lose it. */
  withdraw(permission: string): void {
    for (const [role, rule] of this.roles)
      if (rule?.own !== undefined) this.gives.set(role, this.gives.get(role)?.filter((one) => one !== permission) ?? [])
  }

  #end(request: Pick<RefRequest, 'seconds' | 'until'>): number {
    return request.until ?? this.now + request.seconds! * 1000
  }

  /** Why the role cannot be given until then. */
  #refuses(request: RefRequest, end: number): Outcome {
    if (end <= this.now) return 'INPUT_INVALID'
    if (end - this.now > (this.roles.get(request.role)?.most ?? 0) * 1000) return 'INPUT_INVALID'
    const grant = this.grants.get(RefWorld.key(request.user, request.role, request.tenant))
    if (grant !== undefined && this.now < grant.until && grant.until >= end) return 'ROLE_HELD'
    return 'ok'
  }

  #give(request: RefRequest, end: number): void {
    const key = RefWorld.key(request.user, request.role, request.tenant)
    const grant = this.grants.get(key)
    if (grant !== undefined && this.now < grant.until) {
      const earlier = grant.from === undefined ? undefined : this.requests[grant.from]
      request.before = earlier === undefined ? grant.until : earlier.before
      if (earlier !== undefined) earlier.state = 'superseded'
    }
    request.state = 'approved'
    request.end = end
    this.grants.set(key, { until: end, from: request.id })
  }

  create(
    user: string,
    role: string,
    tenant: string,
    time: { readonly seconds?: number; readonly until?: number },
    hasReason: boolean,
  ): Outcome {
    const acts = this.#acts(user)
    if (acts !== 'ok') return acts
    if (!this.roles.has(role)) return 'OBJECT_NOT_FOUND'
    const rule = this.roles.get(role)
    if (!rule) return 'REQUEST_REFUSED'
    if (rule.own !== undefined && rule.own !== tenant) return 'OBJECT_NOT_FOUND'
    const isKnown = this.tenants.has(tenant) && (rule.by === 'everybody' || this.isMember(user, tenant))
    if (!isKnown) return 'OBJECT_NOT_FOUND'
    if (rule.auto && !hasReason) return 'INPUT_INVALID'
    const isSame = (one: RefRequest) =>
      one.user === user && one.role === role && one.tenant === tenant && this.state(one) === 'pending'
    if (this.requests.some(isSame)) return 'REQUEST_PENDING'
    const request: RefRequest = {
      id: this.requests.length,
      made: this.now,
      user,
      role,
      tenant,
      ...time,
      state: 'pending',
    }
    const end = this.#end(request)
    const refused = this.#refuses(request, end)
    if (refused !== 'ok') return refused
    if (rule.auto) {
      const grant = this.grants.get(RefWorld.key(user, role, tenant))
      const earlier = grant?.from === undefined ? undefined : this.requests[grant.from]
      if (grant !== undefined && this.now < grant.until && earlier?.auto) return 'ROLE_HELD'
      request.auto = true
      this.#give(request, end)
    }
    this.requests.push(request)
    return 'ok'
  }

  approve(request: RefRequest, user: string, seconds?: number): Outcome {
    const acts = this.#acts(user)
    if (acts !== 'ok') return acts
    if (!this.#approves(user, request)) return 'REQUEST_REFUSED'
    if (this.state(request) !== 'pending') return 'REQUEST_STATE'
    const rule = this.roles.get(request.role)
    if (!rule || (rule.by === 'members' && !this.isMember(request.user, request.tenant))) return 'REQUEST_REFUSED'
    if (rule.own !== undefined && !this.#hasAll(user, request.role, request.tenant)) return 'BEYOND_OWN_ROLES'
    const asked = this.#end(request)
    if (asked <= this.now) return 'INPUT_INVALID'
    const end = seconds === undefined ? asked : this.now + seconds * 1000
    if (end > asked) return 'INPUT_INVALID'
    const refused = this.#refuses(request, end)
    if (refused !== 'ok') return refused
    this.#give(request, end)
    return 'ok'
  }

  deny(request: RefRequest, user: string): Outcome {
    const acts = this.#acts(user)
    if (acts !== 'ok') return acts
    if (!this.#approves(user, request)) return 'REQUEST_REFUSED'
    if (this.state(request) !== 'pending') return 'REQUEST_STATE'
    request.state = 'denied'
    return 'ok'
  }

  cancel(request: RefRequest, user: string): Outcome {
    const acts = this.#acts(user)
    if (acts !== 'ok') return acts
    if (user !== request.user) return 'REQUEST_REFUSED'
    if (this.state(request) !== 'pending') return 'REQUEST_STATE'
    request.state = 'cancelled'
    return 'ok'
  }

  revoke(request: RefRequest, user: string): Outcome {
    const acts = this.#acts(user)
    if (acts !== 'ok') return acts
    if (user !== request.user && !this.#approves(user, request)) return 'REQUEST_REFUSED'
    if (this.state(request) !== 'approved') return 'REQUEST_STATE'
    request.state = 'revoked'
    const key = RefWorld.key(request.user, request.role, request.tenant)
    if (request.before !== undefined && this.now < request.before)
      this.grants.set(key, { until: request.before, from: undefined })
    else this.grants.delete(key)
    return 'ok'
  }

  /** A write of the assignment by other means than a request. */
  put(user: string, role: string, tenant: string, until: number): Outcome {
    if (!this.users.has(user) || !this.roles.has(role) || !this.tenants.has(tenant)) return 'OBJECT_NOT_FOUND'
    if ((this.roles.get(role)?.own ?? tenant) !== tenant) return 'ROLE_OF_OTHER_TENANT'
    const key = RefWorld.key(user, role, tenant)
    if (this.grants.get(key)?.until === until) return 'ok' // nothing changes
    this.#leave(key, 'superseded')
    this.grants.set(key, { until, from: undefined })
    return 'ok'
  }

  unassign(user: string, role: string, tenant: string): Outcome {
    const key = RefWorld.key(user, role, tenant)
    if (!this.users.has(user) || !this.roles.has(role) || !this.tenants.has(tenant)) return 'OBJECT_NOT_FOUND'
    if ((this.roles.get(role)?.own ?? tenant) !== tenant) return 'ROLE_OF_OTHER_TENANT'
    if (!this.grants.has(key)) return 'OBJECT_NOT_FOUND'
    this.#leave(key, 'superseded')
    this.grants.delete(key)
    return 'ok'
  }

  removeUser(user: string): void {
    this.users.delete(user)
    this.#forget((one) => one === user, 0)
    for (const member of [...this.members]) if (member.startsWith(`${user}/`)) this.members.delete(member)
  }

  removeRole(role: string): void {
    this.roles.delete(role)
    for (const rule of this.roles.values())
      if (rule) rule.approvers = rule.approvers.filter((approver) => approver !== role)
    this.#forget((one) => one === role, 1)
  }

  removeTenant(tenant: string): void {
    this.tenants.delete(tenant)
    this.#forget((one) => one === tenant, 2)
    for (const [role, rule] of this.roles) if (rule?.own === tenant) this.removeRole(role)
    for (const member of [...this.members]) if (member.endsWith(`/${tenant}`)) this.members.delete(member)
  }

  /** Nothing stays open that names what is gone: `part` of a key names it. */
  #forget(isGone: (part: string) => boolean, part: 0 | 1 | 2): void {
    for (const key of [...this.grants.keys()]) {
      if (!isGone(key.split('/')[part]!)) continue
      this.#leave(key, 'cancelled')
      this.grants.delete(key)
    }
    for (const request of this.requests)
      if (this.state(request) === 'pending' && isGone([request.user, request.role, request.tenant][part]!))
        request.state = 'cancelled'
  }

  /** The request that the grant comes from, which ends before its time. */
  #leave(key: string, state: 'superseded' | 'cancelled'): void {
    const from = this.grants.get(key)?.from
    const request = from === undefined ? undefined : this.requests[from]
    if (request !== undefined && this.state(request) === 'approved') request.state = state
  }
}
