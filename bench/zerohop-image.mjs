// The only bench file that uses internals: images and deltas are normally built by the management side.
import { Image } from '../dist/src/image/image.js'
import { rulePolicyChanges } from './rule-worlds.mjs'
import { policyChanges } from './workloads.mjs'

export { Image }
export const ENVIRONMENT = 'b'.repeat(32)

/** A made-up history: the chain of a revision is its number. */
export const makeChain = (revision) => revision.toString(16).padStart(64, '0')
export const FIRST = { revision: 1, chain: makeChain(1) }

/** @param {import('./workloads.mjs').World} world */
export function makeImage(world) {
  return Image.build(ENVIRONMENT, FIRST, world.rules ? rulePolicyChanges(world) : policyChanges(world))
}

/** The delta after revision `from`. */
export function makeDelta(from, changes) {
  return {
    environment: ENVIRONMENT,
    from,
    to: from + 1,
    previous: makeChain(from),
    chain: makeChain(from + 1),
    changes,
  }
}
