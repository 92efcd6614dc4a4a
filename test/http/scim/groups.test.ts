// Groups of a directory over SCIM, in the forms of two providers, with many members and with bad ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DirectoryUser } from '../../../src/kinds/directory-user.ts'
import { put } from '../../../src/log/change.ts'
import {
  createDirectoryGroup,
  deleteDirectoryGroup,
  updateDirectoryGroup,
} from '../../../src/management/objects/directory-groups.ts'
import { DIRECTORY_GROUP_MEMBERS_MAX } from '../../../src/model/limits.ts'
import { Draft } from '../../../src/store/draft.ts'
import { type Answer, type Harness, ID, joinHarness } from '../management/harness.ts'

const KEY = 'the-key-of-the-groups'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let api: Harness
let scim: (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>
/** ids of users of the directory */
let ana: string
let ben: string
let cy: string
beforeAll(async () => {
  api = await joinHarness()
  await api.addKey('directory', 'write', KEY)
  scim = (method, path, body) => api.ask(method, `/scim/v2${path}`, body, { key: KEY })
  const make = async (userName: string) => (await scim('POST', '/Users', { userName })).body.id as string
  ana = await make('ana')
  ben = await make('ben')
  cy = await make('cy')
})
afterAll(() => api.close())

const patch = (id: string, ...Operations: object[]) => scim('PATCH', `/Groups/${id}`, { schemas: [PATCH], Operations })
const refs = (...ids: readonly string[]) => ids.map((value) => ({ value }))
async function makeGroup(displayName: string, ...ids: readonly string[]): Promise<string> {
  const { status, body } = await scim('POST', '/Groups', { schemas: [GROUP], displayName, members: refs(...ids) })
  expect([status, body]).toMatchObject([201, { id: ID, displayName }])
  return body.id
}
const listMembers = async (id: string): Promise<string[]> =>
  ((await scim('GET', `/Groups/${id}`)).body.members ?? []).map(({ value }: { value: string }) => value).toSorted()
const find = async (path: string, filter: string): Promise<string[]> =>
  (await scim('GET', `/${path}?filter=${encodeURIComponent(filter)}`)).body.Resources.map(
    ({ id }: { id: string }) => id,
  )

describe('a group of the directory', () => {
  it('is made, found, renamed and deleted, and its members name it', async () => {
    const id = await makeGroup('Engineers', ana, ben, ana)
    expect(await listMembers(id)).toEqual([ana, ben].toSorted())
    expect((await scim('GET', `/Users/${ana}`)).body.groups).toMatchObject([{ value: id, display: 'Engineers' }])
    expect(await find('Groups', 'displayName eq "ENGINEERS"')).toEqual([id])
    expect(await find('Groups', `members[value eq "${ana}"]`)).toContain(id)
    expect(await find('Groups', `id eq "${id}" and members eq "${cy}"`)).toEqual([])
    expect(await find('Users', `groups.value eq "${id}"`)).toEqual([ana, ben])
    const shown = await scim('GET', `/Groups/${id}?excludedAttributes=members`)
    expect(shown.body).toMatchObject({ displayName: 'Engineers' })
    expect(shown.body.members).toBeUndefined()
    const only = (await scim('GET', '/Groups?attributes=displayName')).body.Resources[0]
    expect(Object.keys(only)).toEqual(['schemas', 'id', 'displayName'])
    // what a PUT says nothing of stays, and an empty list empties
    const renamed = await scim('PUT', `/Groups/${id}`, { displayName: 'Engineering' })
    expect(renamed.body.displayName).toBe('Engineering')
    expect(await listMembers(id)).toHaveLength(2)
    await scim('PUT', `/Groups/${id}`, { displayName: 'Engineering', members: [] })
    expect(await listMembers(id)).toEqual([])
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await scim('GET', `/Groups/${id}`)).body).toMatchObject({ status: '404' })
  })

  it('has an etag of its own after each change of its members', async () => {
    const id = await makeGroup('Watched')
    const { headers } = await scim('GET', `/Groups/${id}`)
    await patch(id, { op: 'add', path: 'members', value: refs(ana) })
    const late = { key: KEY, headers: { 'if-match': String(headers.etag) } }
    const body = { Operations: [{ op: 'remove', path: 'members' }] }
    expect((await api.ask('PATCH', `/scim/v2/Groups/${id}`, body, late)).body).toMatchObject({ status: '412' })
    expect(await listMembers(id)).toEqual([ana])
  })

  it('loses members whose users are deleted', async () => {
    const { body } = await scim('POST', '/Users', { userName: 'gone' })
    const id = await makeGroup('Losing', ana, body.id)
    await scim('DELETE', `/Users/${body.id}`)
    expect(await listMembers(id)).toEqual([ana])
  })
})

describe('members as providers send them', () => {
  it('a filter in the path, a name without a path, and all at once', async () => {
    const id = await makeGroup('First', ana, ben)
    await patch(
      id,
      { op: 'remove', path: `members[value eq "${ana}"]` },
      { op: 'add', path: 'members', value: [{ value: cy, display: 'cy@example.com' }] },
      { op: 'replace', value: { id, displayName: 'First of all' } },
    )
    expect(await listMembers(id)).toEqual([ben, cy].toSorted())
    expect((await scim('GET', `/Groups/${id}`)).body.displayName).toBe('First of all')
    await patch(id, { op: 'replace', path: 'members', value: refs(ana) })
    expect(await listMembers(id)).toEqual([ana])
    await patch(id, { op: 'remove', path: `members[value eq "${ana}" or not (value pr)]` })
    expect(await listMembers(id)).toEqual([])
  })

  it('values to remove beside the path, capital operations and an address that is null', async () => {
    const id = await makeGroup('Second', ben)
    await patch(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: ana }, { value: cy }] })
    expect(await listMembers(id)).toHaveLength(3)
    await patch(id, { op: 'Remove', path: 'members', value: [{ $ref: null, value: ben }] })
    expect(await listMembers(id)).toEqual([ana, cy].toSorted())
    // what is not there is removed already, and what is there is added already
    await patch(id, { op: 'Remove', path: 'members', value: refs(ben, 'f'.repeat(32)) })
    await patch(id, { op: 'Add', path: 'members', value: refs(ana, ana) })
    expect(await listMembers(id)).toEqual([ana, cy].toSorted())
    await patch(id, { op: 'Remove', path: 'members' }, { op: 'Add', path: 'members', value: refs(ben) })
    expect(await listMembers(id)).toEqual([ben])
  })

  it.each([
    [
      'a user who is not there',
      (): object => ({ op: 'add', path: 'members', value: refs('f'.repeat(32)) }),
      'invalidValue',
    ],
    ['a user by its key', () => ({ op: 'add', path: 'members', value: refs('ana') }), 'invalidValue'],
    ['a group', () => ({ op: 'add', path: 'members', value: [{ value: ana, type: 'Group' }] }), 'invalidValue'],
    ['a number', () => ({ op: 'add', path: 'members', value: [7] }), 'invalidValue'],
    [
      'a part of a member',
      () => ({ op: 'replace', path: `members[value eq "${ana}"].value`, value: ben }),
      'mutability',
    ],
    ['another filter', () => ({ op: 'remove', path: 'members[shoe eq "x"]' }), 'invalidFilter'],
    ['an open filter', () => ({ op: 'remove', path: `members[value eq "${ana}"` }), 'invalidFilter'],
    ['no name', () => ({ op: 'remove', path: 'displayName' }), 'mutability'],
    ['an empty name', () => ({ op: 'replace', path: 'displayName', value: '' }), 'invalidValue'],
  ])('bad: %s', async (_, operation, scimType) => {
    const id = await makeGroup('Bad', ana)
    const good = { op: 'add', path: 'members', value: refs(cy) }
    expect((await patch(id, good, operation())).body).toMatchObject({ status: '400', scimType })
    expect(await listMembers(id)).toEqual([ana])
  })
})

it('a group of 10,000 members is written at once, and changes by the members that are named', () => {
  let ids = 0
  const mint = { id: () => (++ids).toString(16).padStart(32, '0'), now: 1, secret: () => '' }
  const draft = new Draft(api.store.view(api.environment))
  const users = Array.from({ length: 10_000 }, (_, at): DirectoryUser => {
    const key = `many${at}`
    const fields = { user_name: key, external_id: null, active: true, attributes: {} }
    return { id: mint.id(), key, created_at: 1, updated_at: 1, ...fields }
  })
  draft.stage(users.map((user) => put('directory_user', user)))
  const members = refs(...users.map(({ id }) => id))
  const made = createDirectoryGroup(draft, { body: { displayName: 'Everyone', members } }, mint)
  expect(made.changes).toHaveLength(10_001)
  const { id } = draft.take(made)
  const remove = { op: 'remove', path: `members[value eq "${users[5_000]!.id}"]` }
  const { changes } = updateDirectoryGroup(draft, { ref: id, body: { Operations: [remove] } }, mint)
  expect(changes).toMatchObject([
    { op: 'put', kind: 'directory_group' },
    { op: 'delete', kind: 'directory_member', key: `${id}/many5000` },
  ])
  expect(deleteDirectoryGroup(draft, { ref: id }, mint).changes).toHaveLength(10_001)
  const more = Array.from({ length: DIRECTORY_GROUP_MEMBERS_MAX + 1 }, () => ({ value: users[0]!.id }))
  // the same member again is one
  expect(createDirectoryGroup(draft, { body: { displayName: 'One', members: more } }, mint).changes).toHaveLength(2)
})
