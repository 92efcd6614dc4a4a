// Defects of a sync that its tests must find.
import type { Canary } from '../support/canary.ts'

/** In src/sync, where the command reads and compares. */
export const OF_SYNC = {
  'order-of-bytes': '(one, other) => this.#text(one).localeCompare(this.#text(other))',
  'empty-results': 'false',
  'deletes-that-cascade': 'drops',
  'plans-of-other-rows': 'false',
  'whole-answers': 'false',
} as const satisfies Canary
/** In src/management, where a slice is written. */
export const OF_SLICES = {
  'only-where-it-says-delete': 'false',
  'slices-of-the-leaseholder': 'false',
} as const satisfies Canary
