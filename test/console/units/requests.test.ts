// The page Requests without a browser: its address, what is offered for a request, and how a role says that it can be
// requested.
import { describe, expect, it } from 'vitest'
import type { AccessRequest, RequestState } from '../../../console/src/api/requests.ts'
import { listSteps } from '../../../console/src/components/request-words.ts'
import { compareRoles } from '../../../console/src/pages/policy/draft.ts'
import type { Requestable, Role } from '../../../console/src/pages/policy/policy.ts'
import {
  describeRequestable,
  makeRequestableForm,
  problemOfRequestable,
  readRequestable,
} from '../../../console/src/pages/policy/requestable.ts'
import {
  isNarrowed,
  parseRequestsSearch,
  toRequestsQuery,
} from '../../../console/src/pages/requests/requests-search.ts'
import { asWritten, requestableInForm } from '../../../console/src/pages/resources/role-permissions.ts'
import { REQUEST_STATES } from '../../../src/kinds/access-request.ts'

const request = (state: RequestState) => ({ user: 'ana', state }) as AccessRequest

describe('what is offered for a request', () => {
  it('is what its state takes, by who the session is', () => {
    const [key, ana, ben] = [
      { is: 'key' } as const,
      { is: 'user', user: 'ana' } as const,
      { is: 'user', user: 'ben' } as const,
    ]
    expect(listSteps(request('pending'), key)).toEqual(['approve', 'deny', 'cancel'])
    expect(listSteps(request('pending'), ana)).toEqual(['cancel'])
    expect(listSteps(request('pending'), ben)).toEqual(['approve', 'deny'])
    for (const acting of [key, ana, ben]) {
      expect(listSteps(request('approved'), acting)).toEqual(['revoke'])
      for (const state of REQUEST_STATES)
        if (state !== 'pending' && state !== 'approved') expect(listSteps(request(state), acting)).toEqual([])
    }
    expect(listSteps(request('pending'), { is: 'nobody', isPerson: true })).toEqual([])
  })
})

describe('the address of the page', () => {
  it('has the filters, and asks for what is pending by itself', () => {
    expect(toRequestsQuery(parseRequestsSearch({}))).toEqual({ page: 1, per_page: 50, state: ['pending'] })
    const search = { state: 'all', user: 'ana', role: 7, tenant: 'acme', page: 2, request: 'x' }
    const parsed = parseRequestsSearch({ ...search, more: 1 })
    expect(parsed).toEqual({ ...search, role: '7' })
    expect(toRequestsQuery(parsed)).toEqual({ page: 2, per_page: 50, user: ['ana'], role: ['7'], tenant: ['acme'] })
    expect(parseRequestsSearch({ state: 'open', page: 0, user: '' })).toEqual({})
    expect([isNarrowed({ request: 'x', page: 2 }), isNarrowed({ state: 'all' })]).toEqual([false, true])
  })
})

const STORED: Requestable = { by: 'members', approvers: ['lead'], max_duration: 14_400, reason: 'required' }

describe('how a role can be requested', () => {
  it('is typed, and comes back as it was', () => {
    for (const stored of [STORED, { ...STORED, by: 'everybody', reason: 'optional' } as const, null])
      expect(readRequestable(makeRequestableForm(stored))).toEqual(stored)
    const form = { ...makeRequestableForm(STORED), isAuto: true, needsReason: false }
    expect(readRequestable(form)).toEqual({ ...STORED, auto: true })
    expect(problemOfRequestable({ ...form, longest: '' })).toMatch(/always ends/)
    expect(problemOfRequestable({ ...form, longest: '4 h' })).toBeDefined()
    expect(problemOfRequestable({ ...form, longest: '', isRequestable: false })).toBeUndefined()
    expect(describeRequestable({ ...STORED, auto: true })).toBe(
      'members of the tenant, up to 4h, at once, revoked by lead, with a reason',
    )
  })

  it('is compared as a whole in a draft', () => {
    const role = { key: 'a', name: 'a', permissions: [], extends: [], requestable: STORED } as unknown as Role
    expect(compareRoles(role, { ...role, requestable: { ...STORED, approvers: ['lead'] } }).about).toEqual({})
    const longer = { ...STORED, max_duration: 60 }
    expect(compareRoles(role, { ...role, requestable: longer }).about).toEqual({ requestable: [STORED, longer] })
    expect(compareRoles({ ...role, requestable: null }, role).about).toEqual({ requestable: [null, STORED] })
  })

  it('is written as a whole for a role on instances when one of its fields was changed', () => {
    const stored = { ...STORED, approvers: ['doc/owner', 'lead'] }
    expect(requestableInForm(stored)).toMatchObject({ request_approvers: 'doc/owner, lead', request_longest: 14_400 })
    expect(asWritten('doc', { name: 'x' }, stored)).toEqual({ name: 'x' })
    expect(asWritten('doc', { request_longest: 60, name: 'x' }, stored)).toEqual({
      name: 'x',
      requestable: { ...stored, max_duration: 60, auto: false },
    })
    expect(asWritten('doc', { is_requestable: false }, stored)).toEqual({ requestable: null })
    expect(asWritten('doc', { is_requestable: true, request_longest: 60, request_approvers: ' lead ,' })).toEqual({
      requestable: { by: 'members', approvers: ['lead'], max_duration: 60, reason: 'required', auto: false },
    })
  })
})
