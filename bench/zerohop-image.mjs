// The one place where the bench reaches behind the public doors: an image is normally made by the management side.
import { Image } from '../dist/src/image/image.js'
import { policyChanges } from './workloads.mjs'

export { Image }
export const ENVIRONMENT = 'b'.repeat(32)
export const FIRST = { revision: 1, chain: 'c'.repeat(64) }

/** @param {import('./workloads.mjs').World} world */
export function imageOf(world) {
  return Image.build(ENVIRONMENT, FIRST, policyChanges(world))
}
