// Access requests that two replicas decide at once, over one PostgreSQL: each is decided by one of the writes, the other one
// is refused by its state, and a request is approved if and only if its role is given. The same of roles of a tenant and what
// is offered to them.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { formatOrigin } from '../../src/kinds/access-request.ts'
import type { ManagementData } from '../../src/management/host/open.ts'
import { assignmentKey } from '../../src/model/objects.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { BY, closeReplicas, development, openReplica, outcomes } from '../support/replica-stores.ts'

const ROUNDS = 6
let server: Postgres
let replicas: readonly [ManagementData, ManagementData]
let environment: string

/** Writes through one of the replicas. */
const write = (by: 0 | 1, name: string, input: unknown) =>
  replicas[by].store.commit(environment, name as 'approveAccessRequest', input as never, BY)
const decide = (by: 0 | 1, verb: string, ref: string, as: string) =>
  write(by, `${verb}AccessRequest`, { ref, fields: { as } })
const ask = async (user: string, more = {}) =>
  (await write(0, 'createAccessRequest', { as: user, role: 'support', tenant: 'acme', duration: 600, ...more })).result
    .key

/** What both replicas say of a request: its state, and whether its role is given by it. */
async function readBoth(user: string, id: string): Promise<readonly [string, boolean]> {
  const [one, other] = await Promise.all(
    replicas.map(async ({ store }) => {
      await store.confirm()
      const view = store.view(environment)
      const held = view.get('role_assignment', assignmentKey(user, 'support', 'acme'))
      return [view.require('access_request', id).state, held?.origin === formatOrigin(id)] as const
    }),
  )
  expect(one).toEqual(other)
  return one!
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('two replicas at once', () => {
  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.database()
    replicas = [await openReplica(database), await openReplica(database)]
    environment = development(replicas[0])
    const actions = { read: { grantable: true } }
    await write(0, 'createResource', { key: 'doc', name: 'Document', actions })
    await write(0, 'createTenant', { key: 'acme' })
    await write(0, 'createRole', { key: 'lead' })
    const requestable = { approvers: ['lead'], max_duration: 3_600, reason: 'optional' }
    await write(0, 'createRole', { key: 'support', permissions: ['doc:read'], requestable })
    for (const key of ['rex', 'may'])
      await write(0, 'createUser', { key, role_assignments: [{ role: 'lead', tenant: 'acme' }] })
    for (let n = 0; n < ROUNDS; n++) {
      await write(0, 'createUser', { key: `user-${n}` })
      await write(0, 'addTenantUser', { tenant: 'acme', user: { key: `user-${n}` } })
    }
  })
  afterEach(async () => {
    for (let n = 0; n < ROUNDS; n++)
      for (const { key, state } of replicas[0].store.view(environment).by('requests_of_user', `user-${n}`))
        if (state === 'approved') await decide(0, 'revoke', key, 'rex')
  })
  afterAll(async () => {
    await closeReplicas()
    await endPostgres()
  })

  it('make one request of two that ask for the same, and approve it once', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const user = `user-${n}`
      const sent = { as: user, role: 'support', tenant: 'acme', duration: 600 }
      const made = await outcomes([write(0, 'createAccessRequest', sent), write(1, 'createAccessRequest', sent)])
      expect(made.toSorted()).toEqual(['REQUEST_PENDING', 'ok'])
      await replicas[0].store.confirm()
      const [request] = replicas[0].store.view(environment).by('pending_requests_of_user', user)
      const id = request!.key
      const approved = await outcomes([decide(0, 'approve', id, 'rex'), decide(1, 'approve', id, 'may')])
      expect(approved.toSorted()).toEqual(['REQUEST_STATE', 'ok'])
      expect(await readBoth(user, id)).toEqual(['approved', true])
    }
  })

  it.each([
    ['deny', 'rex', 'denied'],
    ['cancel', 'own', 'cancelled'],
  ] as const)('approve beside %s: one of both', async (verb, who, state) => {
    for (let n = 0; n < ROUNDS; n++) {
      const user = `user-${n}`
      const id = await ask(user)
      const [first, second] = n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
      const [approved, other] = await outcomes([
        decide(first, 'approve', id, 'may'),
        decide(second, verb, id, who === 'own' ? user : who),
      ])
      expect([approved, other].toSorted()).toEqual(['REQUEST_STATE', 'ok'])
      expect(await readBoth(user, id)).toEqual(approved === 'ok' ? ['approved', true] : [state, false])
    }
  })

  it('approve a longer request beside the revoke of the one before: what is given has one origin', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const user = `user-${n}`
      const id = await ask(user)
      await decide(0, 'approve', id, 'rex')
      const longer = await ask(user, { duration: 1_200 })
      const [approved, revoked] = await outcomes([decide(0, 'approve', longer, 'may'), decide(1, 'revoke', id, user)])
      expect(approved).toBe('ok')
      expect(['ok', 'REQUEST_STATE']).toContain(revoked)
      expect(await readBoth(user, longer)).toEqual(['approved', true])
      expect(await readBoth(user, id)).toEqual([revoked === 'ok' ? 'revoked' : 'superseded', false])
    }
  })

  it('approve beside what takes the right to do so: never after it', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const user = `user-${n}`
      const id = await ask(user)
      const lead = { user: 'may', role: 'lead', tenant: 'acme' }
      const [approved, taken] = await outcomes([decide(0, 'approve', id, 'may'), write(1, 'unassign', lead)])
      expect(taken).toBe('ok')
      const given = approved === 'ok'
      expect([approved, await readBoth(user, id)]).toEqual([
        given ? 'ok' : 'REQUEST_REFUSED',
        [given ? 'approved' : 'pending', given],
      ])
      await write(0, 'assign', lead)
      if (!given) await decide(1, 'deny', id, 'rex')
    }
  })

  it('approve beside the delete of the user: nothing is given to the one that is made again', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const user = `user-${n}`
      const id = await ask(user)
      const [approved, deleted] = await outcomes([
        decide(0, 'approve', id, 'rex'),
        write(1, 'deleteUser', { ref: user }),
      ])
      expect(deleted).toBe('ok')
      expect(['ok', 'REQUEST_STATE']).toContain(approved)
      await write(0, 'createUser', { key: user })
      await write(0, 'addTenantUser', { tenant: 'acme', user: { key: user } })
      expect(await readBoth(user, id)).toEqual(['cancelled', false])
      expect(await outcomes([decide(1, 'approve', id, 'may')])).toEqual(['REQUEST_STATE'])
    }
  })

  it('make a role of a tenant beside the end of what is offered: it never keeps what is not offered', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const role = { key: `reader-${n}`, permissions: ['doc:read'] }
      const of = { resource: 'doc', ref: 'read' }
      const writes = [
        write(0, 'createTenantRole', { tenant: 'acme', role }),
        write(1, 'updateAction', { ...of, fields: { grantable: false } }),
      ]
      const [made, withdrawn] = await outcomes(n % 2 === 0 ? writes : writes.toReversed())
      expect([made, withdrawn].filter((outcome) => outcome !== 'ok' && outcome !== 'NOT_OFFERED')).toEqual([])
      for (const { store } of replicas) {
        await store.confirm()
        const stored = store.view(environment).get('tenant_role', `reader-${n}@acme`)
        expect(stored?.permissions ?? []).toEqual([])
      }
      await write(1, 'updateAction', { ...of, fields: { grantable: true } })
    }
  })
})
