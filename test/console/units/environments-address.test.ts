// The addresses of the pages that compare and copy environments, and the policy that a comparison plans.

import { expect, it } from 'vitest'
import {
  nameBeside,
  parseCopySearch,
  parseEnvironmentPath,
} from '../../../console/src/pages/environments/environments-search.ts'
import { everythingManaged } from '../../../console/src/pages/environments/everything-managed.ts'
import { FACT_KINDS, POLICY_KINDS } from '../../../src/model/policy-kinds.ts'

const open = { p: 'shop', e: 'staging' }

it('environments are named as in the command line', () => {
  expect(parseEnvironmentPath(' production ', open)).toEqual({ p: 'shop', e: 'production' })
  expect(parseEnvironmentPath('billing/production', open)).toEqual({ p: 'billing', e: 'production' })
  for (const name of ['', ' ', '/', 'billing/', '/production', 'a/b/c'])
    expect(parseEnvironmentPath(name, open)).toBeUndefined()
  for (const name of ['production', 'billing/production'])
    expect(nameBeside(parseEnvironmentPath(name, open)!, open)).toBe(name)
})

it('the address holds what is copied where, and nothing else', () => {
  expect(parseCopySearch({ to: 7, new: true, overwrite: true })).toEqual({ to: '7', new: true, overwrite: true })
  expect(parseCopySearch({ to: '', new: 'yes', overwrite: false, more: 1 })).toEqual({})
})

it('a comparison covers every kind of the schema, and leaves out a policy that names nothing', () => {
  const managed = everythingManaged({ zerohop: 2, roles: [{ key: 'viewer' }] } as never)
  const kinds = managed?.manages?.map(({ kind }) => kind)
  expect(kinds).toEqual(POLICY_KINDS.filter((kind) => !FACT_KINDS.has(kind)))
  expect(everythingManaged({ zerohop: 2, roles: [], user_attributes: {} } as never)).toBeUndefined()
})
