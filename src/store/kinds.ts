// The numbers of kinds of objects in keys, and the kinds with tables of their own, as src/kinds says.
import { KIND_NAMES, KINDS, type KindName } from '../kinds/index.ts'

/** The number of each kind in keys. */
export const KIND_NUMBERS = Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].number])) as Readonly<
  Record<KindName, number>
>

const BY_NUMBER = new Map(KIND_NAMES.map((kind) => [KIND_NUMBERS[kind], kind]))

/** The kind that a key names; undefined when no kind has that number. */
export const kindOfNumber = (number: number | undefined): KindName | undefined =>
  number === undefined ? undefined : BY_NUMBER.get(number)

type KindWithTable = { [K in KindName]: (typeof KINDS)[K]['hasOwnTable'] extends true ? K : never }[KindName]

/** Kinds that have a table of their own. */
export const OWN_TABLES = KIND_NAMES.filter((kind): kind is KindWithTable => KINDS[kind].hasOwnTable)
