// Relations that are sent with a question to the library: what is refused, what is explained, and what cannot be
// decided. What they give is compared with the definition by the cases of D14 and by test/property.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { SENT_RELATIONS_MAX, SENT_SUBJECTS_MAX } from '../../src/model/limits.ts'
import { sayBecause } from '../../src/pdp/explain-text.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'

const many = (length: number, make: (at: number) => string) => Array.from({ length }, (_, at) => make(at))
const folders = many(SENT_SUBJECTS_MAX, (at) => `folder:f${at}`)
/** Rules of one role: with 64 folders more pairs of role and folder than one check looks at. */
const roles = many(200, (at) => `f${at}`)
const derived = (role: string) => ({ role, on_resource: 'folder', linked_by_relation: 'parent' })

const POLICY: Operation[] = [
  ['put', 'resource', { key: 'folder', actions: ['read'] }],
  ['put', 'resource', { key: 'document', actions: ['read', 'list'] }],
  ['put', 'relation', { resource: 'document', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'resource_role', { resource: 'folder', role: 'reader', permissions: ['folder:read'] }],
  ...roles.map((role): Operation => ['put', 'resource_role', { resource: 'folder', role, permissions: [] }]),
  [
    'put',
    'resource_role',
    {
      resource: 'document',
      role: 'reader',
      permissions: ['document:read'],
      granted_to: { users_with_role: [derived('reader')] },
    },
  ],
  [
    'put',
    'resource_role',
    {
      resource: 'document',
      role: 'lister',
      permissions: ['document:list'],
      granted_to: { users_with_role: roles.map(derived) },
    },
  ],
  ['put', 'user', { key: 'ana' }],
  ...folders.map((folder): Operation => {
    return ['put', 'resource_instance', { resource: 'folder', instance: folder.slice(7), tenant: 'default' }]
  }),
  ['put', 'role_assignment', { user: 'ana', role: 'reader', tenant: 'default', resource_instance: 'folder:f1' }],
]

const world = new World()
world.runAll(POLICY)
const bytes = Image.build(ENVIRONMENT, makePosition(1), world.contents()).save()
const pdp = loadImage(bytes)
const ask = (relations: unknown) => pdp.check('ana', 'read', { type: 'document', relations } as never)
const named = (length: number) =>
  Object.fromEntries(many(length, (at) => `r${at}`).map((name) => [name, ['folder:f1']]))

describe('relations of a question', () => {
  it.each<[string, unknown, RegExp]>([
    ['a list', ['folder:f1'], /^resource\.relations must be an object$/],
    ['a text', 'parent', /^resource\.relations must be an object$/],
    ['one subject alone', { parent: 'folder:f1' }, /^resource\.relations\.parent must be a list of subjects$/],
    ['null for a list', { parent: null }, /^resource\.relations\.parent must be a list of subjects$/],
    ['a subject without a type', { parent: ['f1'] }, /^resource\.relations\.parent\.0 must be a subject, `type:key`$/],
    ['a subject with an empty type', { parent: [':f1'] }, /^resource\.relations\.parent\.0 must be a subject/],
    ['a subject that is no text', { parent: ['folder:f1', 5] }, /^resource\.relations\.parent\.1 must be a subject/],
  ])('that are %s are refused', (_, relations, message) => {
    expect(() => ask(relations)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
    expect(() => ask(relations)).toThrow(message)
  })

  it.each([undefined, null, {}, { parent: [] }, { parent: undefined }])('may be absent or empty: %j', (relations) => {
    expect(ask(relations)).toBe(false)
  })

  it('are at most 64 of 64 subjects', () => {
    const subjects = many(SENT_SUBJECTS_MAX - 1, (at) => `folder:no${at}`)
    expect(ask({ ...named(SENT_RELATIONS_MAX - 1), parent: [...subjects, 'folder:f1'] })).toBe(true)
    const refused = expect.objectContaining({ code: 'TOO_MANY_RELATIONS' })
    expect(() => ask({ parent: [...subjects, 'folder:f1', 'folder:f1'] })).toThrow(refused)
    expect(() => ask({ parent: [...subjects, 'folder:f1', 'folder:f1'] })).toThrow(
      'a check can send at most 64 subjects of relation `parent`',
    )
    expect(() => ask(named(SENT_RELATIONS_MAX + 1))).toThrow(refused)
    expect(() => ask(named(SENT_RELATIONS_MAX + 1))).toThrow('a check can send at most 64 relations')
  })

  it('that cannot be read are refused, and the next question is answered', () => {
    const throwing = Object.defineProperty({}, 'parent', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    expect(() => ask(throwing)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
    expect(ask({ parent: ['folder:f1'] })).toBe(true)
  })

  it('are read before anything is decided: a getter may ask', () => {
    const asking = Object.defineProperty({}, 'parent', {
      enumerable: true,
      get: () => [ask({ parent: ['folder:none'] }) ? 'folder:none' : 'folder:f1'],
    })
    expect(ask(asking)).toBe(true)
  })

  it('are not answered without them', () => {
    const resource = { type: 'document', relations: { parent: ['folder:f1'] } }
    expect(pdp.checkWithoutAttributes('ana', 'read', resource)).toBeUndefined()
    expect(pdp.checkWithoutAttributes('ana', 'read', { type: 'document' })).toBe(false)
  })

  it('are shown in the path of an explanation, also of a document that has no key yet', () => {
    const explainPaths = (key?: string) => {
      const resource = { type: 'document', key: key ?? null, relations: { parent: ['folder:f1'] } }
      return pdp.explain('ana', 'read', resource).because.map(sayBecause)
    }
    const path = (document: string) =>
      `reader on folder:f1 in default has document:read (folder:f1#reader → ${document}#reader)`
    expect([explainPaths(), explainPaths('new')]).toEqual([[path('document:*')], [path('document:new')]])
  })

  it('[D13] that lead too far could not be decided', () => {
    const list = (subjects: string[]) => pdp.check('ana', 'list', { type: 'document', relations: { parent: subjects } })
    expect(list(['folder:f1'])).toBe(false)
    const undecided = expect.objectContaining({ code: 'UNDECIDED', details: { what: 'document' } })
    expect(() => list(folders)).toThrow(undecided)
    expect(ask({ parent: folders })).toBe(true) // what allows is enough
    expect(list(folders.map((folder) => `${folder}-unknown`))).toBe(false) // unknown names cost no work
  })
})

describe('a compiled kernel', () => {
  it('that is older than this host, and may know no relations, is refused instead of ignoring them', () => {
    const file = new URL('../../build/release.wasm', import.meta.url)
    const older = readFileSync(file)
    const at = older.indexOf('decideByRoles')
    expect(at).toBeGreaterThan(0)
    older.write('decideUnknown', at)
    const foreign = expect.objectContaining({ code: 'IMAGE_FOREIGN' })
    expect(() => loadImage(bytes, { kernel: new WebAssembly.Module(older) })).toThrow(foreign)
    expect(loadImage(bytes, { kernel: new WebAssembly.Module(readFileSync(file)) }).revision).toBe(1)
  })
})
