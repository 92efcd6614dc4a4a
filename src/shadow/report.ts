// What a file of differences says, in groups: which way the answers differ, why, and about what. Those in which the new
// engine allows what the old one denied come first: they would give access.
import { SHADOW_EXAMPLES, SHADOW_GROUPS_MAX, SHADOW_LINE_BYTES_MAX, SHADOW_RUNS_MAX } from '../model/limits.ts'
import { CAUSES } from './cause.ts'
import type { Cause, CountsLine, Difference, ShadowCounts } from './difference.ts'

/** Which way two answers differ, in the order of a report. */
export const DIRECTIONS = ['gained', 'failed', 'lost'] as const
export type Direction = (typeof DIRECTIONS)[number]

export interface DifferenceGroup {
  /** `gained`: the old engine denies, the new one allows. `lost`: the other way round. `failed`: one did not answer */
  readonly direction: Direction
  readonly cause: Cause
  readonly detail: string
  count: number
  readonly first: string
  last: string
  readonly examples: Difference[]
}

export interface DifferenceReport {
  readonly differences: number
  /** lines that are neither differences nor counts */
  readonly unreadable: number
  /** differences of more groups than a report has */
  readonly others: number
  /** of all processes whose counts the files have; null where they have none */
  readonly counts: ShadowCounts | null
  readonly groups: readonly DifferenceGroup[]
}

export class ReportMaker {
  readonly #groups = new Map<string, DifferenceGroup>()
  readonly #runs = new Map<string, ShadowCounts>()
  #differences = 0
  #unreadable = 0
  #others = 0

  /** Adds a line of a file. */
  add(line: string): void {
    if (line.trim() === '') return
    const read = line.length > SHADOW_LINE_BYTES_MAX ? undefined : parseLine(line)
    if (read === undefined) this.#unreadable++
    else if ('counts' in read) {
      if (this.#runs.has(read.run) || this.#runs.size < SHADOW_RUNS_MAX) this.#runs.set(read.run, read.counts)
    } else this.#addDifference(read)
  }

  make(): DifferenceReport {
    const groups = [...this.#groups.values()].sort(
      (one, other) =>
        DIRECTIONS.indexOf(one.direction) - DIRECTIONS.indexOf(other.direction) ||
        other.count - one.count ||
        (`${one.cause} ${one.detail}` < `${other.cause} ${other.detail}` ? -1 : 1),
    )
    const counts = this.#runs.size === 0 ? null : [...this.#runs.values()].reduce(addCounts)
    return { differences: this.#differences, unreadable: this.#unreadable, others: this.#others, counts, groups }
  }

  #addDifference(difference: Difference): void {
    this.#differences++
    const direction = findDirection(difference)
    const { cause, detail, time } = difference
    const name = JSON.stringify([direction, cause, detail])
    const group = this.#groups.get(name)
    if (group === undefined) {
      if (this.#groups.size >= SHADOW_GROUPS_MAX) this.#others++
      else
        this.#groups.set(name, { direction, cause, detail, count: 1, first: time, last: time, examples: [difference] })
      return
    }
    group.count++
    group.last = time
    if (group.examples.length < SHADOW_EXAMPLES) group.examples.push(difference)
  }
}

function findDirection({ old, new: found }: Difference): Direction {
  if (old === null || found === null) return 'failed'
  return /* canary: shadow-direction */ found ? 'gained' : 'lost'
}

/** A line of a file; undefined for anything else. */
function parseLine(line: string): Difference | CountsLine | undefined {
  try {
    const read: unknown = JSON.parse(line)
    if (typeof read !== 'object' || read === null) return undefined
    return isCounts(read as Partial<CountsLine>) || isDifference(read as Partial<Difference>)
      ? (read as Difference | CountsLine)
      : undefined
  } catch {
    return undefined
  }
}

const isCounts = ({ run, counts }: Partial<CountsLine>): boolean =>
  typeof run === 'string' &&
  typeof counts === 'object' &&
  counts !== null &&
  COUNTS.every((name) => Number.isSafeInteger(counts[name]))

const COUNTS: readonly (keyof ShadowCounts)[] = [
  'asked',
  'sampled',
  'agreed',
  'differed',
  'failed',
  'pending',
  'skipped',
  'reported',
  'dropped',
  'unwritten',
]

const addCounts = (one: ShadowCounts, other: ShadowCounts): ShadowCounts =>
  Object.fromEntries(COUNTS.map((name) => [name, one[name] + other[name]])) as unknown as ShadowCounts

const isAnswer = (value: unknown): boolean => value === null || typeof value === 'boolean'

function isDifference({ time, old, new: found, cause, detail, user, action, resource }: Partial<Difference>): boolean {
  return (
    [time, detail, action, resource?.type].every((text) => typeof text === 'string') &&
    (user === null || typeof user === 'string') &&
    isAnswer(old) &&
    isAnswer(found) &&
    typeof cause === 'string' &&
    Object.hasOwn(CAUSES, cause)
  )
}
