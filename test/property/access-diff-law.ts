// The law of access diffs over random worlds and edits: what is listed is exactly what the definition lists, which asks
// every question of both policies. Also for diffs that are wrong in one point.
import fc from 'fast-check'
import type { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { AccessChange } from '../../src/model/access-diff.ts'
import { type Defined, definedDiff } from '../reference/access-diff.ts'
import { type Policy, toPolicy } from '../reference/policy.ts'
import { sorted, toAccessChange } from '../support/access-changes.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { World } from '../support/world.ts'
import { type Edit, type History, timedHistories, untimedHistories } from './histories.ts'
import { runEdits } from './laws.ts'
import { numbers } from './numbers.ts'
import { instants } from './times.ts'
import { MIDNIGHT } from './values.ts'

/** A world, and edits of it: each by itself, or all as one change. */
export interface Drawn {
  readonly history: History
  readonly edits: readonly Edit[]
  readonly isOneChange: boolean
  readonly seed: number
}

/** What random histories make rarely: people with roles on instances and attributes, where a change is seen. */
const PEOPLE: readonly Edit[] = [
  ...[0, 1, 2, 3].map((user): Edit => ['assign', user, user, user]),
  ...[0, 1, 2, 3, 4, 5].map((user): Edit => ['assignOn', user, 3 * user, user]),
  ['member', 0, 0],
  ['member', 2, 1],
  ['relateMany', 0, 0],
]

const VERBS = [
  ...(['user', 'tenant', 'resource', 'role', 'role', 'assign', 'unassign', 'deleteUser', 'deleteRole'] as const),
  ...(['deleteTenant', 'deleteResource', 'resourceRole', 'resourceRole', 'resourceRoles', 'instance'] as const),
  ...(['relate', 'unrelate', 'assignOn', 'deleteInstance', 'deleteResourceRole', 'userAttributes'] as const),
  ...(['tenantAttributes', 'instanceAttributes', 'declare', 'declareMany', 'deleteSet', 'set', 'rule'] as const),
  ...(['rule', 'unrule', 'member', 'noMember'] as const),
] satisfies readonly Edit[0][]

const number = fc.nat(100_000)
/** Each kind of edit as often as another: alone it hides behind nothing. */
const edit: fc.Arbitrary<Edit> = fc.tuple(fc.constantFrom(...VERBS), number, number, number, number, number)

/** Of the large pools every question is too much: the definition would ask for minutes. */
const makePlays = (histories: fc.Arbitrary<History>): fc.Arbitrary<Drawn> =>
  fc.record({
    history: histories.map(({ revisions: [first = [], ...rest], pool, ...history }): History => {
      return {
        ...history,
        pool: pool === 'odd' ? 'odd' : 'small',
        revisions: [first, PEOPLE, ...rest.slice(0, 2), PEOPLE],
      }
    }),
    edits: fc.array(edit, { minLength: 1, maxLength: 8 }),
    isOneChange: fc.nat(4).map((drawn) => drawn === 0),
    seed: fc.nat(),
  })
export const plays = makePlays(untimedHistories)
/** The same where grants are for a time. */
export const timedPlays = makePlays(timedHistories)
/** The same with roles for everybody (D16). */
export const sharedPlays = makePlays(
  fc
    .record({ history: untimedHistories, everybody: fc.nat() })
    .map(({ history, everybody }) => ({ ...history, everybody })),
)

/** One change of a policy. */
export interface Step {
  readonly before: Policy
  readonly after: Policy
  readonly changes: readonly PolicyChange[]
  readonly images: readonly [Image, Image]
  /** the instant at which both are compared */
  readonly t: number
}

/** The changes that were drawn, each from the same world. */
export function* steps({ history, edits, isOneChange, seed }: Drawn): Iterable<Step> {
  const next = numbers(seed)
  const world = new World()
  for (const revision of history.revisions) runEdits(world, history, revision, next)
  const contents = world.contents()
  const before = toPolicy(contents)
  const image = Image.build(ENVIRONMENT, makePosition(1), contents)
  for (const together of isOneChange ? [edits] : edits.map((each) => [each])) {
    const changed = new World(world)
    const changes = runEdits(changed, history, together, next)
    if (changes.length === 0) continue
    const after = toPolicy(changed.contents())
    const images = [image, imageAfter(image, changed, changes, next(2) === 0)] as const
    const [t = MIDNIGHT] = instants(next(2) === 0 ? before : after, next, 1)
    yield { before, after, changes, images, t }
  }
}

/** The image after a change is made by a delta, where ids stay, or built, where they do not. */
function imageAfter(before: Image, world: World, changes: readonly PolicyChange[], isBuilt: boolean): Image {
  if (isBuilt) return Image.build(ENVIRONMENT, makePosition(2), world.contents())
  const after = before.clone()
  after.apply(deltaTo(2, changes))
  return after
}

export interface Found {
  readonly gained: AccessChange
  readonly lost: AccessChange
}

export function found(diff: typeof accessDiff, { images: [before, after], changes, t }: Step): Found {
  return diff(before, after, changes, { now: t, first: 10_000 }).access
}

export const defined = ({ before, after, t }: Step): Defined => definedDiff(before, after, t)

/** What is said otherwise than defined, as text; undefined when nothing is. */
export function difference({ listed }: Defined, answer: Found): string | undefined {
  for (const direction of ['gained', 'lost'] as const) {
    const texts = [toAccessChange(listed[direction]), answer[direction]].map((each) => JSON.stringify(sorted(each)))
    if (texts[0] !== texts[1]) return `${direction} must be ${texts[0]}, and is ${texts[1]}`
  }
  return undefined
}
