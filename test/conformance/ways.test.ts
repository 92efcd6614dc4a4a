// Every case as a story that is run in every way, its questions asked through every door: the definition answers what
// the case expects, and each door answers as the definition. A normal run runs each case in some of the ways and asks
// some of its questions, so that over the cases every door is asked about every way; a whole run (ZEROHOP_TEST_SCALE)
// tells each in every way, and `npm run test:ways -- --cases` leaves out nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parameters } from '../property/seed.ts'
import { FAULTS } from '../property/ways-canaries.ts'
import { askDoors, Before, Difference, type Product, Stage, smallest, Tally } from '../property/ways-law.ts'
import type { Request } from '../reference/request.ts'
import { definedQuestions } from '../support/deciders.ts'
import { Asked, type Door, type Place } from '../support/doors.ts'
import type { Row } from '../support/rows.ts'
import { IS_WHOLE } from '../support/sample.ts'
import { Story, WayLack, waysHere } from '../support/ways.ts'
import type { Operation, World } from '../support/world.ts'
import { collectFeatures, listAttributes, listRequests, type NamedCase, readCases } from './cases.ts'
import { askStep } from './runner.ts'

/** `npm run test:ways -- --cases`: nothing is left out. */
const IS_ALL = process.env.WAYS_CASES !== undefined
/** Questions of a step: in a normal run of the last one alone. */
const ASKED = IS_ALL ? Number.POSITIVE_INFINITY : IS_WHOLE ? 4 : 1
/** A costly way is taken this much less often, and only to where a case ends. */
const SELDOM = 4
/** No door and no way is asked less often: one that always says why it cannot be asked shows nothing. */
const ASKED_MIN = 5
const TOLD_MS = 3_600_000

/** The definition has no limits. */
const canBeTold = (each: NamedCase): boolean => !collectFeatures(each).has('limits')

/** So many of a list, evenly apart, beginning elsewhere with each turn. */
function some<T>(all: readonly T[], count: number, turn: number): readonly T[] {
  if (all.length <= count) return all
  const begin = turn % all.length
  return Array.from({ length: count }, (_, at) => all[(begin + Math.floor((at * all.length) / count)) % all.length]!)
}

/** Rows that the question is about: one that says what was sent, and one that says what is stored. */
function rowsFor({ policy }: World, { resource, sent = {} }: Request): Row[] {
  const { type, key, relations = {} } = resource
  const stored = policy.resource_instance.get(`${type}:${key}`)
  return [
    { key: undefined, attributes: sent.resource ?? {}, relations },
    { key, attributes: { ...stored?.attributes, ...sent.resource }, relations },
  ]
}

/** @throws what else was thrown */
function isDifference(error: unknown): boolean {
  if (error instanceof Difference) return true
  throw error
}

describe('cases over ways and doors', () => {
  const all = waysHere()
  const { seed } = parameters(1)
  const cases = readCases()
  const storyCases = cases.filter(canBeTold)
  const tally = new Tally()

  /** What a case is asked over; in a normal run one way, and a third of the doors; the next round asks others. */
  function productFor(turn: number): Product {
    if (IS_WHOLE) {
      const ways = all.filter(({ isCostly }) => !isCostly || IS_ALL || turn % SELDOM === 0)
      return { ways, doors, isAsked: () => true }
    }
    const round = Math.floor(turn / all.length)
    const own = all[turn % all.length]!
    const cheap = all.filter(({ isCostly }) => !isCostly)
    const way = own.isCostly && round % SELDOM !== 0 ? cheap[round % cheap.length]! : own
    const isAsked = (_: number, door: number) => way.isCostly === true || (door + round) % 3 === 0
    return { ways: [way], doors, isAsked }
  }

  let stage: Stage
  let doors: readonly Door[]

  beforeAll(async () => {
    stage = await Stage.open()
    doors = stage.doors
  })
  afterAll(async () => {
    for (const way of all) await way.close?.()
    await stage.close()
  })

  /** @throws Difference */
  async function tell(each: NamedCase, turn: number, product: Product, counts: Tally): Promise<void> {
    const { ways } = product
    const written: (readonly Operation[])[] = []
    const names = listAttributes(each)
    const story = await Story.open(ways, turn, ways.some(({ needsSource }) => needsSource) ? stage.source : undefined)
    const kept = new Map(ways.map((way) => [way, new Map<string, unknown>()]))
    const { world } = story
    try {
      for (const [number, step] of each.steps.entries()) {
        const contents = world.contents()
        const done = await story.write(step.write ?? [])
        written.push(done.written.map(({ operation }) => operation))
        await askStep(definedQuestions(world.policy, step.at), step, `step ${number}, as management writes it`)
        const before = new Before(
          contents,
          done.written.flatMap(({ changes }) => changes),
        )
        const isLast = number === each.steps.length - 1
        if (!isLast && !IS_WHOLE) continue
        const asked = some(listRequests(step), ASKED, turn).map(
          (request) => new Asked(world, request, rowsFor(world, request), names, step.at),
        )
        for (const [at, way] of ways.entries()) {
          if (way.isCostly === true && !isLast) continue
          const image = await story.ways.get(way)!.image()
          if (image instanceof WayLack) {
            counts.count('lacks', `${way.name}: ${image.reason}`)
            continue
          }
          stage.desk.show(image)
          const place: Place = { image, desk: stage.desk, before: before.place, kept: kept.get(way)! }
          const wanted = product.doors.filter((_, number) => product.isAsked(at, number, 0))
          for (const question of asked) await askDoors(way, wanted, place, question, counts)
        }
      }
      counts.stories++
    } catch (error) {
      if (error instanceof Difference) error.written = written
      throw error
    } finally {
      await story.close()
    }
  }

  it.each(storyCases.map((each, at) => [each.rule, each.name, each, at + seed] as const))(
    '[%s] %s',
    { timeout: TOLD_MS },
    async (_, __, each, turn) => {
      try {
        await tell(each, turn, productFor(turn), tally)
      } catch (error) {
        if (!(error instanceof Difference)) throw error
        throw new Error(await smallest(error, stage))
      }
    },
  )

  it('[D12] nearly every case is run, every door is asked about every way, and each answers', ({ skip }) => {
    if (tally.stories < storyCases.length) skip('only some of the cases were told')
    process.stdout.write(
      `${tally.questions} questions in ${tally.stories} cases, ${[...tally.lacks.values()].reduce((a, b) => a + b, 0)} could not be asked\n`,
    )
    expect(storyCases.length / cases.length).toBeGreaterThan(0.95)
    expect(tally.byPair.size).toBe(all.length * doors.length)
    const least = (names: readonly { readonly name: string }[], counts: ReadonlyMap<string, number>) =>
      names.filter(({ name }) => (counts.get(name) ?? 0) < ASKED_MIN).map(({ name }) => name)
    expect([...least(doors, tally.byDoor), ...least(all, tally.byWay)]).toEqual([])
  })

  it.each(['a listing leaves out the last', 'a saved image has no relationships'])(
    'some case finds that %s',
    { timeout: TOLD_MS },
    async (name) => {
      const wrong: Product = { ...FAULTS[name]!({ ways: all, doors, isAsked: () => true }), isAsked: () => true }
      for (const [at, each] of storyCases.entries()) {
        const answer = tell(each, at + seed, wrong, new Tally())
        if (await answer.then(() => false, isDifference)) return
      }
      throw new Error('no case found it')
    },
  )
})
