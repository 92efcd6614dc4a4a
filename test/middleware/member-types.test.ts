// The types of `memberRoutes` and of the hooks about members, as an application sees them. `npm run typecheck` judges
// them; what is here runs nothing.
import type express from 'express'
import type { FastifyPluginCallback, FastifyRequest } from 'fastify'
import type { Context, Handler } from 'hono'
import { expect, expectTypeOf, it } from 'vitest'
import type { components } from '../../build/management-api.ts'
import type { ManagementClient } from '../../src/client.ts'
import type { Pdp } from '../../src/index.ts'
import { type MemberRoutesOptions as ExpressOptions, memberRoutes as forExpress } from '../../src/middleware/express.ts'
import { memberRoutes as forFastify } from '../../src/middleware/fastify.ts'
import { memberRoutes as forHono } from '../../src/middleware/hono.ts'
import type { Member } from '../../src/middleware/members/sessions.ts'
import {
  type AccessRequest,
  type MembersError,
  type OfferedPermission,
  type RequestableRole,
  type TenantRole,
  useAccessRequests,
  useInvites,
  useMembers,
  useOfferedPermissions,
  type useRequestableRoles,
  useTenantRoles,
} from '../../src/react.ts'
import type { Policy } from '../golden/policy.d.ts'

/** Is compiled, and never called. */
const neverRun = (...bodies: (() => unknown)[]) =>
  expect(bodies.map((body) => typeof body)).toEqual(bodies.map(() => 'function'))
declare const pdp: Pdp
declare const typed: Pdp<Policy>
declare const client: ManagementClient
type Schemas = components['schemas']

it('memberRoutes of each framework takes its request, and gives what it mounts', () => {
  expectTypeOf(forExpress).returns.toEqualTypeOf<express.RequestHandler>()
  expectTypeOf(forFastify).returns.toEqualTypeOf<FastifyPluginCallback>()
  expectTypeOf(forHono).returns.toEqualTypeOf<Handler>()
  expectTypeOf<Parameters<Parameters<typeof forFastify>[1]['findMember']>>().toEqualTypeOf<[FastifyRequest]>()
  expectTypeOf<Parameters<Parameters<typeof forHono>[1]['findMember']>>().toEqualTypeOf<[Context]>()
  neverRun(
    () => forExpress(pdp, { client, findMember: async (request) => ({ tenant: request.hostname, user: 'ana' }) }),
    () =>
      forExpress(typed, { client: (tenant) => (tenant === 'acme' ? client : client), findMember: async () => null }),
    () =>
      forHono(pdp, {
        client,
        findMember: async () => undefined,
        manageRoles: 'roles:manage',
        onError: (error: unknown) => error,
      }),
    () =>
      forFastify(pdp, {
        client,
        findMember: async () => null,
        reason: (done, { user, tenant }, { ip }) => `${user}@${tenant} ${ip}: ${done}`,
      }),
    // @ts-expect-error a client is needed
    () => forExpress(pdp, { findMember: async () => null }),
    // @ts-expect-error a session says a user
    () => forExpress(pdp, { client, findMember: async () => ({ tenant: 'acme' }) }),
    // @ts-expect-error it is a promise
    () => forExpress(pdp, { client, findMember: () => ({ tenant: 'acme', user: 'ana' }) }),
    // @ts-expect-error a reason is a text
    () => forExpress(pdp, { client, findMember: async () => null, reason: () => 7 }),
  )
  expectTypeOf<Member>().toEqualTypeOf<{ readonly tenant: string; readonly user: string }>()
  expectTypeOf<NonNullable<ExpressOptions<number>['reason']>>().parameter(2).toEqualTypeOf<number>()
})

it('hooks give lists, and changes that are promises', () => {
  type List<T> = { data: readonly T[] | undefined; error: MembersError | undefined; isLoading: boolean }
  expectTypeOf<ReturnType<typeof useAccessRequests>>().toExtend<List<AccessRequest>>()
  expectTypeOf<ReturnType<typeof useTenantRoles>>().toExtend<List<TenantRole>>()
  expectTypeOf<ReturnType<typeof useOfferedPermissions>>().toExtend<List<OfferedPermission>>()
  expectTypeOf<ReturnType<typeof useRequestableRoles>>().toExtend<List<RequestableRole>>()
  expectTypeOf<ReturnType<typeof useTenantRoles>['mayManage']>().toEqualTypeOf<boolean | undefined>()
  expectTypeOf<ReturnType<typeof useAccessRequests>>().not.toHaveProperty('mayManage')
  expectTypeOf<ReturnType<typeof useAccessRequests>['approve']>().returns.toEqualTypeOf<Promise<void>>()
  neverRun(
    () => useMembers({ search: 'ana', role: 'clerk', page: 2, perPage: 20, url: '/authz' }),
    () => useInvites({ status: 'pending' }),
    () =>
      useTenantRoles({ offered: 'extendable' }).create({
        key: 'bookkeeper',
        permissions: ['invoice:read'],
        extends: [],
      }),
    () => useTenantRoles().change('bookkeeper', { name: null }),
    () => useAccessRequests({ state: 'pending' }).ask({ role: 'responder', duration: 60, reason: 'on call' }),
    () => useAccessRequests().approve('id', { until: '2027-01-01T00:00:00Z' }),
    // @ts-expect-error no such state
    () => useAccessRequests({ state: 'open' }),
    // @ts-expect-error a request names no user
    () => useAccessRequests().ask({ role: 'responder', duration: 60, as: 'ben' }),
    // @ts-expect-error a denial gives nothing, so it has no time
    () => useAccessRequests().deny('id', { duration: 60 }),
    // @ts-expect-error a role needs a key
    () => useTenantRoles().create({ name: 'Bookkeeper' }),
    // @ts-expect-error a key stays
    () => useTenantRoles().change('bookkeeper', { key: 'other' }),
    // @ts-expect-error what is offered cannot be changed
    () => useOfferedPermissions().create({}),
  )
})

it('what is shown has the words of the management API', () => {
  expectTypeOf<AccessRequest['state']>().toEqualTypeOf<Schemas['AccessRequest']['state']>()
  expectTypeOf<AccessRequest['may'][number]>().toEqualTypeOf<NonNullable<Schemas['AccessRequest']['may']>[number]>()
})
