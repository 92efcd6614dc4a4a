// A small policy that uses every section of an image: two roles of which one extends the other, two tenants, a shared role set.
import { Image, type ImageOptions } from '../../src/image/image.ts'
import { ENVIRONMENT, positionOf } from './deltas.ts'
import { type Operation, World } from './world.ts'

const USERS = ['ana', 'ben', 'cyd', 'dan', 'eve']

export const EXAMPLE: readonly Operation[] = [
  ['put', 'resource', { key: 'hello', actions: ['say', 'wave', 'shout'] }],
  ['put', 'role', { key: 'viewer', permissions: ['hello:wave'] }],
  ['put', 'role', { key: 'admin', permissions: ['hello:say'], extends: ['viewer'] }],
  ['put', 'tenant', { key: 'acme' }],
  ...USERS.map((key) => ['put', 'user', { key }] as const),
  ...USERS.slice(1).map((user) => ['put', 'role_assignment', { user, role: 'viewer', tenant: 'default' }] as const),
  ...USERS.slice(3).map((user) => ['put', 'role_assignment', { user, role: 'admin', tenant: 'default' }] as const),
  ['put', 'role_assignment', { user: 'ana', role: 'admin', tenant: 'acme' }],
]

export function exampleImage(options?: ImageOptions): Image {
  const world = new World()
  world.runAll(EXAMPLE)
  return Image.build(ENVIRONMENT, positionOf(1), world.contents(), options)
}

/** Every question about the example, known and unknown names, with its answer by this image. */
export function answersOf(image: Image): string[] {
  const answers: string[] = []
  for (const user of [...USERS, 'zoe']) {
    for (const action of ['say', 'wave', 'shout', 'sing']) {
      for (const tenant of ['default', 'acme', 'umbra']) {
        answers.push(`${user} ${action} ${tenant} ${image.check(user, action, 'hello', tenant)}`)
      }
    }
  }
  return answers
}
