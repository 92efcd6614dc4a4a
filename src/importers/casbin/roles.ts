// The roles that grants and links result in. A name that others are linked to is a role; every other name is a user, whose
// own permissions are a role of the same key that nobody else has. A role that is the same in every domain is one role
// here; where it differs, the role of each domain gets a name of its own.
import type { ClaimedKeys } from '../frame/claimed-keys.ts'
import { encodeKey } from '../frame/keys.ts'
import type { Grant } from './grants.ts'
import { type Link, Links } from './links.ts'
import type { Range } from './ranges.ts'

/** A role of casbin in one domain. */
export interface RoleThere {
  /** undefined for what everyone may do */
  readonly name: string | undefined
  readonly domain: string | undefined
  readonly grants: Grant[]
  /** names of the roles that it has */
  readonly parents: Set<string>
  key: string
}

const EVERYONE = 'everyone'

export class Roles {
  readonly #there = new Map<string, RoleThere>()
  readonly #names: ReadonlySet<string>
  readonly links: Links

  /** @param links those that can be said */
  constructor(links: Links | undefined, grants: readonly Grant[], keys: ClaimedKeys) {
    this.links = links ?? new Links(false, [])
    this.#names = new Set(this.links.all.map(({ to }) => to))
    const domains = new Set(grants.map(({ domain }) => domain))
    for (const link of this.links.all) if (this.links.hasDomains) domains.add(link.domain)
    for (const domain of domains) for (const link of this.links.listIn(domain)) this.#addLink(link, domain)
    for (const grant of grants) this.#addGrant(grant)
    this.#nameAll(keys)
  }

  get all(): readonly RoleThere[] {
    return [...this.#there.values()]
  }

  isRole(name: string): boolean {
    return this.#names.has(name)
  }

  find(name: string | undefined, domain: string | undefined): RoleThere | undefined {
    return this.#there.get(JSON.stringify([name ?? null, domain ?? null]))
  }

  /** Roles of the domain that have this one, itself among them; not those of single users, who are assigned it. */
  listHolders(role: RoleThere): readonly RoleThere[] {
    if (role.name === undefined) return [role]
    const names = this.links.listLinkedTo(role.name, role.domain, Number.POSITIVE_INFINITY).keys()
    const holders = [...names].filter((name) => name === role.name || this.isRole(name))
    return holders.flatMap((name) => this.find(name, role.domain) ?? [])
  }

  #addLink({ from, to }: Link, domain: string | undefined): void {
    this.#require(to, domain)
    if (this.isRole(from)) this.#require(from, domain).parents.add(to)
  }

  #addGrant(grant: Grant): void {
    const { subject, domain } = grant
    // what only the role itself may do as a subject has no one to be given to
    if (subject.kind === 'name' && this.isRole(subject.name)) return
    this.#require(subject.kind === 'anyone' ? undefined : subject.name, domain).grants.push(grant)
  }

  #require(name: string | undefined, domain: string | undefined): RoleThere {
    const known = this.find(name, domain)
    if (known !== undefined) return known
    const made: RoleThere = { name, domain, grants: [], parents: new Set(), key: '' }
    this.#there.set(JSON.stringify([name ?? null, domain ?? null]), made)
    return made
  }

  #nameAll(keys: ClaimedKeys): void {
    const byName = new Map<string | undefined, RoleThere[]>()
    for (const role of this.all) {
      const known = byName.get(role.name)
      if (known === undefined) byName.set(role.name, [role])
      else known.push(role)
    }
    const same = this.#findSame(byName)
    for (const [name, roles] of byName) {
      const base = name === undefined ? EVERYONE : encodeKey(name)
      const owner = name === undefined ? 'what everyone may do' : `the role \`${name}\``
      for (const role of roles) {
        const isOne = role.domain === undefined || same.has(name)
        const key = isOne ? base : `${base}_${encodeKey(role.domain)}`
        role.key = keys.claim('role', key, isOne ? owner : `${owner} in \`${role.domain}\``)
      }
    }
  }

  /** Names whose roles are equal in each domain, with all that they have from others. */
  #findSame(byName: ReadonlyMap<string | undefined, readonly RoleThere[]>): ReadonlySet<string | undefined> {
    const same = new Set<string | undefined>()
    for (const [name, roles] of byName) if (new Set(roles.map(describe)).size === 1) same.add(name)
    for (let before = -1; before !== same.size; ) {
      before = same.size
      for (const name of same) {
        const parents = byName.get(name)?.[0]?.parents ?? []
        for (const parent of parents) if (!same.has(parent)) same.delete(name)
      }
    }
    return same
  }
}

/** What a role gives, as text: equal for roles that are the same. */
function describe({ grants, parents }: RoleThere): string {
  const given = grants.map(({ object, actions }) => JSON.stringify([formatRange(object), [...actions].sort()]))
  return JSON.stringify([[...new Set(given)].sort(), [...parents].sort()])
}

const formatRange = (range: Range): string =>
  range.kind === 'any'
    ? ''
    : JSON.stringify(range.kind === 'prefix' ? [range.prefix] : { names: [...range.names].sort() })
