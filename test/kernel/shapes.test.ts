// Worlds of unusual shape (bench/shape-worlds.mjs): what a check looks at does not grow with the number of rules, of
// assignments of a user, or of tenants, and groups nested 50 deep cost two steps each. Steps are counted, not time.
import { describe, expect, it } from 'vitest'
import { GROUP_DEPTH, ORDINARY, SHAPES, type Shape } from '../../bench/shape-worlds.mjs'
import { Image } from '../../src/image/image.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { openManagementData } from '../management/harness.ts'

const SIZES = [150, 600]
/** Of one check: two for each group in the others. */
const STEPS_MAX = 2 * GROUP_DEPTH + 1

async function build({ policy, lists }: Shape): Promise<Image> {
  const management = await openManagementData()
  try {
    await management.run('importBundle', { bundle: policy })
    await management.run('importFacts', lists as never)
    return Image.load(buildSnapshot(management.view()).bytes, { verified: true })
  } finally {
    await management.close()
  }
}

/** The most steps of a check; each answer is right. */
function countSteps(image: Image, { asked }: Shape): number {
  const steps = asked.map(({ user, action, type, tenant, key, expected }) =>
    image.inside(({ kernel }) => {
      kernel.calls.takeWork()
      expect([user, action, type, key, image.check(user, action, type, tenant, key)]).toEqual([
        ...[user, action, type, key],
        expected,
      ])
      return kernel.calls.takeWork()
    }, undefined),
  )
  return Math.max(...steps)
}

describe.each(Object.entries({ 'the ordinary world': ORDINARY, ...SHAPES }))('%s', (_, make) => {
  it('has checks whose steps do not grow with the facts', async () => {
    const found: number[] = []
    for (const facts of SIZES) {
      const shape = make(facts)
      found.push(countSteps(await build(shape), shape))
    }
    const [few = 0, many = 0] = found
    expect(many).toBeLessThanOrEqual(few)
    expect(many).toBeLessThanOrEqual(STEPS_MAX)
  })
})
