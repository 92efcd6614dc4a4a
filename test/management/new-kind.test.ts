// What CONTRIBUTING.md writes about a plain kind holds: its table, its words and a line in each of two registries, and it
// has routes, sections of files, plans, moves, reverts and history. Asked of a copy of the build with these lines.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLAIN_KIND } from './plain-kind.ts'
import { type ServedCopy, serveCopy } from './served-copy.ts'

type Words = typeof import('../../src/kinds/history-words.ts')

const LABELS = '/v2/schema/default/development/labels'
const ENVIRONMENT = '/v2/projects/default/envs/development'

describe('a plain kind', () => {
  let copy: ServedCopy
  const apply = (policy: object, more: object = {}) =>
    copy.ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, ...policy }, ...more })
  beforeAll(async () => {
    copy = await serveCopy(PLAIN_KIND)
  })
  afterAll(() => copy.close())

  it('is created, read, listed, changed, reset and deleted, and refuses what it does not have', async () => {
    const created = await copy.ask('POST', LABELS, { key: 'red', name: 'Red', color: '#f00' })
    expect(created.body).toMatchObject({ key: 'red', name: 'Red', description: null, color: '#f00' })
    expect((await copy.ask('PATCH', `${LABELS}/red`, { description: 'hot' })).body).toMatchObject({ color: '#f00' })
    expect((await copy.ask('PUT', `${LABELS}/red`, { color: '#e00' })).body).toMatchObject({
      name: 'red',
      description: null,
    })
    expect((await copy.ask('GET', `${LABELS}/red`)).body.color).toBe('#e00')
    expect((await copy.ask('GET', `${LABELS}?search=re`)).body).toHaveLength(1)
    expect((await copy.ask('POST', LABELS, { key: 'blue', colour: 5 })).status).toBe(422)
    await copy.ask('POST', LABELS, { key: 'blue' })
    expect((await copy.ask('DELETE', `${LABELS}/blue`)).status).toBe(204)
  })

  it('is exported, planned, applied and reverted', async () => {
    const exported = await copy.ask('GET', `${ENVIRONMENT}/export`)
    expect(exported.body.labels).toEqual([{ key: 'red', color: '#e00' }])
    const labels = [{ key: 'red', color: '#d00' }, { key: 'green' }]
    const changes = [
      { op: 'create', kind: 'label', key: 'green', fields: {} },
      { op: 'update', kind: 'label', key: 'red', fields: { color: ['#e00', '#d00'] } },
    ]
    const plan = await copy.ask('POST', `${ENVIRONMENT}/plan`, { policy: { zerohop: 2, labels } })
    expect(plan.body.changes).toEqual(changes)
    const { body: applied } = await apply({ labels })
    expect((await copy.ask('GET', `${ENVIRONMENT}/revisions/${applied.revision}`)).body.changes).toEqual(changes)
    await copy.ask('POST', `${ENVIRONMENT}/revisions/${applied.revision}/revert`, {})
    expect((await copy.ask('GET', LABELS)).body).toMatchObject([{ key: 'red', color: '#e00' }])
  })

  it('is renamed by `moved`, and deleted where a file that manages it does not name it', async () => {
    const manages = [{ kind: 'label' }]
    const moved = [{ kind: 'label', from: 'red', to: 'crimson' }]
    const renamed = await apply({ manages, moved, labels: [{ key: 'crimson', color: '#e00' }] }, { prune: true })
    expect(renamed.body.changes).toEqual([
      { op: 'move', kind: 'label', key: 'crimson', fields: { key: ['red', 'crimson'] } },
    ])
    await apply({ manages, labels: [{ key: 'other' }] }, { prune: true })
    expect((await copy.ask('GET', LABELS)).body).toMatchObject([{ key: 'other', name: 'other' }])
  })

  it('has words in the history', async () => {
    const { historySentence, operationSentence } = await copy.load<Words>('kinds/history-words.js')
    expect(operationSentence('replaceLabel')).toBe('Saved a label')
    const objects = [{ kind: 'label', key: 'red', op: 'create' as const }]
    const { title } = historySentence({ operation: 'createLabel', changed: { objects, count: 1 } })
    expect(title).toBe('Created label red')
  })
})
