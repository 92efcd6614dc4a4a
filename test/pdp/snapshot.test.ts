// What a snapshot contains: which tenants, types and actions, each answer once, until when; what is left to the server.
// That a browser decides by it as checks do is test/property/snapshot.test.ts.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { permissions } from '../../src/browser/permissions.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import {
  SNAPSHOT_ANSWER_LENGTH_MAX,
  SNAPSHOT_ANSWERS_MAX,
  SNAPSHOT_LENGTH_MAX,
  SNAPSHOT_LIFETIME_MAX_MS,
  SNAPSHOT_TENANTS_MAX,
} from '../../src/model/limits.ts'
import { assignmentKey, type JsonObject } from '../../src/model/objects.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import type { SnapshotOptions } from '../../src/pdp/snapshot.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { give, HELLO, putRole, putTenant, putUser } from './policies.ts'

const put = (kind: PolicyChange['kind'], key: string, value: object) =>
  ({ op: 'put', kind, key, value }) as unknown as PolicyChange
const NOTES = [
  ...HELLO,
  put('resource', 'note', {
    actions: ['edit', 'read'],
    attributes: { amount: 'number', due: 'time', owner: 'string' },
  }),
  put('resource_role', 'note/reader', {
    resource: 'note',
    role: 'reader',
    permissions: ['note:read'],
    extends: [],
    granted_to: null,
  }),
]
const makePdp = (changes: readonly PolicyChange[], revision = 7, options = {}) =>
  loadImage(Image.build(ENVIRONMENT, makePosition(revision), [...NOTES, ...changes]).save(), options)
const rule = (permission: string, resources: JsonObject, key = 'r'): PolicyChange[] => [
  put('condition_set', `${key}-who`, { type: 'userset', resource: null, conditions: {}, parent: null }),
  put('condition_set', `${key}-what`, { type: 'resourceset', resource: 'note', conditions: resources, parent: null }),
  put('set_rule', key, { user_set: `${key}-who`, permission, resource_set: `${key}-what` }),
]
const stored = (key: string, tenant: string) => put('resource_instance', `note:${key}`, { tenant, attributes: {} })
const reader = (user: string, key: string) =>
  put('role_assignment', assignmentKey(user, 'reader', 'acme', `note:${key}`), {
    user,
    role: 'reader',
    tenant: 'acme',
    resource_instance: `note:${key}`,
  })
const error = (code: string, text = '') => expect.objectContaining({ code, message: expect.stringContaining(text) })
const mine = { 'resource.owner': { equals: { ref: 'user.key' } } }
const note = { type: 'note', tenant: 'acme', key: 'n1', attributes: { owner: 'zoe', amount: 1, due: 2 } }

afterEach(() => vi.useRealTimers())

describe('a snapshot', () => {
  it('[D16] where no one is signed in says what everybody may in the tenants that are named, and of others that the server knows', () => {
    const pdp = makePdp([give('*', 'viewer', 'acme'), stored('n1', 'acme'), stored('n2', 'acme'), reader('*', 'n1')])
    const visitor = pdp.snapshot(null, { tenants: ['acme'] })
    expect([visitor.user, visitor.validUntil, pdp.snapshot(null).tenants]).toEqual(['*', undefined, {}])
    const of = (snapshot: typeof visitor) => {
      const page = permissions(snapshot)
      const may = (action: string, type: string, key: string | null, tenant = 'acme') =>
        page.may(action, { type, tenant, key, attributes: note.attributes })
      return [
        may('wave', 'hello', null),
        may('say', 'hello', null),
        may('read', 'note', 'n1'),
        may('read', 'note', 'n2'),
        may('wave', 'hello', null, 'default'),
        may('read', 'note', 'n1', 'default'),
      ]
    }
    expect(of(visitor)).toEqual([true, false, true, false, undefined, undefined])
    // a user of another tenant, too, has what everybody has where the tenant is named, and else is to ask
    expect(of(pdp.snapshot('zoe', { tenants: ['acme'] }))).toEqual(of(visitor))
    expect(of(pdp.snapshot('ben'))).toEqual([undefined, undefined, undefined, undefined, true, false])
    expect(of(JSON.parse(JSON.stringify(visitor)))).toEqual(of(visitor))
  })

  it('has the tenants of the user, all types and all actions, each answer and each table once', () => {
    vi.useFakeTimers({ now: 1_000 })
    const pdp = makePdp([
      give('zoe', 'viewer'),
      give('zoe', 'viewer', 'acme'),
      putTenant('third'),
      ...rule('note:edit', mine),
    ])
    const owner = {
      op: 'equals',
      left: { path: ['owner'], type: 'string' },
      right: { value: 'zoe' },
    }
    expect(pdp.snapshot('zoe')).toEqual({
      format: 1,
      revision: 7,
      user: 'zoe',
      expiresAt: 301_000,
      lifetimeMs: 300_000,
      etag: expect.stringMatching(/^[\w-]{43}$/),
      answers: [false, true, { where: { node: owner, attributes: ['owner'], relations: [] } }],
      rights: [{ hello: { say: 0, wave: 1 }, note: { edit: 2, read: 0 } }],
      tenants: { acme: 0, default: 0 },
    })
    expect(pdp.snapshot('nobody')).toMatchObject({ answers: [], rights: [], tenants: {} })
  })

  it('is made of plain objects, which React passes on to a page, whatever the tenants are called', () => {
    const pdp = makePdp([putTenant('__proto__'), give('zoe', 'viewer', '__proto__'), give('zoe', 'viewer')])
    const snapshot = pdp.snapshot('zoe')
    const prototypes = (value: unknown): unknown[] =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? []
        : [Object.getPrototypeOf(value), ...Object.values(value).flatMap(prototypes)]
    const found = prototypes({ ...snapshot, rights: { ...snapshot.rights }, answers: { ...snapshot.answers } })
    expect([...new Set(found)]).toEqual([Object.prototype])
    expect(Object.keys(snapshot.tenants).sort()).toEqual(['__proto__', 'default'])
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  })

  it('has only the tenants, types and actions that are named, and those it need not know', () => {
    const pdp = makePdp([give('zoe', 'viewer', 'acme')])
    const options = { tenants: ['acme', 'nowhere'], types: ['hello', 'nothing'], actions: ['wave', 'fly'] }
    const { answers, rights, tenants } = pdp.snapshot('zoe', options)
    expect([answers, rights, tenants]).toEqual([
      [true, false],
      [{ hello: { wave: 0 } }, { hello: { wave: 1 } }],
      { acme: 0, nowhere: 1 },
    ])
    const none = { tenants: null, types: null, actions: null, context: null, lifetimeMs: null }
    expect(pdp.snapshot('zoe', none).etag).toBe(pdp.snapshot('zoe', null).etag)
  })

  it('has a tag of what it says, not of the revision or the time', () => {
    const tag = (user: string, revision: number, options: SnapshotOptions = {}) =>
      makePdp([give('zoe', 'viewer')], revision).snapshot(user, options).etag
    vi.useFakeTimers({ now: 1_000 })
    const first = tag('zoe', 7)
    vi.setSystemTime(2_000)
    expect(tag('zoe', 8)).toBe(first)
    const others = [tag('ana', 7), tag('zoe', 7, { lifetimeMs: 5 }), tag('zoe', 7, { actions: ['wave'] })]
    expect(new Set([first, ...others]).size).toBe(4)
  })

  it('[D8] leaves the time of asking open, whatever is sent, and has attributes that were sent', () => {
    const late = { 'resource.due': { 'less-than': { ref: 'context.now' } } }
    const pdp = makePdp(rule('note:edit', { allOf: [late, { 'resource.amount': { equals: { ref: 'user.limit' } } }] }))
    const user = { key: 'zoe', attributes: { limit: 1 } }
    const { answers } = pdp.snapshot(user, { tenants: ['acme'], context: { now: 1 } })
    expect(JSON.stringify(answers)).toContain('{"now":true}')
    const at = (now: number) => permissions({ ...pdp.snapshot(user, { tenants: ['acme'] }) }, { now: () => now })
    expect([at(2).can('edit', note), at(3).can('edit', note)]).toEqual([false, true])
  })

  it('leaves to the server what reads context that was not given, never denying it', () => {
    const pdp = makePdp(rule('note:edit', { allOf: [mine, { 'context.office': { equals: true } }] }))
    const may = (options: SnapshotOptions) =>
      permissions(pdp.snapshot('zoe', { tenants: ['acme'], ...options })).may('edit', note)
    expect(may({})).toBeUndefined()
    expect(may({ context: { office: true } })).toBe(true)
    expect(may({ context: { office: false } })).toBe(false)
    expect(may({ context: { office: null } })).toBe(false)
  })

  it('names no key of an instance on which the user has no role', () => {
    const open = { 'resource.owner': { object_match: { match: {}, fk_resource_type: 'note' } } }
    const pdp = makePdp([
      ...rule('note:edit', open),
      ...rule('note:read', mine, 'q'),
      ...['secret', 'other'].map((key) => stored(key, 'default')),
      stored('n1', 'acme'),
      stored('n2', 'acme'),
      reader('zoe', 'n2'),
    ])
    const byKey = { tenants: ['acme'], types: ['note'], tenantColumnIsAuthoritative: false }
    const snapshot = pdp.snapshot('zoe', byKey)
    expect(snapshot.answers).toEqual([
      null, // edit: would name the notes for which it is true
      { keys: ['n2'], where: expect.objectContaining({ isKeyOpen: true }) },
    ])
    expect(JSON.stringify(snapshot)).not.toMatch(/secret|other|n1/)
    const open1 = permissions(snapshot)
    expect([open1.may('read', note), open1.may('read', { ...note, key: 'n2' })]).toEqual([undefined, true])
    expect(open1.may('read', { ...note, key: null })).toBe(true)
    const options = { tenants: ['acme'], types: ['note'] }
    expect(permissions(pdp.snapshot('zoe', options)).may('read', note)).toBe(true)
    // nothing of the type is stored elsewhere
    expect(JSON.stringify(pdp.snapshot('zoe', { tenants: ['default'], types: ['hello'] }))).not.toContain('isKeyOpen')
  })

  it('leaves long answers to the server', () => {
    const keys = Array.from({ length: SNAPSHOT_ANSWER_LENGTH_MAX / 8 }, (_, at) => `n${String(at).padStart(4, '0')}`)
    const facts = (count: number) => keys.slice(0, count).flatMap((key) => [stored(key, 'acme'), reader('zoe', key)])
    const answer = (count: number) =>
      makePdp(facts(count)).snapshot('zoe', { types: ['note'], actions: ['read'] }).answers[0]
    const most = Math.floor((SNAPSHOT_ANSWER_LENGTH_MAX - '{"keys":[]}'.length + 1) / '"n0000",'.length)
    expect(answer(most)).toEqual({ keys: keys.slice(0, most) })
    expect(answer(most + 1)).toBeNull()
  })

  it('throws with the number when it would be too large', () => {
    const tenants = Array.from({ length: SNAPSHOT_TENANTS_MAX + 1 }, (_, at) => `t${at}`)
    const pdp = makePdp([...tenants.map(putTenant), ...tenants.map((tenant) => give('zoe', 'viewer', tenant))])
    expect(() => pdp.snapshot('zoe')).toThrow(error('LISTING_TOO_LARGE', '101 tenants'))
    expect(() => pdp.snapshot('ana', { tenants })).toThrow(error('LISTING_TOO_LARGE', '101 tenants'))
    expect(Object.keys(pdp.snapshot('zoe', { tenants: tenants.slice(1) }).tenants).length).toBe(SNAPSHOT_TENANTS_MAX)

    const actions = Array.from({ length: SNAPSHOT_ANSWERS_MAX / 2 - 3 }, (_, at) => `a${at}`)
    const wide = makePdp([put('resource', 'wide', { actions })])
    const inTwo = { tenants: ['acme', 'default'] }
    expect(() => wide.snapshot('zoe', inTwo)).toThrow(error('LISTING_TOO_LARGE', '2002 answers'))
    expect(wide.snapshot('zoe', { ...inTwo, types: ['note', 'wide'] }).rights.length).toBe(1)

    const text = 'x'.repeat(SNAPSHOT_ANSWER_LENGTH_MAX - 1_000)
    const count = Math.ceil(SNAPSHOT_LENGTH_MAX / text.length) + 1
    const many = actions.slice(0, count)
    const long = makePdp([
      put('resource', 'note', { actions: many, attributes: { owner: 'string' } }),
      put('resource_role', 'note/reader', {
        resource: 'note',
        role: 'reader',
        permissions: [],
        extends: [],
        granted_to: null,
      }),
      ...many.flatMap((action) => rule(`note:${action}`, { 'resource.owner': { equals: `${text}${action}` } }, action)),
    ])
    expect(() => long.snapshot('zoe', { tenants: ['acme'] })).toThrow(error('LISTING_TOO_LARGE', 'characters'))
    expect(long.snapshot('zoe', { tenants: ['acme'], actions: many.slice(0, 3) }).answers.length).toBe(3)
  })

  it('refuses what cannot be asked', async () => {
    const pdp = makePdp([])
    for (const lifetimeMs of [0, -1, 1.5, Number.NaN, SNAPSHOT_LIFETIME_MAX_MS + 1, '5' as never])
      expect(() => pdp.snapshot('zoe', { lifetimeMs })).toThrow(error('INPUT_INVALID', 'lifetimeMs'))
    expect(pdp.snapshot('zoe', { lifetimeMs: SNAPSHOT_LIFETIME_MAX_MS }).lifetimeMs).toBe(SNAPSHOT_LIFETIME_MAX_MS)
    for (const wrong of [{ tenants: 'acme' }, { types: [7] }, { actions: {} }, { context: [] }])
      expect(() => pdp.snapshot('zoe', wrong as never)).toThrow(error('INPUT_INVALID'))
    expect(() => pdp.snapshot(7 as never)).toThrow(error('INPUT_INVALID'))
    const declared = [
      put('resource', '__user', { actions: [], attributes: { level: 'number' } }),
      putUser('zoe'),
      putRole('x', []),
    ]
    const strict = makePdp(declared, 7, { strictAttributes: true })
    expect(() => strict.snapshot({ key: 'zoe', attributes: { level: 'high' } })).toThrow(error('ATTRIBUTE_ILL_TYPED'))
    await pdp.close()
    expect(() => pdp.snapshot('zoe')).toThrow(error('CLOSED'))
  })
})
