// Pages of listings with far more candidates than a page holds: a page is looked for among few records in the order of
// keys, and else made of all candidates. Joined, the pages are what checks allow, however dense that is.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { KeyPage, PageQuery } from '../../src/image/list/list-keys.ts'
import type { PolicyPut } from '../../src/kinds/index.ts'
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
