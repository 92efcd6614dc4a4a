// Decisions of `zerohop/browser` where it cannot simply say yes or no: too old, left to the server, properties that are
// missing. That it decides as checks do is test/property/snapshot.test.ts.
import { describe, expect, it } from 'vitest'
import { type Permissions, permissions, type Row } from '../../src/browser/permissions.ts'
import type { FilterNode } from '../../src/model/filter.ts'
import type { Snapshot, SnapshotAnswer } from '../../src/model/snapshot.ts'

const amount: FilterNode = {
  op: 'less-than',
  left: { path: ['amount'], type: 'number' },
  right: { value: 500 },
}
const folder: FilterNode = { related: 'parent', type: 'folder', in: ['f1'] }
const due: FilterNode = { op: 'less-than', left: { now: true }, right: { path: ['due'], type: 'time' } }
const where = (node: FilterNode, attributes: readonly string[], relations: readonly string[] = []) => ({
  where: { node, attributes, relations },
})
const ANSWERS = {
  read: true,
  fly: false,
  share: null,
  open: { keys: ['k1'] },
  pay: where(amount, ['amount']),
  move: where({ or: [amount, folder] }, ['amount'], ['parent']),
  renew: where(due, ['due']),
  merge: { keys: ['k1'], where: { node: amount, attributes: ['amount'], relations: [], isKeyOpen: true } },
} satisfies Record<string, SnapshotAnswer>

const names = Object.keys(ANSWERS)
const actions = Object.fromEntries(names.map((name, place) => [name, place]))
const snapshot: Snapshot = {
  format: 1,
  revision: 7,
  user: 'ana',
  expiresAt: 10_000,
  lifetimeMs: 1_000,
  etag: 'x',
  answers: Object.values(ANSWERS),
  rights: [{ invoice: actions }, { invoice: { read: names.indexOf('fly') } }],
  tenants: { acme: 0, default: 1 },
}
const at = (now: number, tenant?: string): Permissions => permissions(snapshot, { now: () => now, tenant })
const row = (more: Partial<Row> = {}): Row => ({ type: 'invoice', tenant: 'acme', key: 'k2', ...more })
const error = (code: string, text = '') => expect.objectContaining({ code, message: expect.stringContaining(text) })
const can = (action: string, resource: Row | string, now = 9_999) => at(now).can(action, resource)

describe('can', () => {
  it('answers by type, action and tenant', () => {
    expect([can('read', row()), can('fly', row())]).toEqual([true, false])
    expect(can('read', row({ tenant: 'default' }))).toBe(false)
    expect([can('open', row({ key: 'k1' })), can('open', row()), can('open', row({ key: null }))]).toEqual([
      true,
      false,
      false,
    ])
    expect([can('pay', row({ attributes: { amount: 3 } })), can('pay', row({ attributes: { amount: 500 } }))]).toEqual([
      true,
      false,
    ])
  })

  it('[D2] takes a type alone for one in `default`, unless it gets a tenant', () => {
    expect(can('read', 'invoice')).toBe(false)
    expect(at(0, 'acme').can('read', 'invoice')).toBe(true)
    expect(at(0, 'acme').can('read', { type: 'invoice', key: 'k2' })).toBe(true)
    expect(at(0, 'acme').can('read', row({ tenant: 'default' }))).toBe(false)
  })

  it('[D8] takes the time of the browser for now', () => {
    expect(can('renew', row({ attributes: { due: 5_000 } }), 4_999)).toBe(true)
    expect(can('renew', row({ attributes: { due: 5_000 } }), 5_000)).toBe(false)
  })

  it('answers nothing from the moment on at which the snapshot ends', () => {
    expect(() => can('read', row(), 10_000)).toThrow(error('SNAPSHOT_EXPIRED'))
    expect(() => can('read', row(), Number.NaN)).toThrow(error('SNAPSHOT_EXPIRED'))
  })

  it('leaves to the server what the snapshot does not hold, also names of every object', () => {
    expect(() => can('share', row())).toThrow(error('ASK_SERVER', 'share of invoice in tenant acme'))
    for (const [action, of] of [
      ['toString', row()],
      ['read', row({ type: 'constructor' })],
      ['read', row({ tenant: '__proto__' })],
      ['read', row({ tenant: 'nowhere' })],
      ['sell', row()],
    ] as const)
      expect(() => can(action, of)).toThrow(error('ASK_SERVER'))
  })

  it('[D2] leaves a row with a key to the server where other tenants may have the key', () => {
    const paid = { attributes: { amount: 3 } }
    expect(can('merge', row({ ...paid, key: null }))).toBe(true)
    expect(can('merge', row({ ...paid, key: 'k1' }))).toBe(true)
    expect(() => can('merge', row(paid))).toThrow(error('ASK_SERVER'))
    expect(can('merge', row({ attributes: { amount: 500 } }))).toBe(false)
  })

  it('names a property that is absent, also one on which the answer does not depend', () => {
    const all = { attributes: { amount: 3 }, relations: { parent: [] } }
    expect(can('move', row(all))).toBe(true)
    const absent: [Partial<Row>, string][] = [
      [{ ...all, attributes: {} }, '`attributes.amount`'],
      [{ ...all, attributes: { amount: undefined } }, '`attributes.amount`'],
      [{ ...all, attributes: null }, '`attributes.amount`'],
      [{ ...all, attributes: Object.create({ amount: 3 }) as object }, '`attributes.amount`'],
      [{ attributes: { amount: 3 } }, '`relations.parent`'],
      [{ ...all, tenant: null }, '`tenant`'],
      [{ ...all, key: undefined as never }, '`key`'],
      [{ ...all, type: undefined as never }, '`type`'],
    ]
    for (const [more, name] of absent) expect(() => can('move', row(more))).toThrow(error('PROPERTY_MISSING', name))
    expect(can('move', row({ ...all, attributes: { amount: null } }))).toBe(false)
    expect(can('move', row({ attributes: { amount: null }, relations: { parent: ['folder:f1'] } }))).toBe(true)
  })

  it('refuses values that are not JSON, which conditions would take for missing ones', () => {
    const values = [new Date(), Number.NaN, 3n, () => 3, new Map(), [undefined], { at: new Date() }, Symbol('x')]
    for (const amount of values)
      expect(() => can('pay', row({ attributes: { amount } }))).toThrow(error('INPUT_INVALID', '`attributes.amount`'))
    for (const amount of [null, 'x', false, [1, ['x']], { a: { b: undefined } }, Object.create(null)])
      expect(can('pay', row({ attributes: { amount } }))).toBe(false)
    expect(() => can('read', row({ key: 7 as never }))).toThrow(error('INPUT_INVALID', '`key`'))
    expect(() => can(7 as never, row())).toThrow(error('INPUT_INVALID', '`action`'))
    const relations = { parent: ['folder:f1', 7] as never }
    expect(() => can('move', row({ attributes: { amount: 900 }, relations }))).toThrow(error('INPUT_INVALID'))
  })

  it('refuses what is not a snapshot of its version', () => {
    for (const other of [{ ...snapshot, format: 2 }, {}, null, undefined])
      expect(() => permissions(other as never)).toThrow(error('SNAPSHOT_INVALID'))
  })
})

describe('may and canOrAsk', () => {
  it('say undefined, or ask, where the server must be asked, and only there', async () => {
    const asked: unknown[] = []
    const ask = async (...question: unknown[]) => {
      asked.push(question)
      return true
    }
    for (const [now, action] of [
      [0, 'share'],
      [10_000, 'fly'],
    ] as const) {
      expect(at(now).may(action, row())).toBeUndefined()
      expect(await at(now).canOrAsk(action, row(), ask)).toBe(true)
    }
    expect(asked).toEqual([
      ['share', row()],
      ['fly', row()],
    ])
    expect(at(0).may('fly', row())).toBe(false)
    expect(await at(0).canOrAsk('fly', row(), ask)).toBe(false)
    expect(() => at(0).may('pay', row())).toThrow(error('PROPERTY_MISSING'))
    await expect(at(0).canOrAsk('pay', row(), ask)).rejects.toThrow(error('PROPERTY_MISSING'))
    expect(asked.length).toBe(2)
  })
})
