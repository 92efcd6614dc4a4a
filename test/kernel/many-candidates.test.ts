// Pages of listings with far more candidates than a page holds: a page is looked for among few records in the order of
// keys, and else made of all candidates, or of the instances of many tenants. Joined, the pages are what checks allow,
// however dense that is.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { KeyPage, PageQuery } from '../../src/image/list/list-keys.ts'
import type { PolicyPut } from '../../src/kinds/index.ts'
import { LISTING_TENANTS_MAX } from '../../src/model/limits.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const COUNT = 300
const numbers = Array.from({ length: COUNT }, (_, at) => at)
const name = (kind: string, at: number) => `${kind}-${String(at).padStart(3, '0')}`
const put = (kind: string, key: string, value: object) => ({ op: 'put', kind, key, value }) as unknown as PolicyPut

/** Users of the tenant, and documents on which Ana has a role; both are those with the number, the others are of none. */
function build(isHeld: (at: number) => boolean): Image {
  const held = numbers.filter(isHeld)
  return Image.build(ENVIRONMENT, makePosition(1), [
    put('resource', 'doc', { actions: ['read', 'edit', 'none'] }),
    put('role', 'reader', { permissions: ['doc:read'], extends: [] }),
    put('role', 'guest', { permissions: [], extends: [] }),
    put('resource_role', 'doc/editor', {
      ...{ resource: 'doc', role: 'editor', permissions: ['doc:edit'], extends: [], granted_to: null },
    }),
    put('tenant', 'acme', {}),
    put('tenant', 'other', {}),
    put('user', 'ana', {}),
    ...numbers.map((at) => put('user', name('user', at), {})),
    ...numbers.map((at) =>
      put('resource_instance', `doc:${name('doc', at)}`, { tenant: at % 7 === 0 ? 'other' : 'acme' }),
    ),
    ...numbers.map((at) => {
      const [user, role] = [name('user', at), isHeld(at) ? 'reader' : 'guest']
      return put('role_assignment', `${user}/${role}/acme`, { user, role, tenant: 'acme' })
    }),
    ...held.map((at) => {
      const [instance, tenant] = [`doc:${name('doc', at)}`, at % 7 === 0 ? 'other' : 'acme']
      const value = { user: 'ana', role: 'editor', tenant, resource_instance: instance }
      return put('role_assignment', `ana/editor/${tenant}/${instance}`, value)
    }),
  ])
}

function join(list: (page: PageQuery) => KeyPage, limit: number): string[] {
  const keys: string[] = []
  for (let after: string | undefined; ; ) {
    const page = list({ after, limit })
    expect(page.keys.length).toBeLessThanOrEqual(limit)
    keys.push(...page.keys)
    if (page.next === undefined) return keys
    after = page.next
  }
}

describe.each([
  ['all', () => true],
  ['every third', (at: number) => at % 3 === 0],
  ['the last', (at: number) => at >= COUNT - 60],
  ['none', () => false],
])('where a check allows %s', (_, isHeld) => {
  const image = build(isHeld)

  it.each([1, 7, 20, 100, 1000])('pages of %d have them in the order of keys', (limit) => {
    const { listings } = image
    for (const tenant of [undefined, 'acme', 'other']) {
      const wanted = numbers.filter(
        (at) =>
          isHeld(at) &&
          (tenant ?? image.resolveTenant('doc', undefined, name('doc', at))) === (at % 7 === 0 ? 'other' : 'acme'),
      )
      const found = join(
        (page) => listings.resources('ana', 'edit', { type: 'doc', key: undefined, tenant, sent: undefined }, page),
        limit,
      )
      expect(found).toEqual(wanted.map((at) => name('doc', at)))
    }
    const users = (action: string) =>
      join(
        (page) => listings.users(action, { type: 'doc', key: undefined, tenant: 'acme', sent: undefined }, page),
        limit,
      )
    expect(users('read')).toEqual(numbers.filter(isHeld).map((at) => name('user', at)))
    expect(users('none')).toEqual([])
  })
})

describe('where a user has a role in many tenants', () => {
  const TENANTS = 1_200
  const tenants = Array.from({ length: TENANTS }, (_, at) => `tenant-${String(at).padStart(4, '0')}`)
  /** Of several tenants in turn, so that those of a tenant do not lie together. */
  const docs = ['a', 'b'].flatMap((part) =>
    tenants.map((tenant, at) => [`${part}-${name('doc', at)}`, tenant] as const),
  )
  const USERS: Readonly<Record<string, (at: number) => boolean>> = {
    'in one': (at) => at === 700,
    'in every fifth': (at) => at % 5 === 3,
    'in every third': (at) => at % 3 === 1,
    'in the last ones': (at) => at >= TENANTS - 350,
    'in more than are put into one order': (at) => at < LISTING_TENANTS_MAX + 50,
  }
  const image = Image.build(ENVIRONMENT, makePosition(1), [
    put('resource', 'doc', { actions: ['read'] }),
    put('role', 'reader', { permissions: ['doc:read'], extends: [] }),
    put('resource_role', 'doc/reader', {
      ...{ resource: 'doc', role: 'reader', permissions: ['doc:read'], extends: [], granted_to: null },
    }),
    ...tenants.map((tenant) => put('tenant', tenant, {})),
    ...docs.map(([key, tenant]) => put('resource_instance', `doc:${key}`, { tenant })),
    ...Object.entries(USERS).flatMap(([user, isIn]) => [
      put('user', user, {}),
      ...tenants
        .filter((_, at) => isIn(at))
        .map((tenant) => put('role_assignment', `${user}/reader/${tenant}`, { user, role: 'reader', tenant })),
      // On instances of these tenants and of others, too.
      ...docs.slice(0, 40).map(([key, tenant]) => {
        const value = { user, role: 'reader', tenant, resource_instance: `doc:${key}` }
        return put('role_assignment', `${user}/reader/${tenant}/doc:${key}`, value)
      }),
    ]),
  ])

  it.each(Object.keys(USERS))('%s, pages have the instances that checks allow, in the order of keys', (user) => {
    const allowed = docs.map(([key]) => key).filter((key) => image.check(user, 'read', 'doc', undefined, key))
    for (const limit of [7, 30, 1000]) {
      const about = { type: 'doc', key: undefined, tenant: undefined, sent: undefined }
      expect(join((page) => image.listings.resources(user, 'read', about, page), limit)).toEqual(allowed.toSorted())
    }
  })
})
