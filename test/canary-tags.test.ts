// Canaries are planted behind tags in the sources: each tag is there once and is used, and what is planted is code.
import { describe, expect, it } from 'vitest'
import {
  OF_COLLISIONS,
  OF_EVERYBODY,
  OF_EVERYBODY_AS_USERS,
  OF_ROLE_SIDES,
  OF_SIDES_BY_EVERYBODY,
  OF_SUSPENSIONS,
  OF_TENANTS_IN_TIME,
  OF_TIMES,
  OF_UNKNOWN_IDS,
} from './kernel/canaries.ts'
import { FIELD, PAYLOADS } from './management/field-of-tenants.ts'
import { PLAIN_KIND } from './management/plain-kind.ts'
import { CANARIES_IN_TIME, CANARIES as OF_ACCESS_DIFF } from './property/access-diff-canaries.ts'
import { OF_REQUESTS } from './property/access-requests.ts'
import { OF_CLAIMS } from './property/claims.ts'
import { OF_HOLDERS } from './property/conditional-roles.ts'
import { OF_DIRECTORIES } from './property/directories.ts'
import * as OF_EVERYBODY_IN_THE_HOST from './property/everybody-canaries.ts'
import { OF_EVERYBODY_IN_FILTERS } from './property/filter-everybody-canaries.ts'
import { OF_NO_ONE } from './property/no-one.ts'
import * as OF_TIMES_IN_THE_HOST from './property/times-canaries.ts'
import { CANARIES as OF_REPLICAS } from './replicas/consistency/canaries.ts'
import { NEXT, WITHOUT_GROUPS, WITHOUT_TIMES } from './replicas/other-versions.ts'
import { OF_REPORTS, OF_RUNS } from './shadow/canaries.ts'
import { type Canary, plant, plantedSources, taggedSources, tagsIn } from './support/canary.ts'
import { ANSWERS_AFTER_THEIR_WRITE } from './support/repeated-writes.ts'
import { OF_SLICES, OF_SYNC } from './sync/canaries.ts'

const CANARIES: readonly Canary[] = [
  OF_ACCESS_DIFF,
  CANARIES_IN_TIME,
  OF_COLLISIONS,
  OF_UNKNOWN_IDS,
  OF_TIMES,
  OF_SUSPENSIONS,
  OF_EVERYBODY,
  OF_EVERYBODY_AS_USERS,
  OF_SIDES_BY_EVERYBODY,
  OF_TENANTS_IN_TIME,
  OF_ROLE_SIDES,
  OF_HOLDERS,
  OF_REQUESTS,
  OF_REPORTS,
  OF_RUNS,
  OF_CLAIMS,
  OF_SYNC,
  OF_SLICES,
  // its third one is also of OF_CLAIMS
  { 'false-as-text': OF_DIRECTORIES['false-as-text'] },
  { 'keeps-what-is-no-longer-given': OF_DIRECTORIES['keeps-what-is-no-longer-given'] },
  { 'no-one-signed-in': OF_NO_ONE['takes undefined for null']! },
  OF_EVERYBODY_IN_FILTERS,
  ...Object.values(OF_EVERYBODY_IN_THE_HOST),
  ...Object.values(OF_TIMES_IN_THE_HOST).filter((each) => typeof each !== 'function'),
  ...Object.values(OF_REPLICAS),
  ANSWERS_AFTER_THEIR_WRITE,
  NEXT,
  WITHOUT_GROUPS,
  WITHOUT_TIMES,
  FIELD,
  PAYLOADS,
  PLAIN_KIND,
]

const used = CANARIES.flatMap((canary) => Object.entries(canary))
const sources = taggedSources()

describe('the tags of canaries', () => {
  it('are each in the sources once, and each is used by one canary', () => {
    const tags = [...sources.values()].flatMap(tagsIn)
    expect(tags.toSorted()).toEqual(used.map(([tag]) => tag).toSorted())
    expect(new Set(tags).size).toBe(tags.length)
  })

  it('are written as tags are: no other comment speaks of canaries', () => {
    for (const [path, source] of sources) expect(source.match(/canary/gi), path).toHaveLength(tagsIn(source).length)
  })

  it.each(used)('%s can be planted, and changes its file', (tag, replacement) => {
    for (const [path, text] of plantedSources({ [tag]: replacement }, sources)) {
      expect(text).not.toBe(sources.get(path))
      expect(tagsIn(text)).toEqual(tagsIn(sources.get(path)!))
    }
  })
})

describe('a canary', () => {
  const tag = '/* canary: one */'

  it.each([
    [`f(/* canary: one */ a + b, c)`, 'd', 'f(/* canary: one */ d, c)'],
    [`// “naïve” 🐤\n${tag}\n  f(a).b = c // why`, 'void 0', `// “naïve” 🐤\n${tag}\n  void 0 // why`],
    [`const o = { ${tag} a: 1, b }`, '...{}', `const o = { ${tag} ...{}, b }`],
    [`const s = [...a, ${tag} ...b]`, '...[]', `const s = [...a, ${tag} ...[]]`],
    [`if (a || ${tag} b === c) d()`, 'true', `if (a || ${tag} true) d()`],
    [`for (const a of b) ${tag} c(a)`, 'void a', `for (const a of b) ${tag} void a`],
    [`${tag} import { a } from 'b'`, '', `${tag} `],
  ])('replaces the outermost node behind its tag, and nothing else: %s', (source, replacement, expected) => {
    expect(plant(source, { one: replacement })).toBe(expected)
  })

  it('can be made from the code that it replaces, and of several places', () => {
    const source = `${tag} a()\n/* canary: two */ b()\n`
    const wrong = plant(source, { one: (code) => `slowly(${code})`, two: 'c()' })
    expect(wrong).toBe(`${tag} slowly(a())\n/* canary: two */ c()\n`)
  })

  it.each([
    ['whose tag is missing', 'a()', 'b()'],
    ['whose tag is there twice', `${tag} a()\n${tag} b()`, 'c()'],
    ['with nothing behind its tag', `f(a ${tag} , b)`, 'c'],
    ['that is no code', `${tag} a()`, 'if ('],
  ])('is refused: one %s', (_, source, replacement) => {
    expect(() => plant(source, { one: replacement })).toThrow()
  })

  it('is refused when no source has its tag, or two have it', () => {
    expect(() => plantedSources({ one: 'b()' }, new Map([['src/a.ts', 'a()']]))).toThrow('no source has the tag one')
    const both = new Map(['src/a.ts', 'src/b.ts'].map((path) => [path, `${tag} a()`]))
    expect(() => plantedSources({ one: 'b()' }, both)).toThrow('more than one source has the tag one')
  })
})
