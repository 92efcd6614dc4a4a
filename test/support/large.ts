// Policies of tens of thousands of objects, at the bounds of one check: too large to be asked of every decider, as
// cases are, and larger than what management lets one type or environment have. Each says which files of the kernel it
// is about.

import { CANDIDATES_MAX, GOALS_MAX, RELATION_STEPS_MAX, ROLE_SIDES_MAX } from '../../assembly/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import type { Step } from '../conformance/cases.ts'
import type { Operation } from './world.ts'

export interface Large {
  readonly name: string
  /** below assembly */
  readonly files: readonly string[]
  readonly steps: readonly Step[]
}

/** Length of two lists. Each item of the one is searched for in the other: most of the work of one check. */
const DEAR = 500

export const large = (): Large[] => [rolesOfOneType(), setsOfOnePermission(), usersBesideResources(), rolesAsUserSets()]

type Check = NonNullable<Step['checks']>[number]
const twelveFrom = (from: number): number[] => Array.from({ length: 12 }, (_, index) => from + index)
const times = (length: number, operation: (index: number) => Operation): Operation[] =>
  Array.from({ length }, (_, index) => operation(index))

/** The search begins with each role of the type: more of them than have a place, or than it may look at (D13). */
function rolesOfOneType(): Large {
  const role = (resource: string, key: string, permissions: readonly string[]): Operation => [
    'put',
    'resource_role',
    { resource, role: key, permissions },
  ]
  const write: Operation[] = [
    ['put', 'resource', { key: 'doc', actions: ['read'] }],
    ['put', 'resource', { key: 'page', actions: ['read'] }],
    ...times(GOALS_MAX + 1, (index) => role('doc', `reader${index}`, ['doc:read'])),
    ...times(RELATION_STEPS_MAX + 1, (index) => role('page', `nobody${index}`, [])),
    ['put', 'user', { key: 'ana' }],
    ['put', 'user', { key: 'ben' }],
    ['put', 'resource_instance', { resource: 'doc', instance: 'd', tenant: 'default' }],
    ['put', 'resource_instance', { resource: 'page', instance: 'p', tenant: 'default' }],
    ['put', 'role_assignment', { user: 'ben', role: 'reader0', tenant: 'default', resource_instance: 'doc:d' }],
  ]
  const step: Step = {
    write,
    checks: [['ben', 'read', 'doc:d', true]], // a role on the instance itself is found without a search
    undecided: [
      ['ana', 'read', 'doc:d', null],
      ['ana', 'read', 'page:p', null],
    ],
  }
  return { name: 'more roles of a type than a check looks at', files: ['decide/rebac.ts'], steps: [step] }
}

/**
 * More sets of users than a check collects: its rules are tried one after the other, and the last one may be what is
 * too much.
 */
function setsOfOnePermission(): Large {
  const putSet = (key: string, conditions: JsonObject): Operation => [
    'put',
    'condition_set',
    { key, type: 'userset', conditions },
  ]
  const putRule = (key: string): Operation => [
    'put',
    'set_rule',
    { user_set: key, permission: 'doc:read', resource_set: 'doc' },
  ]
  const dear = (list: string): JsonObject => ({ [`user.${list}`]: { array_subset: { ref: 'user.all' } } })
  const numbers = Array.from({ length: DEAR }, (_, index) => index)
  const ana = (a: number, attributes: JsonObject = {}) => ({ key: 'ana', attributes: { a, ...attributes } })
  const step: Step = {
    write: [
      ['put', 'resource', { key: 'doc', actions: ['read'] }],
      ['put', 'user', { key: 'ana' }],
      putSet('first', dear('first')),
      putRule('first'),
      ...times(CANDIDATES_MAX, (index) => putSet(`set${index}`, { 'user.a': { between: [index, index] } })),
      ...times(CANDIDATES_MAX, (index) => putRule(`set${index}`)),
      putSet('last', dear('last')),
      putRule('last'),
    ],
    checks: [
      [ana(0), 'read', 'doc', true],
      [ana(CANDIDATES_MAX - 1), 'read', 'doc', true],
      [ana(-1), 'read', 'doc', false],
    ],
    undecided: [
      [ana(-1, { first: numbers, all: numbers.toReversed() }), 'read', 'doc', null],
      [ana(-1, { last: numbers, all: numbers.toReversed() }), 'read', 'doc', null],
    ],
  }
  return {
    name: 'more sets of users than a check collects',
    files: ['decide/abac.ts', 'decide/candidates.ts', 'decide/conditions.ts'],
    steps: [step],
  }
}

/** More roles that stand for user sets than a question searches for: those of the rest could not be decided (D13). */
function rolesAsUserSets(): Large {
  const roles = Array.from({ length: ROLE_SIDES_MAX + 1 }, (_, index) => `role${index}`)
  const step: Step = {
    write: [
      ['put', 'resource', { key: 'doc', actions: ['read'] }],
      ...roles.map((role): Operation => ['put', 'resource_role', { resource: 'doc', role }]),
      ...roles.map(
        (role): Operation => [
          'put',
          'set_rule',
          { user_set: `__autogen_doc#${role}`, permission: 'doc:read', resource_set: '__autogen_doc' },
        ],
      ),
      ['put', 'user', { key: 'ana' }],
      ['put', 'resource_instance', { resource: 'doc', instance: 'd', tenant: 'default' }],
    ],
    undecided: [['ana', 'read', 'doc:d', null]],
  }
  return { name: 'more roles as user sets than are searched for', files: ['decide/role-sides.ts'], steps: [step] }
}

/**
 * Users collected nearly to the bound, and then resources: neither list may be written over the other. Which user
 * stands where is up to the index.
 */
function usersBesideResources(): Large {
  const [users, resources] = [13_000, 6]
  const putSet = (key: string, type: 'userset' | 'resourceset', conditions: JsonObject): Operation => {
    const of = type === 'resourceset' ? { resource: 'doc' } : {}
    return ['put', 'condition_set', { key, type, ...of, conditions }]
  }
  const putRule = (user_set: string, resource_set: string): Operation => [
    'put',
    'set_rule',
    { user_set, permission: 'doc:read', resource_set },
  ]
  const ana = (a: number) => ({ key: 'ana', attributes: { wide: 1, a } })
  const step: Step = {
    write: [
      ['put', 'resource', { key: 'doc', actions: ['read'] }],
      ['put', 'user', { key: 'ana' }],
      // a set of two alternatives is found by no value: all of them are collected
      ...times(users, (index) =>
        putSet(`set${index}`, 'userset', {
          anyOf: [{ 'user.a': { between: [index, index] } }, { 'user.list': { array_contains: 'x' } }],
        }),
      ),
      putSet('first', 'userset', { 'user.wide': { 'greater-than': 0 } }),
      putSet('wide', 'userset', { 'user.wide': { 'greater-than': 0 } }),
      ...times(resources, (index) => putSet(`r${index}`, 'resourceset', { 'resource.n': { 'greater-than': index } })),
      ...times(resources, (index) => putRule('first', `r${index}`)),
      ...times(users, (index) => putRule(`set${index}`, 'doc')),
      ...times(resources, (index) => putRule('wide', `r${index}`)),
    ],
    checks: [
      ...twelveFrom(users - 720).map((a): Check => [ana(a), 'read', 'doc', true]),
      ...twelveFrom(704).map((a): Check => [ana(a), 'read', 'doc', true]),
      [ana(-1), 'read', 'doc', false],
    ],
  }
  return { name: 'users and resources of many sets side by side', files: ['decide/abac.ts'], steps: [step] }
}
