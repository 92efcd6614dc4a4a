// Random rows for random questions: whether the filter matches each row, and what the definition answers about it. Also
// for the long run and for filters that are wrong in one point.
import fc from 'fast-check'
import { holds, type RowReader } from '../../src/filters/evaluate.ts'
import { type Image, Image as Images } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Filter } from '../../src/model/filter.ts'
import { assignmentKey, type Json } from '../../src/model/objects.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import { type Request, resolveTenant } from '../reference/request.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { isRowAllowed, type Row, rowAttribute } from '../support/rows.ts'
import { putsOf } from '../support/ways/objects.ts'
import { World } from '../support/world.ts'
import {
  addMore,
  askedByAnybody,
  FILTER_POOL,
  filterQuestions,
  filterWorld,
  shareWithEverybody,
} from './filter-worlds.ts'
import { findPool, numbers, timedHistories, untimedHistories, withEverybodyToo } from './histories.ts'
import { type Play, play } from './laws.ts'
import type { Pool } from './pool.ts'
import { questions } from './questions.ts'
import { makeWords } from './set-edits.ts'
import { withTimes } from './times.ts'
import { drawAttributes, hintsFor, MIDNIGHT, type Next, sentFrom, type Words } from './values.ts'

/** Questions about one environment, and rows for each. */
const ASKED = 3
const ROWS = 6

/**
 * What is drawn: a small world whose set rules read rows, or any history. Where there are seeds for them, the world also has
 * suspended users and set rules for roles on instances, roles for everybody, and its grants and suspensions have times.
 */
export type Drawn = Small | Play
interface Small {
  readonly seed: number
  readonly more?: number
  readonly everybody?: number
  readonly times?: number
}

/** Without times: for what is asked at no instant. */
export const situations = situationsFrom(
  fc.record({ seed: fc.nat(), more: fc.nat(), everybody: fc.nat() }, { requiredKeys: ['seed'] }),
)
/** The same without suspended users, without rules for roles on instances, and without roles for everybody. */
export const plainSituations = situationsFrom(fc.record({ seed: fc.nat() }), untimedHistories)
/** Of small worlds in which everybody has roles, without times and with them. */
const ofEverybody = { seed: fc.nat(), more: fc.nat(), everybody: fc.nat() }
export const situationsOfEverybody: fc.Arbitrary<Drawn> = fc.record(ofEverybody, {
  requiredKeys: ['seed', 'everybody'],
})
export const timedSituationsOfEverybody: fc.Arbitrary<Drawn> = fc.record(
  { ...ofEverybody, times: fc.nat() },
  { requiredKeys: ['seed', 'everybody', 'times'] },
)
export const timedSituations: fc.Arbitrary<Drawn> = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.record(
      { seed: fc.nat(), more: fc.nat(), everybody: fc.nat(), times: fc.nat() },
      { requiredKeys: ['seed', 'times'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ history: withEverybodyToo(timedHistories), seed: fc.nat() }) },
)

function situationsFrom(
  small: fc.Arbitrary<Small>,
  histories = withEverybodyToo(untimedHistories),
): fc.Arbitrary<Drawn> {
  const history = fc.record({ history: histories, seed: fc.nat() })
  return fc.oneof({ weight: 15, arbitrary: small }, { weight: 1, arbitrary: history })
}

export interface Compared {
  readonly world: World
  readonly asked: Request
  readonly filter: Filter
  readonly row: Row
  readonly defined: boolean
  readonly means: boolean
}

/** A question whose filter the image can say, and rows for it. */
export interface Asked {
  readonly image: Image
  readonly world: World
  readonly asked: Request
  readonly tenant: string
  readonly rows: readonly Row[]
  /** rows are asked about as marked ones; else those that are stored in other tenants are excluded by name */
  readonly areRows: boolean
}

type Make = (image: Image, asked: Request, tenant: string, areRows: boolean) => Filter

/** What is compared of an environment that was drawn. */
export function* filterLaw(drawn: Drawn): Iterable<Compared> {
  for (const each of askedOf(drawn)) yield* comparedFor(each)
}

export function* askedOf(drawn: Drawn, Image?: typeof Images): Iterable<Asked> {
  const next = numbers(drawn.seed)
  const { image, world, pool, requests } = makeSituation(drawn, next, Image)
  for (const asked of requests) {
    const tenant = resolveTenant(world.policy, asked)
    if (refusedOr(() => makeFilter(image, asked, tenant)) === undefined) continue
    const areRows = next(2) === 0
    yield { image, world, asked, tenant, areRows, rows: [...rowsFor(world, makeWords(world, pool), asked, next)] }
  }
}

/** @param of makes the filter; the one of the image unless a wrong one is looked for */
export function* comparedFor(
  { image, world, asked, tenant, rows, areRows }: Asked,
  of: Make = makeFilter,
): Iterable<Compared> {
  const filter = refusedOr(() => of(image, asked, tenant, areRows))
  if (filter === undefined) return
  for (const row of rows) {
    const defined = definedFor(world, asked, tenant, { filter, row, areRows })
    yield { world, asked, filter, row, defined, means: meant(filter, row) }
  }
}

interface Situation {
  readonly image: Image
  readonly world: World
  readonly pool: Pool
  readonly requests: Iterable<Request>
}

/**
 * The environment that was drawn, and questions about it.
 * @param Image the class that is tested; of histories it is always the one of the sources
 */
export function makeSituation(drawn: Drawn, next: Next, Image = Images): Situation {
  return 'history' in drawn ? played(drawn, next) : ruled(drawn, next, Image)
}

function played(drawn: Play, next: Next): Situation {
  const { image, world } = play(drawn, { checksPerRevision: 0 })
  const pool = findPool(drawn.history)
  return { image, world, pool, requests: questions(world, pool, next, ASKED * 2) }
}

function ruled({ more, everybody, times }: Small, next: Next, Image: typeof Images): Situation {
  const { world: plain } = filterWorld(next, 0)
  if (more !== undefined) addMore(plain, more)
  if (everybody !== undefined) shareWithEverybody(plain, everybody)
  const drawn = filterQuestions(plain, next, ASKED)
  const requests = everybody === undefined ? drawn : askedByAnybody(drawn, everybody)
  const world = times === undefined ? plain : new World()
  if (times !== undefined) world.runAll(withTimes([...putsOf(plain)], times))
  const contents = world.contents()
  const isChanged = everybody !== undefined && everybody % 2 === 1
  const before = isChanged ? withOtherShares(contents, numbers(everybody)) : contents
  const image = Image.build(ENVIRONMENT, makePosition(1), before)
  if (isChanged) {
    const ask = () =>
      requests.toReversed().map((each) => refusedOr(() => makeFilter(image, each, resolveTenant(world.policy, each))))
    if (times === undefined) ask()
    else image.guardAt(MIDNIGHT, ask)
    image.apply(deltaTo(2, changesBetween(before, contents)))
  }
  return { image, world, pool: FILTER_POOL, requests }
}

/** The contents before what everybody has was changed: an image that was asked then has kept what was so. */
function withOtherShares(contents: readonly PolicyChange[], next: Next): PolicyChange[] {
  const kept = contents.filter((each) => !isShare(each) || next(2) === 0)
  const keys = new Set(contents.map(({ key }) => key))
  const others = contents.flatMap((each): PolicyChange[] => {
    if (each.op !== 'put' || each.kind !== 'resource_instance' || next(4) > 0) return []
    const role = each.key.startsWith('doc:') ? 'reader' : 'editor'
    const value = { user: EVERYBODY, role, tenant: each.value.tenant, resource_instance: each.key }
    const key = assignmentKey(EVERYBODY, role, value.tenant, each.key)
    return keys.has(key) ? [] : [{ op: 'put', kind: 'role_assignment', key, value }]
  })
  return [...kept, ...others]
}

const isShare = ({ kind, key }: PolicyChange): boolean => kind === 'role_assignment' && key.startsWith(`${EVERYBODY}/`)

/** What makes one of two contents of the other that differ in what everybody has. */
function changesBetween(before: readonly PolicyChange[], after: readonly PolicyChange[]): PolicyChange[] {
  const [were, are] = [before, after].map((each) => new Set(each.filter(isShare).map(({ key }) => key)))
  const removed = [...were!].filter((key) => !are!.has(key))
  return [
    ...removed.map((key): PolicyChange => ({ op: 'delete', kind: 'role_assignment', key })),
    ...after.filter((each) => isShare(each) && !were!.has(each.key)),
  ]
}

export function makeFilter(
  image: Image,
  { user, action, resource: { type }, sent }: Request,
  tenant: string,
  isTenantColumnAuthoritative = true,
): Filter {
  const { user: ofUser, action: ofAction, context } = sent ?? {}
  const from = { user: ofUser, action: ofAction, context }
  return image.filter({ user, action, type, tenant, sent: from, isTenantColumnAuthoritative })
}

/** What a filter cannot say is refused by name; that is not what the law is about. */
export function refusedOr(make: () => Filter): Filter | undefined {
  try {
    return make()
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED')) return undefined
    throw error
  }
}

/** Whether the filter means the row. A row has `null` for every attribute that it does not have. */
export function meant(filter: Filter, row: Row, read: (row: Row, name: string) => Json = rowAttribute): boolean {
  if (filter.kind !== 'when') return filter.kind === 'always'
  const reader: RowReader = {
    attribute: (name) => {
      if (!filter.reads.attributes.includes(name)) throw new Error(`\`${name}\` is not among what the filter reads`)
      return read(row, name)
    },
    key: () => row.key,
    related: (relation) => (Object.hasOwn(row.relations, relation) ? row.relations[relation]! : []),
    now: () => Number.NaN,
  }
  return holds(filter.where, reader)
}

/** The definition of the question that the row makes: with its value for every attribute that the filter reads. */
function definedFor(
  world: World,
  asked: Request,
  tenant: string,
  { filter, row, areRows }: { readonly filter: Filter; readonly row: Row; readonly areRows: boolean },
): boolean {
  const names = filter.kind === 'when' ? filter.reads.attributes : []
  return isRowAllowed(world.policy, asked, tenant, row, names, areRows)
}

/** Rows with attributes that the conditions ask for, nearly, and with keys that may be stored, here or elsewhere. */
export function* rowsFor({ policy }: World, words: Words, { resource, sent }: Request, next: Next): Iterable<Row> {
  const stored = [...policy.resource_instance.keys()].filter((key) => key.startsWith(`${resource.type}:`))
  const sets = [...policy.condition_set.values()].map(({ conditions }) => conditions)
  const own = sent?.resource ?? {}
  const subjects = [...policy.resource_instance.keys(), 'folder:nothing']
  const some = () => subjects.filter(() => next(subjects.length) < 2)
  for (let row = 0; row < ROWS; row++) {
    const hinted = hintsFor(next, words, sets).resource
    const lie = sentFrom(next, words, { ...hintsFor(next, words, sets), resource: hinted }).resource ?? {}
    const attributes = [hinted, hinted, hinted, { ...own, ...hinted }, lie, drawAttributes(next, words), {}][next(7)]!
    const key = next(3) === 0 ? [undefined, 'nothing'][next(2)] : stored[next(Math.max(1, stored.length))]
    const relations: Row['relations'] = [{}, { parent: some() }, { parent: some() }, { parent: some(), other: some() }][
      next(4)
    ]!
    yield { key: key?.slice(key.indexOf(':') + 1), attributes, relations }
  }
}
