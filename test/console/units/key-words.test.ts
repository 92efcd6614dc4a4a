// The texts about API keys: names, places, ends, and lines that start a PDP, which contain no secret.
import { expect, it } from 'vitest'
import { endAfter, markOfEnd, nameOfKey, pdpLines, reachOfKey } from '../../../console/src/pages/keys/key-words.ts'

const ID = 'abcdef0123456789abcdef0123456789'
type Reach = Parameters<typeof reachOfKey>[0]

it('a key is called by its name, by what it is for, or by its id', () => {
  expect(nameOfKey({ name: 'shop', owner_type: 'member', id: ID })).toBe('shop')
  expect(nameOfKey({ name: null, owner_type: 'pdp_config', id: ID })).toBe('PDP of the environment')
  expect(nameOfKey({ name: null, owner_type: 'member', id: ID })).toBe('key abcdef01')
})

it('the scope of a key is named, also when it was deleted', () => {
  const project = { key: 'shop' }
  expect(reachOfKey({ object_type: 'org', project: null, env: null })).toBe('The organization')
  expect(reachOfKey({ object_type: 'project', project, env: null } as Reach)).toBe('Project shop')
  expect(reachOfKey({ object_type: 'env', project, env: { key: 'live' } } as Reach)).toBe('Environment shop/live')
  expect(reachOfKey({ object_type: 'project', project: null, env: null })).toBe('Project (deleted)')
})

it('the lines that start a PDP ask for the key instead of containing it', () => {
  const [first, ...lines] = pdpLines('https://console.acme.example')
  expect(first?.line).toBe('read -rs PDP_API_KEY && export PDP_API_KEY')
  for (const { line } of lines) expect(line).toMatch(/^(?!.*PDP_API_KEY=).*PDP_CONTROL_PLANE=https:\S+acme/)
})

it('a key that has ended, or ends within a week, is marked', () => {
  const now = Date.UTC(2026, 0, 1)
  const mark = (days: number) => markOfEnd(endAfter(days, now) ?? null, now)
  expect([mark(0), mark(8), mark(7), mark(-1)]).toEqual([undefined, undefined, 'ends soon', 'expired'])
  expect(markOfEnd(new Date(now).toISOString(), now)).toBe('expired')
})
