// A directory, its rules and people give what the definition says, whoever writes in which order; and the walks find what
// would be wrong.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCases } from '../../src/management/host/registry.ts'
import { type ManagementData, openManagementData } from '../management/harness.ts'
import { OF_DIRECTORIES, steps, walk } from './directories.ts'
import { isFound } from './planted-faults.ts'
import { parameters } from './seed.ts'

let management: ManagementData
beforeAll(async () => {
  management = await openManagementData()
})
afterAll(() => management.close())

describe('a directory', () => {
  it('gives, and leaves to others, what the definition says, in random walks', () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(steps, (drawn) => walk(management.view(), useCases, drawn, seen)),
      parameters(80),
    )
    const wanted = ['give ok', 'give OBJECT_EXISTS', 'switch ok', 'take ok', 'group ok', 'group SCIM_INVALID', 'add ok']
    const more = ['remove ok', 'rename ok', 'ungroup ok', 'rule ok', 'rule OBJECT_EXISTS', 'unrule ok', 'assign ok']
    const byHand = ['unassign ok', 'unassign CLAIMED_BY_OTHERS', 'suspend ok', 'resume ok', 'describe ok', 'make ok']
    const ofDepartments = ['tell ok', 'tell OBJECT_NOT_FOUND', 'edit ok']
    expect([...wanted, ...more, ...byHand, ...ofDepartments].filter((what) => !seen.has(what))).toEqual([])
  })

  it.each(Object.entries(OF_DIRECTORIES))('the walks find a fault: %s', async (tag, wrong) => {
    const walks = { steps, walk, below: management.view(), runs: 40 }
    expect(await isFound('src/management/rules/claims.ts', tag, wrong, walks)).toBe(true)
  })
})
