// The law of ways and doors: whatever way an image came about, every door answers as the definition of the policy does.
// A difference is reported with as few operations as still show it.

import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import { toPolicy } from '../reference/policy.ts'
import type { Request } from '../reference/request.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type DatabaseDoors, openDatabases } from '../support/doors/databases.ts'
import { Asked, agrees, Desk, DOORS, type Door, Lack, type Place } from '../support/doors.ts'
import type { Instant } from '../support/instants.ts'
import type { Row } from '../support/rows.ts'
import { Source, Story, type Way, WayLack } from '../support/ways.ts'
import { FIRST_CHANGES, type Operation, type World } from '../support/world.ts'
import { makeInstants } from './times.ts'
import { type Drawn, Script } from './ways-script.ts'

/** New questions after a revision, and at the end; as many are asked again. */
const ASKED = 1
const ASKED_AT_THE_END = 3

export interface Product {
  readonly ways: readonly Way[]
  readonly doors: readonly Door[]
  /** whether a door is asked about a way at an instant, by their places in the lists */
  readonly isAsked: (way: number, door: number, instant: number) => boolean
  /** the class of images, where another one is tested */
  readonly Image?: typeof Image
}

/** What all stories have in common: the servers that are asked, the management side that holds them, and every door. */
export class Stage {
  readonly desk: Desk
  readonly source: Source
  readonly doors: readonly Door[]
  readonly #databases: DatabaseDoors | undefined

  private constructor(desk: Desk, source: Source, databases?: DatabaseDoors) {
    this.desk = desk
    this.source = source
    this.doors = [...DOORS, ...(databases?.doors ?? [])]
    this.#databases = databases
  }

  static async open(): Promise<Stage> {
    return new Stage(await openDesk(), await Source.open(), await openDatabases())
  }

  /** Without databases: none is started. */
  static async withoutDatabases(): Promise<Stage> {
    return new Stage(await openDesk(), await Source.open())
  }

  async close(): Promise<void> {
    await this.#databases?.close()
    await this.desk.close()
    await this.source.close()
  }
}

const openDesk = (): Promise<Desk> => Desk.open(Image.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES))

/** What was asked. */
export class Tally {
  stories = 0
  questions = 0
  readonly byDoor = new Map<string, number>()
  readonly byWay = new Map<string, number>()
  /** what was asked about policies with each of FEATURES */
  readonly byFeature = new Map<string, number>()
  /** what was asked or could not be, by way and door */
  readonly byPair = new Map<string, number>()
  /** what doors could not be asked, by door and reason */
  readonly lacks = new Map<string, number>()

  count(of: 'byDoor' | 'byWay' | 'byFeature' | 'byPair' | 'lacks', name: string): void {
    this[of].set(name, (this[of].get(name) ?? 0) + 1)
  }
}

/** What is counted: whether a policy has it at the instant of the question. */
export const FEATURES: Readonly<Record<string, (asked: Asked) => boolean>> = {
  times: ({ t }) => t !== undefined,
  'suspended users': ({ policy: { user } }) => [...user.values()].some(({ suspension }) => suspension !== undefined),
  'roles under a condition': ({ policy: { set_rule } }) =>
    [...set_rule.values()].some(({ user_set }) => user_set.startsWith('__autogen_') && user_set.includes('#')),
  'roles of tenants': ({ policy }) => policy.tenant_role.size > 0,
  'roles for everyone': ({ policy: { role_assignment } }) =>
    [...role_assignment.values()].some(({ user }) => user === EVERYBODY),
}

/** Those of the policy of a question. */
const listFeatures = (asked: Asked): readonly string[] =>
  asked.once('features', () => Object.keys(FEATURES).filter((name) => FEATURES[name]!(asked)))

/** A door does not say what is right. */
export class Difference extends Error {
  readonly way: Way
  readonly door: Door
  readonly request: Request
  readonly rows: readonly Row[]
  readonly names: readonly string[]
  readonly t: Instant
  /** what was written, by revision */
  written: readonly (readonly Operation[])[] = []

  constructor(way: Way, door: Door, asked: Asked, [answer, right]: readonly [unknown, unknown]) {
    super(
      `${door.name}, ${way.name}${asked.t === undefined ? '' : ` at ${asked.t}`}: ${printed(asked.request, TOLD)} must be ${printed(right)}, and is ${printed(answer)}`,
    )
    this.way = way
    this.door = door
    this.request = asked.request
    this.rows = asked.rows
    this.names = asked.names
    this.t = asked.t
  }
}

const SHOWN = 600
/** What was asked and written is needed to ask it again. */
const TOLD = 10_000
const printed = (value: unknown, length = SHOWN): string =>
  (value instanceof Error ? `refused: ${value.message}` : (JSON.stringify(value) ?? 'nothing')).slice(0, length)

/** The policy as it was before the last revision that changed something. */
export class Before {
  readonly #Image: typeof Image
  readonly #contents: PolicyChange[]
  readonly changes: readonly PolicyChange[]
  #place: Place['before']

  constructor(contents: PolicyChange[], changes: readonly PolicyChange[], Of = Image) {
    this.#Image = Of
    this.#contents = contents
    this.changes = changes
  }

  get place(): NonNullable<Place['before']> {
    this.#place ??= {
      image: this.#Image.build(ENVIRONMENT, makePosition(1), this.#contents),
      policy: toPolicy(this.#contents),
      changes: this.changes,
    }
    return this.#place
  }
}

/** Tells one story. @throws Difference */
export async function tell(drawn: Drawn, product: Product, stage: Stage, tally: Tally): Promise<void> {
  const script = new Script(drawn)
  const { ways, doors, isAsked } = product
  const written: (readonly Operation[])[] = []
  const story = await Story.open(ways, drawn.seed, stage.source)
  const kept = ways.map(() => new Map<string, unknown>())
  try {
    for (let revision = 0; revision < script.revisions; revision++) {
      const { world } = story
      const contents = world.contents()
      const step = await story.write(script.operations(world, revision))
      written.push(step.written.map(({ operation }) => operation))
      const before = new Before(
        contents,
        step.written.flatMap(({ changes }) => changes),
        product.Image,
      )
      const isLast = revision === script.revisions - 1
      const when = makeInstants(world.policy, script.next)
      const asked = script.questions(world, isLast ? ASKED_AT_THE_END : ASKED).map((request) => {
        const rows = script.rows(world, request)
        return when().map((t) => new Asked(world, request, rows, undefined, t))
      })
      for (const [at, way] of ways.entries()) {
        if (way.kind === 'final' && !isLast) continue
        const image = await story.ways.get(way)!.image()
        if (image instanceof WayLack) {
          tally.count('lacks', `${way.name}: ${image.reason}`)
          continue
        }
        stage.desk.show(image)
        const place: Place = { image, desk: stage.desk, before: before.place, kept: kept[at]! }
        for (const [instant, each] of asked.flatMap((ofQuestion) => [...ofQuestion.entries()])) {
          const wanted = doors.filter((_, number) => isAsked(at, number, instant))
          await askDoors(way, wanted, place, each, tally)
        }
      }
    }
    tally.stories++
  } catch (error) {
    if (error instanceof Difference) error.written = written
    throw error
  } finally {
    await story.close()
  }
}

/** Asks them at the same time, as clients do: the processor need not wait for the one or the other. @throws Difference */
export async function askDoors(
  way: Way,
  doors: readonly Door[],
  place: Place,
  asked: Asked,
  tally: Tally,
): Promise<void> {
  const all = await Promise.allSettled(doors.map((door) => askDoor(way, door, place, asked, tally)))
  for (const one of all) if (one.status === 'rejected') throw one.reason
}

/** @throws Difference */
async function askDoor(way: Way, door: Door, place: Place, asked: Asked, tally: Tally): Promise<void> {
  tally.count('byPair', `${way.name}, ${door.name}`)
  place.desk.setClock(asked.t)
  let answer: unknown
  try {
    answer = await door.say(place, asked)
  } catch (error) {
    throw new Difference(way, door, asked, [error, '(an answer)'])
  }
  if (answer instanceof Lack) return tally.count('lacks', `${door.name}: ${answer.reason}`)
  tally.questions++
  tally.count('byDoor', door.name)
  tally.count('byWay', way.name)
  for (const name of listFeatures(asked)) tally.count('byFeature', name)
  const right = door.right(asked, answer)
  if (!agrees(door, answer, right)) throw new Difference(way, door, asked, [answer, right])
}

/** As many tries as a counterexample is made smaller by. */
const TRIES = 400

/** The difference with as few operations as still show it. */
export async function smallest(found: Difference, stage: Stage): Promise<string> {
  const all = found.written.flatMap((operations, revision) =>
    operations.map((operation): Written => ({ revision, operation })),
  )
  let tries = 0
  let message = found.message
  const shows = async (some: readonly Written[]): Promise<boolean> => {
    if (++tries > TRIES) return false
    const again = await retell(some, found, stage)
    if (again !== undefined) message = again.message
    return again !== undefined
  }
  const left = (await shows(all)) ? await fewest(all, shows) : all
  const lines = left.map(({ revision, operation }) => `  ${revision}: ${printed(operation, TOLD)}`)
  const rows = found.message.startsWith('f') ? `\nrows: ${JSON.stringify(found.rows)}` : ''
  return `${message}\nwritten, by revision:\n${lines.join('\n')}${rows}`
}

interface Written {
  readonly revision: number
  readonly operation: Operation
}

/** Writes only these operations, asks the one question after each revision, and returns how the last answer differs. */
async function retell(
  some: readonly Written[],
  { way, door, request, rows, names, t }: Difference,
  stage: Stage,
): Promise<Difference | undefined> {
  const story = await Story.open([way], 1, way.needsSource ? stage.source : undefined)
  const kept = new Map<string, unknown>()
  let found: Difference | undefined
  try {
    const revisions = [...new Set(some.map(({ revision }) => revision))]
    for (const revision of revisions) {
      const { world } = story
      const contents = world.contents()
      const operations = some.filter((each) => each.revision === revision).map(({ operation }) => operation)
      if (!way.needsSource && !canRun(world, operations)) return undefined
      const { written } = await story.write(operations)
      const isLast = revision === revisions.at(-1)
      if (way.kind === 'final' && !isLast) continue
      const image = await story.ways.get(way)!.image()
      if (image instanceof WayLack) return undefined
      stage.desk.show(image)
      const changes = written.flatMap((each) => each.changes)
      const place: Place = { image, desk: stage.desk, before: new Before(contents, changes).place, kept }
      found = await differenceAt(way, door, place, new Asked(world, request, rows, names, t))
    }
    return found
  } catch {
    return undefined // an operation names an object that is not written any longer
  } finally {
    await story.close()
  }
}

/** Whether everything that the operations name is there: an image alone takes what it is given. */
function canRun(world: World, operations: readonly Operation[]): boolean {
  try {
    const copy = new (world.constructor as new (from: World) => World)(world)
    copy.runAll(operations)
    Image.build(ENVIRONMENT, makePosition(1), copy.contents())
    return true
  } catch {
    return false
  }
}

async function differenceAt(way: Way, door: Door, place: Place, asked: Asked): Promise<Difference | undefined> {
  try {
    await askDoor(way, door, place, asked, new Tally())
    return undefined
  } catch (error) {
    if (error instanceof Difference) return error
    throw error
  }
}

/** Leaves out ever smaller parts of the list as long as what is left still shows it. */
async function fewest<T>(all: readonly T[], shows: (some: readonly T[]) => Promise<boolean>): Promise<readonly T[]> {
  let left = all
  for (let size = all.length >> 1; size > 0; size = size === 1 ? 0 : size >> 1) {
    for (let at = left.length - size; at > -size; at -= size) {
      const without = left.toSpliced(Math.max(at, 0), Math.min(size, size + at))
      if (await shows(without)) left = without
    }
  }
  return left
}
