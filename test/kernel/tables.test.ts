// Tables under load: enough objects that buckets overflow, split and empty again, which the small worlds of
// test/property never reach. Every invariant is tested by `verify`, every answer against a plain Map.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'

const ENVIRONMENT = 'ab'.repeat(16)
const CHAIN = 'cd'.repeat(32)
const USERS = 3_000
const TENANTS = 7
const ROLES = 40

const users = Array.from({ length: USERS }, (_, index) => `user-${index}`)
const tenants = Array.from({ length: TENANTS }, (_, index) => `tenant-${index}`)
const roles = Array.from({ length: ROLES }, (_, index) => `role-${index}`)

function world(): PolicyChange[] {
  const actions = roles.map((_, index) => `a${index}`)
  return [
    { op: 'put', kind: 'resource', key: 'doc', value: { actions } },
    ...roles.map(
      (key, index): PolicyChange => ({
        op: 'put',
        kind: 'role',
        key,
        value: { permissions: [`doc:a${index}`], extends: [] },
      }),
    ),
    ...tenants.map((key): PolicyChange => ({ op: 'put', kind: 'tenant', key, value: {} })),
    ...users.map((key): PolicyChange => ({ op: 'put', kind: 'user', key, value: {} })),
  ]
}

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

describe.each(['debug', 'release'] as const)('tables of the %s kernel', (kernel) => {
  it.each([1, 2, 3])('stay sound while grants and role sets come and go (seed %i)', (seed) => {
    const image = Image.build(ENVIRONMENT, { revision: 1, chain: CHAIN }, world(), { kernel })
    const held = new Map<string, { user: string; role: string; tenant: string }>()
    const random = numbers(seed)
    let revision = 1
    for (let round = 0; round < 60; round++) {
      const changes = new Map<string, PolicyChange>()
      // Rounds of growth and of shrinking, so that tables split, overflow and empty.
      const growing = round % 6 < 3
      for (let edit = 0; edit < 400; edit++) {
        if (growing) {
          const value = { user: users[random(USERS)]!, role: roles[random(ROLES)]!, tenant: tenants[random(TENANTS)]! }
          const key = `${value.user}/${value.role}/${value.tenant}`
          held.set(key, value)
          changes.set(key, { op: 'put', kind: 'role_assignment', key, value })
        } else {
          const key = [...held.keys()][random(Math.max(1, held.size))]
          if (key === undefined) break
          held.delete(key)
          changes.set(key, { op: 'delete', kind: 'role_assignment', key })
        }
      }
      image.apply({
        environment: ENVIRONMENT,
        from: revision,
        to: ++revision,
        previous: CHAIN,
        chain: CHAIN,
        changes: [...changes.values()],
      })
      image.verify()
    }
    expect(image.stats().assignments).toBe(held.size)
    const wrong: string[] = []
    for (let index = 0; index < 5_000; index++) {
      const [user, tenant, at] = [users[random(USERS)]!, tenants[random(TENANTS)]!, random(ROLES)]
      const key = `${user}/role-${at}/${tenant}`
      if (image.check(user, `a${at}`, 'doc', tenant) !== held.has(key)) wrong.push(key)
    }
    for (const [key, { user, role, tenant }] of held)
      if (!image.check(user, `a${role.slice(5)}`, 'doc', tenant)) wrong.push(key)
    expect(wrong).toEqual([])
    expect(image.compact().stats().garbageBytes).toBeLessThan(image.stats().garbageBytes)
  })
})
