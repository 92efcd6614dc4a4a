// A delta that cannot be applied leaves the image exactly as it was, and a delta of another history is never taken for
// the next one.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { Delta, PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { EXTENDS_DEPTH_MAX } from '../../src/model/limits.ts'
import { deltaTo, ENVIRONMENT, makeChain } from '../support/deltas.ts'
import { exampleImage, listAnswers } from '../support/example.ts'

const put = (kind: string, key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const assignment = (user: string, role: string, tenant: string) =>
  put('role_assignment', `${user}/${role}/${tenant}`, { user, role, tenant })
const role = (key: string, permissions: string[], parents: string[] = []) =>
  put('role', key, { permissions, extends: parents })
const own = (key: string, parents: string[] = []) =>
  put('tenant_role', `${key}@default`, { tenant: 'default', role: key, permissions: [], extends: parents })

/** Applies a delta that must be refused with `code`, and compares the image before and after, byte for byte. */
function refuses(code: 'DELTA_INVALID' | 'FEED_GAP' | 'FEED_FORK', delta: Delta, image = exampleImage()): void {
  const before = [image.save(), listAnswers(image), image.position] as const
  let thrown: unknown
  try {
    image.apply(delta)
  } catch (error) {
    thrown = error
  }
  expect(isZerohopError(thrown) ? thrown.code : thrown).toBe(code)
  expect(Buffer.compare(image.save(), before[0]), 'the bytes changed').toBe(0)
  expect([listAnswers(image), image.position]).toEqual([before[1], before[2]])
  image.verify()
  image.apply(deltaTo(2, [put('user', 'zoe', {}), assignment('zoe', 'viewer', 'default')]))
  expect(image.check('zoe', 'wave', 'hello', 'default')).toBe(true)
}

describe('a delta with a change that cannot be is refused as a whole', () => {
  const good = [put('user', 'new', {}), assignment('new', 'admin', 'default')]
  const bad: Record<string, PolicyChange[]> = {
    'a user who does not exist': [assignment('nobody', 'viewer', 'default')],
    'a role that does not exist': [assignment('ana', 'nothing', 'default')],
    'a tenant that does not exist': [assignment('ana', 'viewer', 'nowhere')],
    'a user deleted in the same revision': [
      { op: 'delete', kind: 'user', key: 'ana' },
      assignment('ana', 'viewer', 'default'),
    ],
    'a permission of an unknown resource': [role('viewer', ['bye:wave'])],
    'a permission of an unknown action': [role('viewer', ['hello:sing'])],
    'a permission on an action removed in the same revision': [
      put('resource', 'hello', { actions: ['say'] }),
      role('viewer', ['hello:wave']),
    ],
    'an invalid permission': [role('viewer', ['hello'])],
    'a role extending one that does not exist': [role('viewer', [], ['nothing'])],
    'a role extending itself': [role('viewer', [], ['viewer'])],
    'roles extending each other': [role('viewer', ['hello:wave'], ['admin'])],
    'a circle over three roles': [role('a', [], ['c']), role('b', [], ['a']), role('c', [], ['b'])],
    'a chain of roles longer than the limit': Array.from({ length: EXTENDS_DEPTH_MAX + 1 }, (_, index) =>
      role(`level-${index}`, [], index === 0 ? [] : [`level-${index - 1}`]),
    ),
    'a key that is empty': [put('user', '', {})],
    'a key of 257 bytes': [put('tenant', 'k'.repeat(257), {})],
    'a key with a lone surrogate': [put('role', 'a\ud800', { permissions: [], extends: [] })],
    'an action of 257 bytes': [put('resource', 'bye', { actions: ['k'.repeat(257)] })],
    'an assignment key that is none': [{ op: 'delete', kind: 'role_assignment', key: 'ana/viewer' }],
    'a role of a tenant under the key of another role': [
      put('tenant_role', 'viewer', { tenant: 'default', role: 'viewer', permissions: [], extends: [] }),
    ],
    'a role of the environment under the key of one of a tenant': [role('viewer@default', [])],
    'a delete of a role of the environment as one of a tenant': [{ op: 'delete', kind: 'tenant_role', key: 'viewer' }],
    'a delete of a role of a tenant as one of the environment': [
      own('clerk'),
      { op: 'delete', kind: 'role', key: 'clerk@default' },
    ],
    'an assignment of a role of a tenant in another tenant': [
      own('clerk'),
      put('tenant', 'other', {}),
      assignment('ana', 'clerk@default', 'other'),
    ],
    'a role of a tenant that extends one of another tenant': [
      own('clerk'),
      put('tenant', 'other', {}),
      put('tenant_role', 'thief@other', {
        tenant: 'other',
        role: 'thief',
        permissions: [],
        extends: ['clerk@default'],
      }),
    ],
    'a role of the environment that extends one of a tenant': [own('clerk'), role('editor', [], ['clerk@default'])],
    'a role of a tenant that extends one that is not there': [own('clerk', ['nobody'])],
    'a kind that this version does not know': [put('wish', 'adults', { conditions: {} })],
    'a delete of a kind that this version does not know': [
      { op: 'delete', kind: 'wish', key: 'adults' } as unknown as PolicyChange,
    ],
  }

  it.each(Object.entries(bad))('%s', (_, changes) => {
    refuses('DELTA_INVALID', deltaTo(2, [...good, ...changes]))
    refuses('DELTA_INVALID', deltaTo(2, [...good, ...changes]), exampleImage({ kernel: 'debug' }))
    refuses('DELTA_INVALID', deltaTo(2, changes))
  })
})

describe('a delta that does not continue the history of the image', () => {
  it('is a gap when revisions are missing or were there before', () => {
    for (const to of [1, 3, 4, 1000]) refuses('FEED_GAP', deltaTo(to, [put('user', 'new', {})]))
    refuses('FEED_GAP', { ...deltaTo(2, []), to: 3 })
  })

  it('is a fork when the chain before it is another', () => {
    refuses('FEED_FORK', { ...deltaTo(2, [put('user', 'new', {})]), previous: makeChain(1, 2) })
  })

  it('is refused when it is of another environment', () => {
    refuses('DELTA_INVALID', { ...deltaTo(2, []), environment: 'f'.repeat(32) })
  })

  it('is still refused after saving and loading', () => {
    refuses('FEED_FORK', { ...deltaTo(2, []), previous: makeChain(1, 2) }, Image.load(exampleImage().save()))
    refuses('FEED_GAP', deltaTo(3, []), Image.load(exampleImage().save()))
    refuses('FEED_GAP', deltaTo(3, []), exampleImage().compact())
  })
})

describe('a delta without changes', () => {
  it('moves the revision and nothing else', () => {
    const image = exampleImage()
    const [hash, answers] = [image.hash(), listAnswers(image)]
    image.apply(deltaTo(2, []))
    expect([image.revision, image.hash(), listAnswers(image)]).toEqual([2, hash, answers])
    expect(image.position).toEqual({ revision: 2, chain: makeChain(2) })
    expect(image.environment).toBe(ENVIRONMENT)
  })
})

describe('an image built from changes that do not fit together', () => {
  it('is refused', () => {
    const build = (changes: PolicyChange[]) => () =>
      Image.build(ENVIRONMENT, { revision: 1, chain: makeChain(1) }, changes)
    expect(build([assignment('ana', 'viewer', 'default')])).toThrow(/does not exist/)
    expect(build([role('viewer', ['hello:wave'])])).toThrow(/does not exist/)
    expect(build([role('viewer', [], ['nothing'])])).toThrow(/does not exist/)
    expect(build([role('a', [], ['b']), role('b', [], ['a'])])).toThrow(/extend/)
  })
})
