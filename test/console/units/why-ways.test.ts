// What an explanation names, as links, and its ways as drawings: pure, without a page.
import { describe, expect, it } from 'vitest'
import { type Noun, parseSegments } from '../../../console/src/pages/why/nouns.ts'
import { listWays } from '../../../console/src/pages/why/ways.ts'

const ASKED = { user: 'ben', type: 'doc', resource: 'doc:18' }

/** Each noun of a sentence, with where it leads. */
function listNouns(sentence: string): readonly string[] {
  const segments = parseSegments(sentence, ASKED)
  expect(segments.map(({ text }) => text).join('')).toBe(sentence)
  return segments.flatMap(({ text, noun }) => (noun === undefined ? [] : [`${text} → ${say(noun)}`]))
}

const say = (noun: Noun): string =>
  noun.is === 'attribute'
    ? `attribute of ${say(noun.of)}`
    : [noun.is, noun.key, noun.is === 'part' && noun.tab].filter(Boolean).join(' ')

describe('a sentence of an explanation', () => {
  it.each([
    ['ben cannot approve doc:18 in tenant acme', ['ben → user ben', 'doc:18 → instance doc:18', 'acme → tenant acme']],
    [
      'ben has role editor in tenant acme, which extends viewer, which has doc:read',
      [
        'ben → user ben',
        'editor → role editor',
        'acme → tenant acme',
        'viewer → role viewer',
        'doc:read → part doc actions',
      ],
    ],
    [
      'ben has role owner on folder:f1, which gives reader on doc:18 via the parent relation, which has doc:read',
      [
        'ben → user ben',
        'owner → part folder roles',
        'folder:f1 → instance folder:f1',
        'reader → part doc roles',
        'doc:18 → instance doc:18',
        'parent → part doc relations',
        'doc:read → part doc actions',
      ],
    ],
    [
      'ben does not hold role doc#editor on doc:18',
      ['ben → user ben', 'doc#editor → part doc roles', 'doc:18 → instance doc:18'],
    ],
    ['a set rule would allow this: user set staff, resource set small', ['staff → set staff', 'small → set small']],
    ['user.department is missing, and must be "finance"', ['user.department → attribute of user ben']],
    ['resource.amount is 7, and must be less than 5', ['resource.amount → attribute of instance doc:18']],
    [
      'role admin or boss in tenant acme would allow this; ben has role viewer there',
      ['admin → role admin', 'boss → role boss', 'acme → tenant acme', 'ben → user ben', 'viewer → role viewer'],
    ],
    [
      'role owner or boss (extends seer) on doc:18 would allow this; ben has no role on it',
      ['owner → part doc roles', 'doc:18 → instance doc:18', 'ben → user ben'],
    ],
    [
      'role owner on an instance of doc would allow this; the check names no instance',
      ['owner → part doc roles', 'doc → type doc'],
    ],
    [
      'role owner on folder:f1, which gives reader on doc:18 via the parent relation, would allow this',
      [
        'owner → part folder roles',
        'folder:f1 → instance folder:f1',
        'reader → part doc roles',
        'doc:18 → instance doc:18',
        'parent → part doc relations',
      ],
    ],
    ['ben is not in user set "sales staff"', ['ben → user ben', '"sales staff" → set sales staff']],
    ['user set very-long… is too long to be opened', []],
  ])('%s', (sentence, expected) => {
    expect(listNouns(sentence)).toEqual(expected)
  })
})

describe('the ways of an explanation', () => {
  const why = { user: 'ben', action: 'read', resource: { type: 'doc', key: '18' }, tree: { children: [] } }
  const drawn = (explained: object) =>
    listWays({ because: [], misses: [], why, ...explained } as never).map(({ steps }) =>
      steps.map(({ by, text, failing }) => [by, text, ...(failing ?? [])].filter(Boolean).join(' ')),
    )

  it('go over roles of the tenant', () => {
    const because = [
      { source: 'rbac', role: 'editor', tenant: 'acme', permission: 'doc:read', path: ['editor', 'viewer'] },
    ]
    expect(drawn({ because })).toEqual([
      ['ben', 'has, in acme, role editor', 'which extends role viewer', 'which can read doc'],
    ])
  })

  it('go over relations', () => {
    const tree = {
      children: [
        {
          text: 'ben has role owner on folder:f1, which gives reader on doc:18 via the parent relation, which has doc:read',
          children: [],
        },
      ],
    }
    const because = [
      {
        source: 'rebac',
        role: 'owner',
        tenant: 'acme',
        permission: 'doc:read',
        path: ['folder:f1#owner', 'doc:18#reader'],
      },
    ]
    expect(drawn({ because, why: { ...why, tree } })).toEqual([
      [
        'ben',
        'has role owner',
        'on folder:f1',
        'by relation parent to doc:18',
        'which gives role reader',
        'which can read doc',
      ],
    ])
  })

  it('go over relations to a role under a condition', () => {
    const text = 'ben has role owner on folder:f1, which gives reader on doc:18 via the parent relation'
    const tree = { children: [{ text: 'a set rule allows this', children: [{ text, children: [] }] }] }
    const path = ['folder:f1#owner', 'doc:18#reader']
    const sides = { role: '__autogen_doc#reader', resource_set: '__autogen_doc' }
    const because = [{ source: 'abac', ...sides, tenant: 'acme', permission: 'doc:read', path }]
    expect(drawn({ because, why: { ...why, tree } })).toEqual([
      [
        'ben',
        'has role owner',
        'on folder:f1',
        'by relation parent to doc:18',
        'which gives role reader',
        'which can read doc',
        'on any doc',
        'which has doc:18',
      ],
    ])
  })

  it('end where a test of a set fails', () => {
    const tests = [{ attribute: 'user.department', reason: 'not_met', value: 'sales' }]
    const misses = [
      { user_set: 'staff', resource_set: '__autogen_doc', failed: [{ side: 'user_set', set: 'staff', tests }] },
    ]
    expect(drawn({ misses })).toEqual([
      [
        'ben',
        'is not in user set staff user.department is "sales"',
        'which can read doc',
        'on any doc',
        'which has doc:18',
      ],
    ])
  })
})
