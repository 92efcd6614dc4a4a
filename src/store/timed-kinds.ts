// What has times (D15), or says for how long or why a role is given, is written into logs, snapshots and checkpoints under
// kinds of its own. An older version does not know them and refuses what has them, while it would pass over the times, and
// so make permanent what is to end. The first such object also gives the data folder another format (tables.ts).
import { KIND_NAMES, KINDS, type KindName, type Objects } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { noteFields } from '../kinds/role-assignment.ts'
import { durationFields, timeFields } from '../kinds/times.ts'
import { KIND_NUMBERS, kindOfNumber } from './kinds.ts'

type AnyKind = Kind<KindName, Objects[KindName], unknown>
const findTimedNumber = (kind: KindName): number | undefined => (KINDS[kind] as AnyKind).timedNumber

const TIMED_NUMBERS = new Map<number, KindName>()
const TIMED_NAMES = new Map<string, KindName>()
const nameTimed = (kind: KindName): string => `timed_${kind}`
for (const kind of KIND_NAMES) {
  const number = findTimedNumber(kind)
  /* canary: timed-kinds */ if (number === undefined) continue
  TIMED_NUMBERS.set(number, kind)
  TIMED_NAMES.set(nameTimed(kind), kind)
}

/** What older versions would pass over: they know no times, and keep no index of tickets. */
const NEW_FIELDS = Object.keys({ ...timeFields, ...durationFields, ...noteFields })

/** Whether the object has one of them: nothing of other kinds has. */
export const hasTimes = (kind: KindName, object: Objects[KindName]): boolean =>
  findTimedNumber(kind) !== undefined &&
  NEW_FIELDS.some((name) => ((object as unknown as Record<string, unknown>)[name] ?? null) !== null)

/** The kind of an object as entries of the log name it. */
export const toEntryKind = (kind: KindName, object: Objects[KindName]): string =>
  hasTimes(kind, object) ? nameTimed(kind) : kind

/** The kind that an entry names; one that this version does not know stays as it is. */
export const fromEntryKind = (name: string): KindName => TIMED_NAMES.get(name) ?? (name as KindName)

/** The number of an object as snapshots and checkpoints have it. */
export const toRowNumber = (kind: KindName, json: string): number =>
  (hasTimes(kind, JSON.parse(json) as Objects[KindName]) ? findTimedNumber(kind) : undefined) ?? KIND_NUMBERS[kind]

/** The kind that a row names; undefined when this version does not know it. */
export const fromRowNumber = (number: number | undefined): KindName | undefined =>
  TIMED_NUMBERS.get(number ?? 0) ?? kindOfNumber(number)
