// Claims are what the definition says, whatever is written by whom in which order; and the walks find what would be wrong.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCases } from '../../src/management/host/registry.ts'
import { type ManagementData, openManagementData } from '../management/harness.ts'
import { OF_CLAIMS, steps, walk } from './claims.ts'
import { isFound } from './planted-faults.ts'
import { parameters } from './seed.ts'

let management: ManagementData
beforeAll(async () => {
  management = await openManagementData()
})
afterAll(() => management.close())

describe('claims', () => {
  it('are what the definition says, and so is what they give, after every step of random walks', () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(steps, (drawn) => walk(management.view(), useCases, drawn, seen)),
      parameters(160),
    )
    const byHand = ['say ok', 'say OBJECT_EXISTS', 'say CLAIM_TIMES_APART', 'say OBJECT_NOT_FOUND', 'drop ok']
    const refused = ['drop CLAIMED_BY_OTHERS', 'drop OBJECT_NOT_FOUND', 'gone ok', 'gone CLAIMED_BY_OTHERS', 'user ok']
    const others = ['created', 'changed', 'same', 'blocked'].map((outcome) => `say ${outcome}`)
    const dropped = ['deleted', 'kept', 'missing'].flatMap((outcome) => [`drop ${outcome}`, `gone ${outcome}`])
    const wanted = [
      ...[...byHand, ...refused].map((what) => `hand ${what}`),
      ...[...others, ...dropped, 'gone blocked', 'user created', 'user same'].map((what) => `other ${what}`),
    ]
    expect(wanted.filter((what) => !seen.has(what))).toEqual([])
  })

  it('of a membership that came with a role are there without the role', () => {
    const story: Parameters<typeof walk>[2] = [
      { do: 'user', by: 'directory', user: 'ben' },
      { do: 'say', by: 'hand', fact: 'role ben', times: {}, over: 'post' },
      { do: 'say', by: 'directory', fact: 'member ben', times: {}, over: 'post' },
      { do: 'drop', by: 'hand', fact: 'role ben' },
    ]
    expect(() => walk(management.view(), useCases, story)).not.toThrow()
  })

  it.each(Object.entries(OF_CLAIMS))('the walks find a fault: %s', async (tag, wrong) => {
    const walks = { steps, walk, below: management.view(), runs: 100 }
    expect(await isFound('src/management/rules/claims.ts', tag, wrong, walks)).toBe(true)
  })
})
