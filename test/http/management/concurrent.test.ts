// Two hundred writers at once on the same few objects: each write happens whole, once and in one place of the history.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Harness, joinHarness } from './harness.ts'

const WRITERS = 200
const everyWriter = <T>(write: (writer: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))

describe('two hundred concurrent writers', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    const actions = Object.fromEntries(Array.from({ length: WRITERS }, (_, writer) => [`a${writer}`, {}]))
    await api.ask('POST', '$S/resources', { key: 'shared', actions })
    for (const key of ['busy', 'other']) await api.ask('POST', '$S/roles', { key })
    await api.ask('POST', '$F/users', { key: 'shared' })
  })
  afterAll(() => api.close())

  const head = () => api.store.head(api.environment).revision
  const count = (answers: readonly Answer[], status: number) => answers.filter((one) => one.status === status).length

  /** The revisions of all accepted writes are those that the log has gained, each once and without a gap. */
  function expectContiguous(before: number, answers: readonly Answer[]): void {
    const revisions = answers
      .filter(({ status }) => status < 300)
      .map(({ headers }) => Number(headers['x-revision']))
      .sort((a, b) => a - b)
    expect(revisions).toEqual(Array.from({ length: head() - before }, (_, at) => before + 1 + at))
    const entries = api.store.entries(api.environment, before)
    expect(entries.map(({ revision }) => revision)).toEqual(revisions)
    for (const [at, entry] of entries.entries()) if (at > 0) expect(entry.previous).toBe(entries[at - 1]?.chain)
  }

  it('lose no update of one object', async () => {
    const before = head()
    const answers = await everyWriter((writer) =>
      api.ask('POST', '$S/roles/busy/permissions', { permissions: [`shared:a${writer}`] }),
    )
    expect(count(answers, 200)).toBe(WRITERS)
    expectContiguous(before, answers)
    const { body } = await api.ask('GET', '$S/roles/busy')
    expect(body.permissions.toSorted()).toEqual(Array.from({ length: WRITERS }, (_, at) => `shared:a${at}`).toSorted())
  })

  it('change different fields of one object without undoing each other', async () => {
    const before = head()
    const answers = await everyWriter((writer) =>
      api.ask('PATCH', '$F/users/shared', writer % 2 ? { first_name: `f${writer}` } : { last_name: `l${writer}` }),
    )
    expectContiguous(before, answers)
    // one after the other, in the order of their revisions, each builds on what the one before left
    const inOrder = answers.toSorted((a, b) => Number(a.headers['x-revision']) - Number(b.headers['x-revision']))
    let [first_name, last_name]: (string | null)[] = [null, null]
    for (const { body } of inOrder) {
      const writer = answers.findIndex((answer) => answer.body === body)
      if (writer % 2) first_name = `f${writer}`
      else last_name = `l${writer}`
      expect(body).toMatchObject({ first_name, last_name })
    }
    expect((await api.ask('GET', '$F/users/shared')).body).toMatchObject({ first_name, last_name })
  })

  it('add derivations to one role, and each survives', async () => {
    const relations = Array.from({ length: 50 }, (_, at) => `r${at}`)
    await api.ask('PATCH', '$S/resources/shared', {
      roles: { owner: {} },
      relations: Object.fromEntries(relations.map((key) => [key, 'shared'])),
    })
    const before = head()
    const answers = await everyWriter((writer) =>
      api.ask('POST', '$S/resources/shared/roles/owner/implicit_grants', {
        role: 'owner',
        on_resource: 'shared',
        linked_by_relation: relations[writer % relations.length],
      }),
    )
    expect([count(answers, 200), count(answers, 409)]).toEqual([relations.length, WRITERS - relations.length])
    expectContiguous(before, answers)
    const { granted_to } = (await api.ask('GET', '$S/resources/shared/roles/owner')).body
    const linked = granted_to.users_with_role.map((rule: { linked_by_relation: string }) => rule.linked_by_relation)
    expect(linked.toSorted()).toEqual(relations.toSorted())
  })

  it('create each key exactly once, and tell all others that it is taken', async () => {
    const before = head()
    const keys = 10
    const answers = await everyWriter((writer) => api.ask('POST', '$F/users', { key: `new-${writer % keys}` }))
    expect([count(answers, 200), count(answers, 409)]).toEqual([keys, WRITERS - keys])
    expectContiguous(before, answers)
    expect(
      answers.filter(({ status }) => status === 409).every(({ body }) => body.error_code === 'DUPLICATE_ENTITY'),
    ).toBe(true)
  })

  it('give each role once and take it once', async () => {
    const given = head()
    const assignment = (writer: number) => ({ user: `new-${writer % 10}`, role: writer % 20 < 10 ? 'busy' : 'other' })
    const made = await everyWriter((writer) => api.ask('POST', '$F/role_assignments', assignment(writer)))
    expect([count(made, 200), count(made, 409)]).toEqual([20, WRITERS - 20])
    expectContiguous(given, made)
    const taken = head()
    const gone = await everyWriter((writer) => api.ask('DELETE', '$F/role_assignments', assignment(writer)))
    expect([count(gone, 204), count(gone, 404)]).toEqual([20, WRITERS - 20])
    expectContiguous(taken, gone)
    expect((await api.ask('GET', '$F/role_assignments')).body).toEqual([])
  })

  it('create, change, assign and delete the same objects, and leave nothing that refers to what is gone', async () => {
    const before = head()
    const answers = (
      await everyWriter(async (writer) => {
        const key = `k${writer % 7}`
        return [
          await api.ask('PUT', `$F/users/${key}`, { first_name: `by ${writer}` }),
          await api.ask('POST', '$F/tenants', { key }),
          await api.ask('POST', '$F/role_assignments', { user: key, role: 'busy', tenant: key }),
          await api.ask('DELETE', writer % 2 ? `$F/tenants/${key}` : `$F/users/${key}`),
        ]
      })
    ).flat()
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201, 204, 404, 409]))
    expectContiguous(
      before,
      answers.filter(({ headers }) => headers['x-revision'] !== undefined),
    )
    const users = (await api.ask('GET', '$F/users?per_page=100')).body.data
    const tenants = (await api.ask('GET', '$F/tenants?per_page=100')).body
    const toKeys = (list: { key: string }[]) => new Set(list.map(({ key }) => key))
    for (const { user, tenant } of (await api.ask('GET', '$F/role_assignments?per_page=100')).body) {
      expect(toKeys(users)).toContain(user)
      expect(toKeys(tenants)).toContain(tenant)
    }
    for (const user of users) {
      for (const { tenant } of user.associated_tenants) expect(toKeys(tenants)).toContain(tenant)
    }
  })
})
