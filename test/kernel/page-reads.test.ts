// What a page of a listing reads of an image does not grow with the facts of other tenants: in the world of the curves
// (bench/curve-world.mjs), in which each tenant has a thousand facts, and of the permissions of a user where rules are for
// who has a role in the tenant. Words, keys and records of lists are counted, not time.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { FACTS_PER_TENANT, makeQuestions } from '../../bench/curve-world.mjs'
import { permissionChanges } from '../../bench/permission-world.mjs'
import { ORDINARY } from '../../bench/shape-worlds.mjs'
import { Image } from '../../src/image/image.ts'
import type { Listings } from '../../src/image/list/listings.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { openManagementData } from '../management/harness.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const [FEW, MANY] = [3, 12]
const PAGE = { limit: 20 }
/** Some more: what is found in a table is in a longer one. */
const ALIKE = 1.05

/** Words, keys and records of lists that are read of the image. */
function countReads(image: Image, ask: (listings: Listings) => void): number {
  return image.inside(({ kernel }) => {
    const [words, keys, lists] = [vi.spyOn(kernel, 'word'), vi.spyOn(kernel, 'key'), vi.spyOn(kernel, 'readList')]
    ask(image.listings)
    const reads = lists.mock.calls.reduce((sum, [records]) => sum + records, 0)
    const count = reads + words.mock.calls.length + keys.mock.calls.length
    vi.restoreAllMocks()
    return count
  }, undefined)
}

async function buildOrdinary(tenants: number): Promise<Image> {
  const { policy, lists } = ORDINARY(tenants * FACTS_PER_TENANT)
  const management = await openManagementData()
  try {
    await management.run('importBundle', { bundle: policy })
    for (const [section, list] of Object.entries(lists)) {
      for (let at = 0; at < list.length; at += FACTS_PER_TENANT)
        await management.run('importFacts', { [section]: list.slice(at, at + FACTS_PER_TENANT) } as never)
    }
    return Image.load(buildSnapshot(management.view()).bytes, { verified: true })
  } finally {
    await management.close()
  }
}

describe('in the world of the curves', () => {
  const images = new Map<number, Image>()
  beforeAll(async () => {
    for (const tenants of [FEW, MANY]) images.set(tenants, await buildOrdinary(tenants))
  })

  /** The most that a question reads; each is asked in a world of its own size. */
  const most = (tenants: number, at: number, ask: (listings: Listings, question: Question) => void) => {
    const { questions } = makeQuestions(tenants, 20)[at]!
    const image = images.get(tenants)!
    return Math.max(...questions.map((question) => countReads(image, (listings) => ask(listings, question))))
  }
  type Question = ReturnType<typeof makeQuestions>[number]['questions'][number]
  const PAGES: Readonly<Record<string, (listings: Listings, question: Question) => void>> = {
    'the instances of a user in the tenant': (listings, { user, action, resource: { type, tenant } }) => {
      listings.resources(user, action, { type, tenant, key: undefined, sent: undefined }, PAGE)
    },
    'the instances of a user': (listings, { user, action, resource: { type } }) => {
      listings.resources(user, action, { type, tenant: undefined, key: undefined, sent: undefined }, PAGE)
    },
    'the users of an action': (listings, { action, resource: { type, tenant, key } }) => {
      listings.users(action, { type, tenant, key, sent: undefined }, PAGE)
    },
  }
  const ways = makeQuestions(FEW, 1).map(({ way }, at) => [way, at] as const)

  it.each(Object.keys(PAGES).flatMap((page) => ways.map(([way, at]) => [page, way, at] as const)))(
    'a page of %s, allowed %s, does not read more where there are more tenants',
    (page, _way, at) => {
      const [few, many] = [most(FEW, at, PAGES[page]!), most(MANY, at, PAGES[page]!)]
      expect(few).toBeGreaterThan(0)
      expect(many).toBeLessThanOrEqual(few * ALIKE)
    },
  )
})

describe('where rules about instances are for who has a role in the tenant', () => {
  const build = (tenants: number) =>
    Image.build(
      ENVIRONMENT,
      makePosition(1),
      permissionChanges(tenants * FACTS_PER_TENANT, { rules: 'members', held: 5 }),
    )

  it('the permissions of a user are read of these tenants', () => {
    const reads = [3, 12].map((tenants) =>
      countReads(build(tenants), (listings) => {
        const list = listings.permissions('ana', {}, undefined)!
        while (listings.permissionPart(list, PAGE.limit).next !== undefined);
      }),
    )
    expect(reads[1]).toBeLessThanOrEqual(reads[0]! * ALIKE)
  })
})
