// A draft answers like the view would after a commit of what is staged.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Role } from '../../src/kinds/role.ts'
import type { User } from '../../src/kinds/user.ts'
import { put, remove } from '../../src/log/change.ts'
import { DRAFT_ABSENCES_MAX, DRAFT_READS_MAX } from '../../src/model/limits.ts'
import { Draft } from '../../src/store/draft.ts'
import { type ManagementData, openManagementData } from '../management/harness.ts'

describe('a draft', () => {
  let management: ManagementData
  beforeAll(async () => {
    management = await openManagementData()
    await management.run('createRole', { key: 'one' })
    await management.run('createRole', { key: 'two', extends: ['one'] })
    await management.run('createRole', { key: 'three', extends: ['one'] })
  })
  afterAll(() => management.close())
  const id = (digit: string) => digit.repeat(32)
  const role = (key: string, parents: string[] = []): Role => ({
    ...(management.view().get('role', 'one') as Role),
    id: id('f'),
    key,
    extends: parents,
  })
  const keys = (objects: Iterable<{ readonly key: string }>) => [...objects].map(({ key }) => key)

  it('answers like the view below while nothing is staged', () => {
    const draft = new Draft(management.view())
    expect(keys(draft.list('role'))).toEqual(['one', 'two', 'three'])
    expect(draft.count('role')).toBe(3)
    expect(keys(draft.by('roles_with_parent', 'one'))).toEqual(['two', 'three'])
    expect(() => draft.refuse('role', 'one')).toThrow(expect.objectContaining({ code: 'OBJECT_EXISTS' }))
  })

  it('shows what is put, changed and deleted, in lists, counts and indexes', () => {
    const draft = new Draft(management.view())
    const two = draft.require('role', 'two')
    draft.stage([
      put('role', role('four', ['one'])),
      put('role', { ...two, extends: ['four'] }),
      remove('role', 'three'),
    ])
    expect(keys(draft.list('role'))).toEqual(['one', 'two', 'four'])
    expect(keys(draft.list('role', { offset: 1, limit: 1 }))).toEqual(['two'])
    expect(draft.count('role')).toBe(3)
    expect(keys(draft.by('roles_with_parent', 'one'))).toEqual(['four'])
    expect(draft.countBy('roles_with_parent', 'one')).toBe(1)
    expect(keys(draft.by('roles_with_parent', 'four'))).toEqual(['two'])
    expect(draft.find('role', id('f'))?.key).toBe('four')
    expect(draft.find('role', two.id)?.extends).toEqual(['four'])
    expect(draft.get('role', 'three')).toBeUndefined()
    expect(() => draft.require('role', 'three')).toThrow(expect.objectContaining({ code: 'OBJECT_NOT_FOUND' }))
    expect(() => draft.refuse('role', 'four')).toThrow(expect.objectContaining({ code: 'OBJECT_EXISTS' }))
    expect(() => draft.refuse('role', id('f'))).toThrow(expect.objectContaining({ code: 'KEY_IS_ID' }))
    draft.refuse('role', 'three')
  })

  it('collapses what is staged of one object into its last change', () => {
    const draft = new Draft(management.view())
    draft.stage([put('role', role('four')), put('role', role('four', ['one'])), remove('role', 'four')])
    expect(draft.changes()).toEqual([])
    draft.stage([remove('role', 'two'), put('role', role('two'))])
    expect(draft.changes().map(({ op, key }) => `${op} ${key}`)).toEqual(['put two'])
    expect(draft.find('role', management.view().require('role', 'two').id)).toBeUndefined()
    expect(draft.get('role', 'two')?.id).toBe(id('f'))
    expect(draft.count('role')).toBe(3)
  })

  it('reads an object once while few others are read, and shows what is staged of it then', () => {
    const view = management.view()
    const get = vi.spyOn(view, 'get')
    const draft = new Draft(view)
    const read = () => ['one', 'two', 'three', 'one', 'two'].map((key) => draft.get('role', key)?.extends)
    expect([read(), read()].flat()).toEqual(
      Array(2)
        .fill([[], ['one'], ['one'], [], ['one']])
        .flat(),
    )
    expect(get).toHaveBeenCalledTimes(3)
    draft.stage([put('role', role('one', ['two'])), remove('role', 'two')])
    expect(read()).toEqual([['two'], undefined, ['one'], ['two'], undefined])
    expect(get).toHaveBeenCalledTimes(3)
    const above = new Draft(draft)
    expect(above.get('role', 'three')?.extends).toEqual(['one'])
    draft.stage([put('role', role('three'))])
    expect(above.get('role', 'three')?.extends).toEqual([])
  })

  it('remembers no more objects than its limit, those that were read last', () => {
    const many = Array.from({ length: DRAFT_READS_MAX }, (_, at) => role(`many-${at}`))
    const view = new Draft(management.view()).stage(many.map((one) => put('role', one)))
    const get = vi.fn((kind: 'role', key: string) => view.get(kind, key))
    const draft = new Draft({ ...view, get: get as never, log: view.log, position: view.position } as never)
    const count = (key: string) => get.mock.calls.filter(([, read]) => read === key).length
    for (const { key } of many) draft.get('role', key)
    draft.get('role', 'many-0')
    draft.get('role', 'one')
    for (const key of ['many-0', 'one', 'many-1', 'nothing', 'nothing']) draft.get('role', key)
    expect(['many-0', 'one', 'many-1', 'nothing'].map(count)).toEqual([1, 1, 2, 1])
  })

  it('looks once for what is not there, and counts once, and shows what is staged since', () => {
    const view = management.view()
    const [get, countBy] = [vi.spyOn(view, 'get'), vi.spyOn(view, 'countBy')]
    const draft = new Draft(view)
    const ask = () => [draft.get('role', 'new')?.key, draft.countBy('roles_with_parent', 'new')]
    expect([ask(), ask()]).toEqual([
      [undefined, 0],
      [undefined, 0],
    ])
    draft.stage([put('role', role('new')), put('role', role('four', ['new']))])
    expect(ask()).toEqual(['new', 1])
    draft.stage([remove('role', 'new')])
    expect(ask()).toEqual([undefined, 1])
    expect(get.mock.calls.filter(([, key]) => key === 'new')).toHaveLength(1)
    expect(countBy).toHaveBeenCalledTimes(1)
  })

  it('forgets names beyond its limit, those that were asked for first', () => {
    const view = management.view()
    const get = vi.spyOn(view, 'get')
    const draft = new Draft(view)
    for (let at = 0; at <= DRAFT_ABSENCES_MAX; at++) draft.get('role', `free-${at}`)
    for (const at of [DRAFT_ABSENCES_MAX, 0]) draft.get('role', `free-${at}`)
    const count = (name: string) => get.mock.calls.filter(([, key]) => key === name).length
    expect([count(`free-${DRAFT_ABSENCES_MAX}`), count('free-0')]).toEqual([1, 2])
  })

  it('stands on another draft as on a view', () => {
    const below = new Draft(management.view()).stage([remove('role', 'two')])
    const draft = new Draft(below).stage([put('role', role('two', ['one']))])
    expect(keys(draft.by('roles_with_parent', 'one'))).toEqual(['three', 'two'])
    expect(below.count('role')).toBe(2)
    expect(draft.count('role')).toBe(3)
    expect(draft.changes()).toHaveLength(1)
  })

  it('takes what a use case decided, and gives its result', () => {
    const draft = new Draft(management.view())
    const user = { key: 'ana', id: id('a') } as User
    expect(draft.take({ changes: [put('user', user)], result: 'done' })).toBe('done')
    expect(draft.require('user', id('a'))).toBe(user)
  })
})
