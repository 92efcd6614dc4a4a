// The ids of the keys that checks name, kept from one question to the next. What is kept is live: `forget` lets go of
// the ids of what a delta deletes, before the next question. "Unknown" is never kept.
import { Table } from '../../assembly/limits.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { DEFAULT_TENANT } from '../model/keys.ts'
import { Lookaside, PairLookaside } from './decide/lookaside.ts'
import { findPermission, findRelation, findWritten } from './look-up.ts'
import type { Plan } from './update/prepare.ts'

/** What of a delta can end an object that checks name. */
type Ending = Pick<Plan, 'gone' | 'resources'>

export class LiveIds {
  readonly #kernel: Kernel
  readonly #users = new Lookaside('users')
  readonly #tenants = new Lookaside('tenants')
  #permissions = new PairLookaside()
  readonly #relations = new PairLookaside()
  // mostly those of the last question
  #lastTenant = ''
  #lastTenantId = 0
  #lastType = ''
  #lastRelation = ''
  #lastRelationId = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Id of a user, 0 when unknown. */
  user(key: string): number {
    return this.#users.find(key) || this.#find(Table.Users, key, this.#users)
  }

  /** Id of a tenant, of `default` without a key, 0 when unknown. */
  tenant(key: string = DEFAULT_TENANT): number {
    const last = this.#lastTenant
    const end = key.length - 1
    if (end === last.length - 1 && key.charCodeAt(end) === last.charCodeAt(end) && key === last)
      return this.#lastTenantId
    const id = this.#tenants.find(key) || this.#find(Table.Tenants, key, this.#tenants)
    if (id !== 0) {
      this.#lastTenant = key
      this.#lastTenantId = id
    }
    return id
  }

  /** Id of the permission to do `action` on `type`, 0 when unknown. */
  permission(type: string, action: string): number {
    return this.#permissions.find(type, action) || this.#findPermission(type, action)
  }

  /** Id of a relation of the type that some rule or tuple names, or 0. */
  relation(type: string, relation: string): number {
    const isLast = relation === this.#lastRelation && type === this.#lastType
    const id = isLast
      ? this.#lastRelationId
      : this.#relations.find(type, relation) || this.#findRelation(type, relation)
    if (id === 0) return 0
    this.#lastType = type
    this.#lastRelation = relation
    this.#lastRelationId = id
    // No plan names the relations that it ends: one is over with the last tuple or rule that names it.
    return this.#kernel.isLive(id) ? id : 0
  }

  /** Call after each delta: what it deleted is unknown from now on. */
  forget({ gone, resources }: Ending): void {
    let isTypeGone = resources.length > 0 // a put may leave out an action
    for (const [kind, key] of gone) {
      if (kind === 'user') this.#users.drop(key)
      else if (kind === 'tenant') {
        this.#tenants.drop(key)
        if (key === this.#lastTenant) this.#lastTenant = ''
      } else if (kind === 'resource') isTypeGone = true
    }
    if (isTypeGone) this.#permissions = new PairLookaside()
  }

  #find(table: Table.Users | Table.Tenants, key: string, lookaside: Lookaside): number {
    const id = findWritten(this.#kernel, table, this.#kernel.writeKey(key))
    if (id !== 0) lookaside.keep(key, id)
    return id
  }

  #findPermission(type: string, action: string): number {
    const id = findPermission(this.#kernel, type, action)
    if (id !== 0) this.#permissions.keep(type, action, id)
    return id
  }

  #findRelation(type: string, relation: string): number {
    const id = findRelation(this.#kernel, type, relation)
    if (id !== 0) this.#relations.keep(type, relation, id)
    return id
  }
}
