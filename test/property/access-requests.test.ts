// Access requests are what the definition says, whatever happens in which order; and the walks are long enough to find what
// would be wrong.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRANSITIONS } from '../../src/kinds/access-request.ts'
import { useCases } from '../../src/management/host/registry.ts'
import { type ManagementData, openManagementData } from '../management/harness.ts'
import { OF_REQUESTS, type Seen, steps, walk } from './access-requests.ts'
import { isFound } from './planted-faults.ts'
import { parameters } from './seed.ts'

let management: ManagementData
beforeAll(async () => {
  management = await openManagementData()
})
afterAll(() => management.close())

describe('access requests', () => {
  it('are what the definition says, after every step of random walks', () => {
    const seen: Seen = new Map()
    fc.assert(
      fc.property(steps, (drawn) => walk(management.view(), useCases, drawn, seen)),
      parameters(800),
    )
    // each transition, each state that follows from the time, and each refusal was seen
    const moves = Object.values(TRANSITIONS).map(({ from, to }) => `${from} → ${to}`)
    const derived = ['none → pending', 'none → approved', 'pending → expired', 'approved → ended']
    const refusals = ['approve', 'deny', 'cancel', 'revoke'].flatMap((name) =>
      ['ok', 'REQUEST_REFUSED', 'REQUEST_STATE'].map((code) => `${name} ${code}`),
    )
    const others = ['REQUEST_PENDING', 'REQUEST_REFUSED', 'OBJECT_NOT_FOUND', 'INPUT_INVALID', 'ROLE_HELD']
    const wanted = [
      ...moves,
      ...derived,
      ...refusals,
      ...others.map((code) => `create ${code}`),
      'approve ROLE_HELD',
      'approve INPUT_INVALID',
      'approve BEYOND_OWN_ROLES',
      'put ROLE_OF_OTHER_TENANT',
    ]
    expect(wanted.filter((what) => !seen.has(what))).toEqual([])
  })

  it.each(Object.entries(OF_REQUESTS))('the walks find a fault: %s', async (tag, wrong) => {
    const walks = { steps, walk, below: management.view(), runs: 400 }
    expect(await isFound('src/management/objects/access-requests.ts', tag, wrong, walks)).toBe(true)
  })
})
