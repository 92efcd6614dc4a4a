// A small policy that uses every section of an image: two roles, one extending the other, two tenants, a shared role
// set, a resource role over a tuple, attributes, set rules, several of them in one index, and grants with times.
import { Image, type ImageOptions } from '../../src/image/image.ts'
import { ENVIRONMENT, makePosition } from './deltas.ts'
import { type Operation, World } from './world.ts'

const USERS = ['ana', 'ben', 'cyd', 'dan', 'eve']
/** Of the questions. */
const NOW = Date.UTC(2026, 10, 20)

const EXAMPLE: readonly Operation[] = [
  ['put', 'resource', { key: 'hello', actions: ['say', 'wave', 'shout'] }],
  ['put', 'role', { key: 'viewer', permissions: ['hello:wave'] }],
  ['put', 'role', { key: 'admin', permissions: ['hello:say'], extends: ['viewer'] }],
  ['put', 'tenant', { key: 'acme' }],
  ...USERS.map((key) => ['put', 'user', { key }] as const),
  ...USERS.slice(1).map((user) => ['put', 'role_assignment', { user, role: 'viewer', tenant: 'default' }] as const),
  ['put', 'role_assignment', { user: 'dan', role: 'admin', tenant: 'default' }],
  ['put', 'role_assignment', { user: 'eve', role: 'admin', tenant: 'default', valid_until: NOW + 1 }],
  ['put', 'role_assignment', { user: 'cyd', role: 'admin', tenant: 'acme', valid_from: 0, valid_until: NOW }],
  ['put', 'role_assignment', { user: 'cyd', role: 'viewer', tenant: 'acme', valid_from: NOW }],
  ['put', 'role_assignment', { user: 'ana', role: 'admin', tenant: 'acme' }],
  ['put', 'membership', { user: 'ben', tenant: 'acme' }],
  ['put', 'user', { key: 'ben', attributes: { team: 'red', level: 3, since: ['2026', null, { x: true }] } }],
  ['put', 'resource', { key: '__user', actions: [], attributes: { team: 'string', level: 'number' } }],
  ['put', 'resource_instance', { resource: 'hello', instance: 'one', tenant: 'acme', attributes: { loud: true } }],
  ['put', 'resource_instance', { resource: 'hello', instance: 'two', tenant: 'acme' }],
  ['put', 'relation', { resource: 'hello', relation: 'before', subject_resource: 'hello' }],
  ['put', 'relationship_tuple', { subject: 'hello:one', relation: 'before', object: 'hello:two' }],
  ['put', 'relationship_tuple', { subject: 'hello:two', relation: 'before', object: 'hello:one', valid_until: NOW }],
  ['put', 'resource_role', { resource: 'hello', role: 'host', permissions: ['hello:shout'] }],
  ...['red', 'blue', 'green'].flatMap((team, index): Operation[] => [
    [
      'put',
      'condition_set',
      {
        key: team,
        type: 'userset',
        conditions: { 'user.team': { equals: team }, 'user.level': { 'less-than': { ref: 'context.level' } } },
        parent: index === 0 ? null : 'red',
      },
    ],
    ['put', 'set_rule', { user_set: team, permission: 'hello:shout', resource_set: '__autogen_hello' }],
  ]),
  [
    'put',
    'condition_set',
    { key: 'loud', type: 'resourceset', resource: 'hello', conditions: { 'resource.loud': { equals: true } } },
  ],
  ['put', 'set_rule', { user_set: 'red', permission: 'hello:say', resource_set: 'loud' }],
  ['put', 'set_rule', { user_set: '__autogen_admin', permission: 'hello:shout', resource_set: 'loud' }],
]

export function exampleImage(options?: ImageOptions): Image {
  const world = new World()
  world.runAll(EXAMPLE)
  return Image.build(ENVIRONMENT, makePosition(1), world.contents(), options)
}

/** Every question about the example, known and unknown names, with its answer by this image; and listings. */
export function listAnswers(image: Image): string[] {
  image.useClock(() => NOW)
  const answers: string[] = []
  const about = { type: 'hello', key: 'one', tenant: undefined, sent: undefined }
  for (const user of [...USERS, 'zoe']) {
    answers.push(JSON.stringify(image.listings.permissions(user, {}, undefined)))
    for (const action of ['say', 'wave', 'shout', 'sing']) {
      answers.push(JSON.stringify(image.listings.resources(user, action, about, { limit: 10 })))
      answers.push(JSON.stringify(image.listings.users(action, about, { limit: 10 })))
      for (const tenant of ['default', 'acme', 'umbra']) {
        answers.push(`${user} ${action} ${tenant} ${image.check(user, action, 'hello', tenant)}`)
        const sent = { user: { team: 'red' }, resource: { loud: true }, context: { level: 4 } }
        for (const key of ['one', 'two'])
          answers.push(`${key} ${user} ${action} ${image.check(user, action, 'hello', tenant, key, sent)}`)
      }
    }
  }
  return answers
}
