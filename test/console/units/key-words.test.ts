// What is said of API keys: names, places, and lines that start a PDP, in which a secret stands only when it is given.
import { expect, it } from 'vitest'
import { nameOfKey, pdpLines, reachOfKey } from '../../../console/src/pages/keys/key-words.ts'

const ID = 'abcdef0123456789abcdef0123456789'
type Reach = Parameters<typeof reachOfKey>[0]

it('calls a key by its name, by what it is for, or by its id', () => {
  expect(nameOfKey({ name: 'shop', owner_type: 'member', id: ID })).toBe('shop')
  expect(nameOfKey({ name: null, owner_type: 'pdp_config', id: ID })).toBe('PDP of the environment')
  expect(nameOfKey({ name: null, owner_type: 'member', id: ID })).toBe('key abcdef01')
})

it('says what a key reaches, also when that was deleted', () => {
  const project = { key: 'shop' }
  expect(reachOfKey({ object_type: 'org', project: null, env: null })).toBe('The organization')
  expect(reachOfKey({ object_type: 'project', project, env: null } as Reach)).toBe('Project shop')
  expect(reachOfKey({ object_type: 'env', project, env: { key: 'live' } } as Reach)).toBe('Environment shop/live')
  expect(reachOfKey({ object_type: 'project', project: null, env: null })).toBe('Project (deleted)')
})

it('starts a PDP by the key of the shell, or by the secret that is given', () => {
  const url = 'https://console.acme.example'
  for (const { line } of pdpLines(url)) expect(line).toMatch(/^(?!.*PDP_API_KEY=).*PDP_CONTROL_PLANE=https:\S+acme/)
  for (const { line } of pdpLines(url, 'zh_env_1')) expect(line).toContain('PDP_API_KEY=zh_env_1 ')
})
