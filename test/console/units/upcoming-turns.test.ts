// What starts or ends by itself beside roles, with what it gives or denies.
import { describe, expect, it } from 'vitest'
import { listTurns } from '../../../console/src/pages/ending/upcoming-turns.ts'

const AT = '2027-01-01T00:00:00.000+00:00'
const because = { kind: 'role', role: 'reader' } as const
const flip = (user: string, action: string, since: string) => ({
  ...{ user, action, resource: { type: 'doc' }, tenant: 'acme', because, since },
})
const side = (first: readonly ReturnType<typeof flip>[]) => ({
  ...{ users: 1, decisions: first.length, complete: true, groups: [], more_groups: 0, next: null },
  first: [...first],
})
const access = {
  gained: side([flip('ana', 'read', '2027-01-01T00:00:00.000Z'), flip('ana', 'write', '2027-01-02T00:00:00.000Z')]),
  lost: side([flip('ben', 'read', AT), flip('cleo', 'read', AT)]),
  ...{ conditional: [], overridable: [], conditional_complete: true },
}

describe('turns', () => {
  it('have what a suspension gives or denies at its instant, and no roles', () => {
    const turns = [
      { is: 'ends', at: AT, kind: 'suspension', key: 'ana' },
      { is: 'starts', at: AT, kind: 'suspension', key: 'ben' },
      { is: 'ends', at: AT, kind: 'role_assignment', key: 'cleo/reader/acme' },
      { is: 'ends', at: AT, kind: 'relationship_tuple', key: 'folder:q4/parent/doc:plan' },
    ] as const
    expect(listTurns(turns, access)).toMatchObject([
      { is: 'ends', user: 'ana', access: ['read doc in acme'] },
      { is: 'starts', user: 'ben', access: ['read doc in acme'] },
      { is: 'ends', user: undefined, key: 'folder:q4/parent/doc:plan', access: [] },
    ])
  })
})
