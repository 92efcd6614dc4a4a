// Every way to make an image, in one list: the laws and the conformance cases run over it. A way that is added here is
// in all of them.
import { IMAGE_WAYS } from './ways/of-images.ts'
import { STORE_WAYS } from './ways/of-stores.ts'
import type { Way } from './ways/way.ts'

export { IMAGE_WAYS, waysWith } from './ways/of-images.ts'
export { STORE_WAYS } from './ways/of-stores.ts'
export { Source } from './ways/source.ts'
export { Story } from './ways/story.ts'
export * from './ways/way.ts'

/**
 * All of them make the same state. Ways of the same policy asked at other instants, before and behind the end of a
 * grant, belong here too.
 */
const WAYS: readonly Way[] = [...IMAGE_WAYS, ...STORE_WAYS]

/** Those that can be taken here; what is left out is said by name. */
export function waysHere(all: readonly Way[] = WAYS): Way[] {
  return all.filter((way) => {
    const reason = way.lacks?.()
    if (reason !== undefined) process.stdout.write(`left out: ${way.name}: ${reason}\n`)
    return reason === undefined
  })
}
