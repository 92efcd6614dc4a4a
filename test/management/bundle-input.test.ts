// What a file may hold that nobody checked: every place of a bundle with something else in it is applied or refused,
// with the place, and is never half applied; a file by hand that leaves out what is plain is applied twice as well as
// once.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importBundle } from '../../src/management/policy-file/import.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { KEY_BYTES_MAX } from '../../src/model/limits.ts'
import { type ManagementData, openManagementData } from './harness.ts'

type Place = readonly (string | number)[]
const SOURCE: unknown = JSON.parse(readFileSync(new URL('./bundle.json', import.meta.url), 'utf8'))

const OTHERS: readonly unknown[] = [
  null,
  true,
  5,
  -0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'a b',
  'text',
  '__proto__',
  '\ud800',
  'x'.repeat(KEY_BYTES_MAX + 1),
  [],
  [5],
  [null],
  [['text']],
  {},
  { text: 5 },
  { text: null },
  { key: 'text' },
]

/** Every place in a value, with what stands there. */
function* placesOf(value: unknown, at: Place = []): Generator<Place> {
  yield at
  if (typeof value !== 'object' || value === null) return
  for (const [name, inside] of Object.entries(value))
    yield* placesOf(inside, [...at, Array.isArray(value) ? Number(name) : name])
}

/** The value with something else at the place. */
function withAt(value: unknown, [first, ...rest]: Place, other: unknown): unknown {
  if (first === undefined) return other
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
  copy[first] = withAt(copy[first], rest, other)
  return copy
}

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
