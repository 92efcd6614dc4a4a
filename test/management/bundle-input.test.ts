// What a file may hold that nobody checked: every place of a bundle with something else in it is applied or refused,
// with the place, and is never half applied; a file by hand that leaves out what is plain is applied twice as well as
// once.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importBundle } from '../../src/management/plan/import.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { OTHERS, placesOf, withAt } from '../support/other-values.ts'
import { type ManagementData, openManagementData } from './harness.ts'

const SOURCE: unknown = JSON.parse(readFileSync(new URL('./bundle.json', import.meta.url), 'utf8'))

describe('a bundle that nobody checked', () => {
  let management: ManagementData
  let next = 0
  const mint = { now: 1_800_000_000_000, id: () => (next++).toString(16).padStart(32, '0'), secret: () => 's' }
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())

  it('is applied, or refused with a place inside it', () => {
    const view = management.view()
    const failures: unknown[] = []
    let refused = 0
    for (const place of placesOf(SOURCE)) {
      for (const other of OTHERS) {
        try {
          importBundle(view, { bundle: withAt(SOURCE, place, other) }, mint)
        } catch (error) {
          if (isZerohopError(error) && error.path?.[0] === 'body') refused++
          else failures.push([place.join('.'), other, String(error)])
        }
      }
    }
    expect(failures).toEqual([])
    expect(refused).toBeGreaterThan(1000)
  })

  it('is applied twice as well as once, however short it is written', async () => {
    const bundle = {
      zerohop: 1,
      resources: [{ key: 'note', actions: { read: {} }, roles: { owner: { permissions: ['read'] } } }],
      roles: [{ key: 'clerk' }],
      set_rules: [{ user_set: 'clerk', permission: 'note:read', resource_set: 'note' }],
      tenants: [{ key: 'acme' }],
      users: [{ key: 'eva' }],
      resource_instances: [{ key: 'one', resource: 'note', tenant: 'acme' }],
      role_assignments: [
        { user: 'eva', role: 'owner', resource_instance: 'note:one' },
        { user: 'eva', role: 'clerk' },
      ],
    }
    expect(await management.run('importBundle', { bundle })).toMatchObject({ changed: 0, deleted: 0 })
    expect(await management.run('importBundle', { bundle })).toEqual({ created: 0, changed: 0, deleted: 0, lines: [] })
  })
})
