// The address of the page Decisions: what it says, what the API is asked for it, and the question of a decision.
import { expect, it } from 'vitest'
import {
  isFiltered,
  parseDecisionsSearch,
  questionOfDecision,
  type RecordedDecision,
  toDecisionsQuery,
  toStreamQuery,
} from '../../../console/src/pages/decisions/decisions-search.ts'

it('the address holds the filters, and nothing else', () => {
  const search = { user: 'ana', action: 7, resource: 'invoice:18', tenant: 'acme', outcome: 'deny', page: 2 }
  expect(parseDecisionsSearch(search)).toEqual({ ...search, action: '7' })
  expect(parseDecisionsSearch({ user: '', action: {}, outcome: 'maybe', from: '20', page: 'x' })).toEqual({})
  expect([isFiltered({ page: 2 }), isFiltered({ outcome: 'allow' })]).toEqual([false, true])
})

it('the stream gets the same filters, without times and pages', () => {
  const query = toStreamQuery({
    user: 'ana b',
    tenant: 'acme',
    outcome: 'deny',
    from: '2026-11-20',
    page: 3,
    live: true,
  })
  expect(query.toString()).toBe('users=ana+b&tenant=acme&decision=false')
})

it('the API gets the filters of the address', () => {
  expect(toDecisionsQuery({})).toEqual({ page: 1, per_page: 50 })
  const asked = toDecisionsQuery({
    user: 'ana',
    resource: 'invoice',
    tenant: 'acme',
    outcome: 'deny',
    from: '2026-11-20',
  })
  expect(asked).toEqual({
    ...{ page: 1, per_page: 50, users: ['ana'], resources: ['invoice'], tenant: ['acme'], decision: false },
    timestamp_from: new Date(2026, 10, 20).getTime() / 1000,
  })
})

const DECISION = {
  ...{ user_key: 'ana', action: 'read', tenant: 'acme', resource_type: 'invoice' },
  timestamp: '2026-11-20T08:00:00.000+00:00',
  input: { user: { attributes: { level: 3 } }, resource: { attributes: {} }, context: { ip: '10.0.0.1' } },
  context: { revision: 118, resource_key: '18' },
} as unknown as RecordedDecision

it('a decision opens as it was asked, at its revision and its time', () => {
  expect(questionOfDecision(DECISION)).toEqual({
    ...{ user: 'ana', action: 'read', resource: 'invoice:18', tenant: 'acme', at: '118' },
    user_attributes: { level: 3 },
    context: { now: Date.parse('2026-11-20T08:00:00Z'), ip: '10.0.0.1' },
  })
  const sent = { ...DECISION, input: { context: { now: 5 } }, context: { revision: 0, resource_key: null } }
  expect(questionOfDecision(sent as unknown as RecordedDecision)).toEqual({
    ...{ user: 'ana', action: 'read', resource: 'invoice', tenant: 'acme' },
    context: { now: 5 },
  })
})
